/** A certificate and its private key: read together, and refused unless they belong together. */
import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createSecureContext } from 'node:tls'
import type { CertificateFiles } from '#component/config/tls-files.ts'
import { messageOf } from '#component/errors.ts'
import { readAltNames } from '#component/syntax/alt-names.ts'

/** What a listener proves its name with. */
export interface KeyPair {
  /** The file of the certificate, as configured: the name of the pair. */
  readonly file: string
  /** The certificate chain; PEM. */
  readonly cert: string
  /** The private key; PEM. */
  readonly key: string
  /** The hosts for which it is served; lower case, of a wildcard `*.example.com`. */
  readonly hosts: readonly string[]
  /** When the certificate begins and ends (`notBefore`, `notAfter`); milliseconds since the epoch. */
  readonly startsAt: number
  readonly expiresAt: number
}

/**
 * Reads the files of a pair.
 * @throws Error when one of them cannot be read, or they do not belong together; the message names them
 */
export function readKeyPair(files: CertificateFiles): KeyPair {
  const cert = readFileSync(files.cert, 'utf8')
  const key = readFileSync(files.key, 'utf8')
  try {
    createSecureContext({ cert, key })
    const leaf = new X509Certificate(cert)
    const hosts = files.hosts ?? readAltNames(leaf.subjectAltName)?.dns ?? []
    return {
      ...{ file: files.cert, cert, key, hosts: hosts.map((host) => host.toLowerCase()) },
      startsAt: leaf.validFromDate.getTime(),
      expiresAt: leaf.validToDate.getTime(),
    }
  } catch (cause) {
    const found = messageOf(cause)
    const reason = found.includes('key values mismatch')
      ? 'the private key does not belong to the certificate'
      : found
    throw new Error(`${files.cert}, ${files.key}: ${reason}`, { cause })
  }
}

/** Why no client would take the certificate at this time; undefined if it is valid. */
export function validityProblem(
  { file, startsAt, expiresAt }: KeyPair,
  now: number,
): string | undefined {
  const date = (time: number) => new Date(time).toISOString()
  if (expiresAt <= now) return `${file}: it expired at ${date(expiresAt)}`
  return startsAt > now ? `${file}: it is not valid before ${date(startsAt)}` : undefined
}
