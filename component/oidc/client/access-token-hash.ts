/** Whether an ID token goes with the access token beside it: the library does not look at `at_hash`. */
import { createHash } from 'node:crypto'

/** Ends of the algorithms' names ─▶ their hash function (OpenID Connect Core §3.1.3.6). */
const hashes = [
  [/^(RS|PS|ES)256$/, 'sha256'],
  [/^(RS|PS|ES)384$/, 'sha384'],
  [/^((RS|PS|ES)512|EdDSA|Ed25519)$/, 'sha512'],
] as const

/**
 * Checks `at_hash` of an ID token (OpenID Connect Core §3.1.3.8).
 * @throws Error when it is there and does not match
 */
export function checkAccessToken(id_token: string, access_token: string, at_hash: unknown): void {
  if (at_hash === undefined) return
  const [header = ''] = id_token.split('.')
  const { alg } = JSON.parse(Buffer.from(header, 'base64url').toString())
  const [, hash] = hashes.find(([names]) => names.test(alg)) ?? []
  const digest = hash && createHash(hash).update(access_token).digest()
  const half = digest?.subarray(0, digest.length / 2).toString('base64url')
  if (half === undefined || half !== at_hash) {
    throw new Error('at_hash does not match the access token')
  }
}
