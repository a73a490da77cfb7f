/** Signatures of WAMP-cryptosign (RFC 8032, Ed25519). */
import { createPrivateKey, createPublicKey, type KeyObject, verify } from 'node:crypto'

/** The DER head of an Ed25519 public key (RFC 8410 §4); the 32 bytes of the key follow. */
const spkiHead = Buffer.from('302a300506032b6570032100', 'hex')

/** The key of 32 bytes. */
export const publicKeyOf = (bytes: Uint8Array): KeyObject =>
  createPublicKey({ key: Buffer.concat([spkiHead, bytes]), format: 'der', type: 'spki' })

/** The DER head of an Ed25519 private key (RFC 8410 §7); the 32 bytes of the seed follow. */
const pkcs8Head = Buffer.from('302e020100300506032b657004220420', 'hex')

/** The private key of a seed of 32 bytes. */
export const privateKeyOf = (seed: Uint8Array): KeyObject =>
  createPrivateKey({ key: Buffer.concat([pkcs8Head, seed]), format: 'der', type: 'pkcs8' })

/**
 * Whether the challenge was signed with the key.
 * @param key 64 hex digits
 * @param signature as clients send it, in hex: the signature, then what was signed
 */
export function isSigned(key: string, challenge: Buffer, signature: string): boolean {
  const bytes = Buffer.from(signature.slice(0, 128), 'hex')
  if (bytes.length !== 64) return false
  try {
    return verify(null, challenge, publicKeyOf(Buffer.from(key, 'hex')), bytes)
  } catch {
    return false // the bytes are no point of the curve, so nothing is signed with them
  }
}
