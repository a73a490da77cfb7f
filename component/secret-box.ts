/** What is secret at rest: sealed under `store.key`, and derived from it; whoever has only a copy of the store has neither. */
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'

const version = 'v1.'
const nonceLength = 12
const tagLength = 16

/** Text that was sealed under another key, or for another purpose, or is none that was sealed. */
export class UnsealError extends Error {
  constructor(options?: ErrorOptions) {
    super('the value was not sealed with this store.key', options)
    this.name = 'UnsealError'
  }
}

/** AES-256-GCM and HMAC-SHA256, each purpose under a key of its own (HKDF, RFC 5869). */
export class SecretBox {
  readonly #secret: string
  readonly #keys = new Map<string, Buffer>()

  /** @param secret `store.key`: any text of enough entropy */
  constructor(secret: string) {
    this.#secret = secret
  }

  /** @param purpose what the text is, such as `realm com.example: client_secret`; needed to open it */
  seal(text: string, purpose: string): string {
    const nonce = randomBytes(nonceLength)
    const cipher = createCipheriv('aes-256-gcm', this.#key('seal'), nonce)
    cipher.setAAD(Buffer.from(purpose))
    const parts = [nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]
    return version + Buffer.concat(parts).toString('base64url')
  }

  /** @throws UnsealError */
  open(sealed: string, purpose: string): string {
    const bytes = Buffer.from(sealed.slice(version.length), 'base64url')
    if (!sealed.startsWith(version) || bytes.length < nonceLength + tagLength) {
      throw new UnsealError()
    }
    const nonce = bytes.subarray(0, nonceLength)
    const cipher = createDecipheriv('aes-256-gcm', this.#key('seal'), nonce)
    cipher.setAAD(Buffer.from(purpose))
    cipher.setAuthTag(bytes.subarray(-tagLength))
    try {
      const text = cipher.update(bytes.subarray(nonceLength, -tagLength))
      return Buffer.concat([text, cipher.final()]).toString('utf8')
    } catch (cause) {
      throw new UnsealError({ cause })
    }
  }

  /** A secret that follows from the key and these texts: the same on every node that has the key. 32 bytes. */
  derive(purpose: string, ...texts: readonly string[]): Buffer {
    return createHmac('sha256', this.#key(purpose)).update(JSON.stringify(texts)).digest()
  }

  #key(purpose: string): Buffer {
    const known = this.#keys.get(purpose)
    if (known) return known
    const key = Buffer.from(hkdfSync('sha256', this.#secret, '', `wamp-gateway ${purpose}`, 32))
    this.#keys.set(purpose, key)
    return key
  }
}
