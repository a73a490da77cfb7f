/** Certificates of a certification authority of the tests, for listeners that serve TLS. */
import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** One value in DER (X.690): tag, length in as few octets as it takes, content. */
function der(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts)
  const { length } = content
  const octets = length < 128 ? [] : length < 256 ? [0x81] : [0x82, length >> 8]
  const head = [tag, ...octets, length & 0xff]
  return Buffer.concat([Buffer.from(head), content])
}

const sequence = (...parts: readonly Uint8Array[]) => der(0x30, ...parts)
const time = (text: string) => der(0x18, Buffer.from(text))
const oid = (hex: string) => der(0x06, Buffer.from(hex, 'hex'))

/** ECDSA with SHA-256 (RFC 5758 §3.2): browsers take no Ed25519. */
const algorithm = sequence(oid('2a8648ce3d040302'))

/** `CN=…` (RFC 5280 §4.1.2.4). */
const named = (name: string) =>
  sequence(der(0x31, sequence(oid('550403'), der(0x0c, Buffer.from(name)))))

const extension = (id: string, value: Buffer) => sequence(oid(id), der(0x04, value))

/** Basic constraints (RFC 5280 §4.2.1.9): `CA: true`. */
const isAuthority = extension('551d13', sequence(der(0x01, Buffer.from([0xff]))))

/** Subject alternative name (RFC 5280 §4.2.1.6): the DNS name `localhost`. */
const isForLocalhost = extension('551d11', sequence(der(0x82, Buffer.from('localhost'))))

const pem = (label: string, bytes: Buffer) =>
  `-----BEGIN ${label}-----\n${bytes.toString('base64')}\n-----END ${label}-----\n`

const newKey = () => generateKeyPairSync('ec', { namedCurve: 'P-256' })
const publicBytes = (key: KeyObject) => key.export({ format: 'der', type: 'spki' })

/** RFC 5280 §4.1. */
function certificate(
  serial: number,
  subject: string,
  key: KeyObject,
  more: Buffer,
  signingKey: KeyObject,
  notAfter = '20991231235959Z',
) {
  const signed = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([serial])),
    algorithm,
    named(authority),
    sequence(time('20200101000000Z'), time(notAfter)),
    named(subject),
    publicBytes(key),
    der(0xa3, sequence(more)),
  )
  const signature = der(0x03, Buffer.from([0]), sign('sha256', signed, signingKey))
  return pem('CERTIFICATE', sequence(signed, algorithm, signature))
}

const authority = 'Authority of the tests'

/** Files of a listener, and whom its clients are to trust. */
export interface WrittenCertificate {
  /** PEM file: the certificate of `localhost`, and the authority's. */
  readonly cert: string
  /** PEM file. */
  readonly key: string
  /** SHA-256 of the authority's public key as browsers are told it (RFC 7469 §2.4); base64. */
  readonly authorityPin: string
}

/**
 * Writes certificate and key into a folder; the authority is new, and its key is forgotten.
 * @param notAfter when the certificate of `localhost` ends (X.680: GeneralizedTime)
 */
export function writeCertificate(folder: string, notAfter?: string): WrittenCertificate {
  const [root, own] = [newKey(), newKey()]
  const chain = [
    certificate(2, 'localhost', own.publicKey, isForLocalhost, root.privateKey, notAfter),
    certificate(1, authority, root.publicKey, isAuthority, root.privateKey),
  ]
  const paths = { cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') }
  writeFileSync(paths.cert, chain.join(''))
  writeFileSync(paths.key, own.privateKey.export({ format: 'pem', type: 'pkcs8' }))
  const authorityPin = createHash('sha256').update(publicBytes(root.publicKey)).digest('base64')
  return { ...paths, authorityPin }
}
