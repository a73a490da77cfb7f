/** `Client-Cert` and `Client-Cert-Chain`: the certificate of a client, as the proxy tells it that has ended its TLS (RFC 9440). */
import { X509Certificate } from 'node:crypto'

/** The certificate and what it may be signed by, in DER. */
export interface ToldCertificates {
  readonly leaf: X509Certificate
  readonly others: readonly X509Certificate[]
}

/** A longer chain is refused. */
const mostOthers = 8

/** A byte sequence (RFC 8941 §3.3.5) without parameters, of which neither field has any. */
const byteSequence = /^ *:([A-Za-z0-9+/]+={0,2}): *$/

/** Exactly one certificate, and nothing after it. */
function readCertificate(text: string): X509Certificate | undefined {
  const [, base64] = byteSequence.exec(text) ?? []
  if (base64 === undefined) return undefined
  const bytes = Buffer.from(base64, 'base64')
  if (bytes.toString('base64') !== base64) return undefined
  try {
    const certificate = new X509Certificate(bytes)
    return certificate.raw.equals(bytes) ? certificate : undefined
  } catch {
    return undefined
  }
}

/**
 * Reads the two fields; undefined where one of them is malformed. Two fields `Client-Cert` are joined by a comma, and so malformed.
 * @param chain the field `Client-Cert-Chain`, a list; undefined: there is none
 */
export function readClientCert(
  cert: string,
  chain: string | undefined,
): ToldCertificates | undefined {
  const leaf = readCertificate(cert)
  const texts = chain === undefined ? [] : chain.split(',')
  const others = texts.slice(0, mostOthers + 1).flatMap((text) => readCertificate(text) ?? [])
  if (!leaf || others.length !== texts.length || others.length > mostOthers) return undefined
  return { leaf, others }
}
