/** Certificates of a certification authority of the tests, for listeners that serve TLS. */
import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Authority } from './tls/authority.ts'

/** Files of a listener, and whom its clients are to trust. */
export interface WrittenCertificate {
  /** PEM file: the certificate, and the authority's. */
  readonly cert: string
  /** PEM file. */
  readonly key: string
  /** SHA-256 of the authority's public key as browsers are told it (RFC 7469 §2.4); base64. */
  readonly authorityPin: string
}

/**
 * Writes certificate and key into a folder; the authority is new, and its key is forgotten.
 * @param notAfter when the certificate ends (X.680: GeneralizedTime)
 * @param names the DNS names that it is for
 */
export function writeCertificate(
  folder: string,
  notAfter?: string,
  names: readonly string[] = ['localhost'],
): WrittenCertificate {
  const authority = new Authority('Authority of the tests')
  const { cert, key } = authority.issue({
    name: names[0] ?? 'none',
    dns: names,
    ...(notAfter !== undefined && { notAfter }),
  })
  const paths = { cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') }
  writeFileSync(paths.cert, cert + authority.cert)
  writeFileSync(paths.key, key)
  const bytes = authority.publicKey.export({ format: 'der', type: 'spki' })
  const authorityPin = createHash('sha256').update(bytes).digest('base64')
  return { ...paths, authorityPin }
}
