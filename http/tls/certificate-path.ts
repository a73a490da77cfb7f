/** Whether a certificate comes from the authorities of client certificates: the path to one of them, and that it holds (RFC 5280 §6). */
import { X509Certificate } from 'node:crypto'
import type { Certificate, CertificateRevocationList } from 'pkijs'
import type { ClientAuthority } from './client-authority.ts'

/** Extensions that are looked at: basic constraints, key usage, subject alternative name, extended key usage. */
const knownExtensions: ReadonlySet<string> = new Set([
  '2.5.29.15',
  '2.5.29.17',
  '2.5.29.19',
  '2.5.29.37',
])

const basicConstraints = '2.5.29.19'

const load = () => import('pkijs')

const bytesOf = (pem: string): Buffer =>
  Buffer.from(pem.replace(/-----[^-]+-----|\s/g, ''), 'base64')

function pathLengthOf({ extensions = [] }: Certificate): number {
  const found = extensions.find(({ extnID }) => extnID === basicConstraints)?.parsedValue
  const { pathLenConstraint } = (found ?? {}) as { pathLenConstraint?: unknown }
  if (pathLenConstraint === undefined) return Number.POSITIVE_INFINITY
  // longer than a number: it constrains nothing
  return typeof pathLenConstraint === 'number' ? pathLenConstraint : Number.POSITIVE_INFINITY
}

/**
 * Why a path does not hold although its signatures and times do; undefined: it holds.
 * @param path from the certificate of the client to that of the authority
 * @param lists revocation lists, PEM; empty: revocation is not looked at
 */
async function detailsProblem(
  path: readonly X509Certificate[],
  lists: readonly string[],
  now: number,
): Promise<string | undefined> {
  try {
    return await problemIn(path, lists, now)
  } catch {
    return 'a certificate or a revocation list has a form that is not known here'
  }
}

async function problemIn(
  path: readonly X509Certificate[],
  lists: readonly string[],
  now: number,
): Promise<string | undefined> {
  const { Certificate, CertificateRevocationList } = await load()
  const certificates = path.map(({ raw }) => Certificate.fromBER(raw))
  // the authority was chosen by the operator; constraints on names, for example, are critical (RFC 5280 §4.2.1.10)
  for (const { extensions = [] } of certificates.slice(0, -1)) {
    if (extensions.some(({ critical, extnID }) => critical && !knownExtensions.has(extnID))) {
      return 'a certificate has a critical extension that is not known here'
    }
  }
  if (certificates.some((one, at) => at > 0 && pathLengthOf(one) < at - 1)) {
    return 'the chain is longer than one of its authorities allows'
  }
  if (lists.length === 0) return undefined
  const read = lists.map((list) => CertificateRevocationList.fromBER(bytesOf(list)))
  for (const [at, certificate] of certificates.slice(0, -1).entries()) {
    const issuer = certificates[at + 1]
    const problem = issuer && (await revocationProblem(certificate, issuer, read, now))
    if (problem !== undefined) return problem
  }
  return undefined
}

/** As OpenSSL has it: each certificate needs a list of its issuer that is valid now. */
async function revocationProblem(
  certificate: Certificate,
  issuer: Certificate,
  lists: readonly CertificateRevocationList[],
  now: number,
): Promise<string | undefined> {
  for (const list of lists) {
    if (!list.issuer.isEqual(issuer.subject) || !isCurrent(list, now)) continue
    if (!(await list.verify({ issuerCertificate: issuer }).catch(() => false))) continue
    return list.isCertificateRevoked(certificate) ? 'a certificate is revoked' : undefined
  }
  return 'an authority has no revocation list that is valid now'
}

/** A list with a critical extension is not a whole one (RFC 5280 §5.2). */
const isCurrent = (
  { thisUpdate, nextUpdate, crlExtensions }: CertificateRevocationList,
  now: number,
): boolean =>
  thisUpdate.value.getTime() <= now &&
  nextUpdate !== undefined &&
  nextUpdate.value.getTime() > now &&
  crlExtensions?.extensions.some(({ critical }) => critical) !== true

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
