/** HMAC by one-shot hashes (RFC 2104 §2): an Hmac of node:crypto is an object of OpenSSL, which takes longer than the hashes of a short message. */
import { hash } from 'node:crypto'
import type { WebhookEncoding, WebhookHash } from '#component/realm/documents/info/webhook-rules.ts'

/** What a hash takes at a time, and what it makes of all; bytes (FIPS 180-4, figure 1). */
const sizes: Readonly<Record<WebhookHash, { readonly block: number; readonly digest: number }>> = {
  sha256: { block: 64, digest: 32 },
  sha384: { block: 128, digest: 48 },
  sha512: { block: 128, digest: 64 },
}

/** Where messages are put together, up to this size: 2 kB for each of them would be garbage. */
const scratch = Buffer.alloc(65_536)

/** A secret with which messages are signed. */
export class HmacKey {
  readonly #algorithm: WebhookHash
  readonly #block: number
  /** The key, masked: what is hashed before a message. */
  readonly #inner: Buffer
  /** The key, masked otherwise, and room for the hash of a message. */
  readonly #outer: Buffer

  constructor(algorithm: WebhookHash, secret: Uint8Array) {
    const { block, digest } = sizes[algorithm]
    const isLong = secret.length > block
    const key = Buffer.concat([isLong ? hash(algorithm, secret, 'buffer') : secret], block)
    this.#algorithm = algorithm
    this.#block = block
    this.#inner = Buffer.from(key.map((byte) => byte ^ 0x36))
    this.#outer = Buffer.concat([key.map((byte) => byte ^ 0x5c)], block + digest)
  }

  /**
   * The code of a message.
   * @param prefix what of it stands before the body; ASCII
   */
  sign(prefix: string, body: Uint8Array, encoding: WebhookEncoding): string {
    const start = this.#block + prefix.length
    const size = start + body.length
    const message = size > scratch.length ? Buffer.allocUnsafe(size) : scratch.subarray(0, size)
    message.set(this.#inner)
    message.write(prefix, this.#block, 'latin1')
    message.set(body, start)
    this.#outer.write(hash(this.#algorithm, message, 'binary'), this.#block, 'latin1')
    return hash(this.#algorithm, this.#outer, encoding)
  }
}
