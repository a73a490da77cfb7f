/** Secrets at rest and between nodes: seals texts under a key of the configuration, and derives other secrets from it. */
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'

const version = 'v1.'
const nonceLength = 12
/** Nonces drawn at once: drawing costs a third of what it costs to seal a short text. */
const noncesDrawn = 256
const tagLength = 16

/** AES-256-GCM and HMAC-SHA256, each purpose under a key of its own (HKDF, RFC 5869). */
export class SecretBox {
  readonly #secret: string | Uint8Array
  readonly #scope: string
  readonly #keys = new Map<string, Buffer>()
  #nonces = Buffer.alloc(0)

  /**
   * @param secret `store.key` or `cluster.key`: any text of enough entropy
   * @param scope separates the keys of boxes that have one secret
   */
  constructor(secret: string | Uint8Array, scope = 'wamp-gateway') {
    this.#secret = secret
    this.#scope = scope
  }

  /** @param purpose names the text, for example `realm com.example`; {@link open} needs the same one */
  seal(text: string, purpose: string): string {
    const nonce = this.#nonce()
    const cipher = createCipheriv('aes-256-gcm', this.#key('seal'), nonce)
    cipher.setAAD(Buffer.from(purpose))
    const parts = [nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]
    return version + Buffer.concat(parts).toString('base64url')
  }

  /** The text; undefined unless it was sealed with this secret, in this scope and for this purpose. */
  open(sealed: string, purpose: string): string | undefined {
    const bytes = Buffer.from(sealed.slice(version.length), 'base64url')
    if (!sealed.startsWith(version) || bytes.length < nonceLength + tagLength) return undefined
    const nonce = bytes.subarray(0, nonceLength)
    const cipher = createDecipheriv('aes-256-gcm', this.#key('seal'), nonce)
    cipher.setAAD(Buffer.from(purpose))
    cipher.setAuthTag(bytes.subarray(-tagLength))
    try {
      const text = cipher.update(bytes.subarray(nonceLength, -tagLength))
      return Buffer.concat([text, cipher.final()]).toString('utf8')
    } catch {
      return undefined // the tag is wrong
    }
  }

  /** A secret that follows from the key and these texts: the same on every node that has the key. 32 bytes. */
  derive(purpose: string, ...texts: readonly string[]): Buffer {
    return createHmac('sha256', this.#key(purpose)).update(JSON.stringify(texts)).digest()
  }

  #nonce(): Buffer {
    if (this.#nonces.length === 0) this.#nonces = randomBytes(noncesDrawn * nonceLength)
    const nonce = this.#nonces.subarray(0, nonceLength)
    this.#nonces = this.#nonces.subarray(nonceLength)
    return nonce
  }

  #key(purpose: string): Buffer {
    const known = this.#keys.get(purpose)
    if (known) return known
    const key = Buffer.from(hkdfSync('sha256', this.#secret, '', `${this.#scope} ${purpose}`, 32))
    this.#keys.set(purpose, key)
    return key
  }
}
