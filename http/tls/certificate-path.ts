/** Whether a certificate comes from the authorities of client certificates: the path to one of them, and that it holds (RFC 5280 §6). */
import { X509Certificate } from 'node:crypto'
import { detailsProblem } from './certificate-details.ts'
import type { ClientAuthority } from './client-authority.ts'

/** RFC 5280 §4.2.1.12. */
const clientAuthentication = '1.3.6.1.5.5.7.3.2'

const authorities = new WeakMap<ClientAuthority, readonly X509Certificate[]>()

function authoritiesOf(authority: ClientAuthority): readonly X509Certificate[] {
  const known = authorities.get(authority)
  if (known) return known
  const read = authority.ca.map((text) => new X509Certificate(text))
  authorities.set(authority, read)
  return read
}

const isIssuedBy = (certificate: X509Certificate, issuer: X509Certificate): boolean =>
  issuer.ca && certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey)

/** From the certificate to an authority; undefined: there is no path. Each certificate is tried once. */
function pathFrom(
  leaf: X509Certificate,
  others: readonly X509Certificate[],
  roots: readonly X509Certificate[],
): readonly X509Certificate[] | undefined {
  const untried = new Set(others)
  const extend = (path: readonly X509Certificate[]): readonly X509Certificate[] | undefined => {
    const last = path.at(-1) ?? leaf
    const root = roots.find((one) => isIssuedBy(last, one))
    if (root) return [...path, root]
    for (const other of untried) {
      if (!isIssuedBy(last, other)) continue
      untried.delete(other)
      const found = extend([...path, other])
      if (found) return found
    }
    return undefined
  }
  return extend([leaf])
}

/** A path that holds. */
export interface TrustedPath {
  /** From the certificate to the authority. */
  readonly path: readonly X509Certificate[]
  /** When the first certificate of it ends; milliseconds since the epoch. */
  readonly expiresAt: number
}

/**
 * Judges a certificate for the authentication of a client.
 * @param others what it may be signed by, in any order
 * @returns the path, or why there is none, for the log
 */
export async function judgePath(
  leaf: X509Certificate,
  others: readonly X509Certificate[],
  authority: ClientAuthority,
  now: number,
): Promise<TrustedPath | string> {
  const path = pathFrom(leaf, others, authoritiesOf(authority))
  if (!path) return 'no authority of client_ca has issued the certificate'
  for (const { validFromDate, validToDate } of path) {
    if (validFromDate.getTime() > now) return 'a certificate is not valid yet'
    if (validToDate.getTime() <= now) return 'a certificate has expired'
  }
  // absent: for any use
  const isForClients = ({ keyUsage }: X509Certificate): boolean =>
    keyUsage?.includes(clientAuthentication) !== false
  if (!path.slice(0, -1).every(isForClients)) return 'a certificate is not for clients'
  const problem = await detailsProblem(path, authority.crl, now)
  if (problem !== undefined) return problem
  return { path, expiresAt: Math.min(...path.map(({ validToDate }) => validToDate.getTime())) }
}
