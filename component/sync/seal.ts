/** Seals what gateways say to each other: who has not the key of their cluster can neither read, make nor change it. */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

const cipher = 'aes-256-gcm'
const nonceBytes = 12
const tagBytes = 16
/** Characters of base64url that hold the nonce: it fills them exactly. */
const nonceLength = 16

/** The part of a sealed message that no other one has: an answer is bound to it. */
export const nonceOf = (sealed: string): string => sealed.slice(0, nonceLength)

/** AES-256-GCM (NIST SP 800-38D) with a key derived from that of the cluster (RFC 5869). */
export class Seal {
  readonly #key: Uint8Array

  /** @param clusterKey `cluster.key`: any secret; it is derived from, never used as it is */
  constructor(clusterKey: string | Uint8Array) {
    this.#key = new Uint8Array(hkdfSync('sha256', clusterKey, '', 'service.registry', 32))
  }

  /**
   * @param purpose what the message is for: it opens for nothing else
   * @returns base64url of nonce, ciphertext and tag
   */
  seal(purpose: string, text: string): string {
    const nonce = randomBytes(nonceBytes)
    const sealing = createCipheriv(cipher, this.#key, nonce, { authTagLength: tagBytes })
    sealing.setAAD(Buffer.from(purpose))
    const parts = [nonce, sealing.update(text, 'utf8'), sealing.final(), sealing.getAuthTag()]
    return Buffer.concat(parts).toString('base64url')
  }

  /**
   * @param sealed whatever a stranger put in its place
   * @param maxLength characters; what is longer is not looked at
   * @returns undefined for what was not sealed with this key for this purpose
   */
  open(purpose: string, sealed: unknown, maxLength: number): string | undefined {
    if (typeof sealed !== 'string' || sealed.length > maxLength) return undefined
    const bytes = Buffer.from(sealed, 'base64url')
    const end = bytes.length - tagBytes
    if (end < nonceBytes) return undefined
    const nonce = bytes.subarray(0, nonceBytes)
    const opening = createDecipheriv(cipher, this.#key, nonce, { authTagLength: tagBytes })
    opening.setAAD(Buffer.from(purpose)).setAuthTag(bytes.subarray(end))
    try {
      const text = opening.update(bytes.subarray(nonceBytes, end))
      return Buffer.concat([text, opening.final()]).toString('utf8')
    } catch {
      return undefined
    }
  }
}
