/** What node:crypto does not tell of certificates, and revocation lists, read by pkijs: it is loaded when the first one is asked for. */
import type { X509Certificate } from 'node:crypto'
import type { Certificate, CertificateRevocationList } from 'pkijs'

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
export async function detailsProblem(
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
