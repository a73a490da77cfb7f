/** Digests under a key: equal texts have equal ones, and nobody without the key can tell which texts they are of. */
import { hash } from 'node:crypto'
import type { SecretBox } from '#component/secret-box.ts'

/** Digests of 32 bytes, base64url. SHA-512/256 takes a key as a prefix: it cannot be extended, and is computed in one call. */
export function keyedDigest(
  box: Pick<SecretBox, 'derive'>,
): (...texts: readonly string[]) => string {
  const key = box.derive('idempotency').toString('base64url')
  return (...texts) => hash('sha512-256', JSON.stringify([key, ...texts]), 'base64url')
}
