/** A certification authority of the tests: certificates of servers and clients, intermediates, revocation lists (RFC 5280). */
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'

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
const integer = (value: number) => der(0x02, Buffer.from([value]))
const yes = der(0x01, Buffer.from([0xff]))

/** ECDSA with SHA-256 (RFC 5758 §3.2): browsers take no Ed25519. */
const algorithm = sequence(oid('2a8648ce3d040302'))

/** `CN=…` (RFC 5280 §4.1.2.4). */
const named = (name: string) =>
  sequence(der(0x31, sequence(oid('550403'), der(0x0c, Buffer.from(name)))))

const extension = (id: string, value: Buffer) => sequence(oid(id), der(0x04, value))
const critical = (id: string, value: Buffer) => sequence(oid(id), yes, der(0x04, value))

/** Basic constraints (RFC 5280 §4.2.1.9): `CA: true`, and how many intermediates may follow. */
const isAuthority = (pathLength?: number) =>
  critical('551d13', sequence(yes, ...(pathLength === undefined ? [] : [integer(pathLength)])))

/** Extended key usages (RFC 5280 §4.2.1.12). */
const usages = { server: '2b06010505070301', client: '2b06010505070302' }

const pem = (label: string, bytes: Buffer) =>
  `-----BEGIN ${label}-----\n${bytes.toString('base64')}\n-----END ${label}-----\n`

const signed = (content: Buffer, key: KeyObject) =>
  sequence(content, algorithm, der(0x03, Buffer.from([0]), sign('sha256', content, key)))

/** What a certificate says; times as X.680 writes them (GeneralizedTime). */
export interface Issued {
  /** The common name. */
  readonly name: string
  readonly dns?: readonly string[]
  readonly uri?: readonly string[]
  /** Absent: without extended key usages. */
  readonly usage?: keyof typeof usages
  readonly notBefore?: string
  readonly notAfter?: string
  /** A critical extension that nobody knows. */
  readonly isOdd?: boolean
}

/** A certificate with its key; PEM. */
export interface IssuedPair {
  readonly cert: string
  readonly key: string
  readonly serial: number
}

const altNames = ({ dns = [], uri = [] }: Issued): Buffer[] => {
  const names = [
    ...dns.map((name) => der(0x82, Buffer.from(name))),
    ...uri.map((name) => der(0x86, Buffer.from(name))),
  ]
  return names.length === 0 ? [] : [extension('551d11', sequence(...names))]
}

/** An authority, at the root or below another one. */
export class Authority {
  readonly name: string
  /** Its certificate; PEM. */
  readonly cert: string
  readonly publicKey: KeyObject
  /** Its private key; PEM. */
  readonly key: string
  readonly #key: KeyObject
  #serial = 1

  constructor(
    name: string,
    issuer?: Authority,
    { pathLength, ...life }: { pathLength?: number; notBefore?: string; notAfter?: string } = {},
  ) {
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    this.name = name
    this.publicKey = publicKey
    this.#key = privateKey
    this.key = String(privateKey.export({ format: 'pem', type: 'pkcs8' }))
    const issued = { name, ...life }
    this.cert = (issuer ?? this).#certificate(issued, publicKey, [isAuthority(pathLength)]).cert
  }

  /** Issues a certificate for a key that nobody else has. */
  issue(issued: Issued): IssuedPair {
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const { usage, isOdd = false } = issued
    const made = this.#certificate(issued, publicKey, [
      ...altNames(issued),
      ...(usage === undefined ? [] : [extension('551d25', sequence(oid(usages[usage])))]),
      ...(isOdd ? [critical('2a030405', sequence())] : []),
    ])
    return { ...made, key: String(privateKey.export({ format: 'pem', type: 'pkcs8' })) }
  }

  /** A revocation list (RFC 5280 §5.1); PEM. */
  revocations(serials: readonly number[], nextUpdate = '20991231235959Z'): string {
    const revoked = serials.map((serial) => sequence(integer(serial), time('20200102000000Z')))
    const list = sequence(
      integer(1),
      algorithm,
      named(this.name),
      ...[time('20200101000000Z'), time(nextUpdate)],
      ...(revoked.length === 0 ? [] : [sequence(...revoked)]),
    )
    return pem('X509 CRL', signed(list, this.#key))
  }

  /** RFC 5280 §4.1. */
  #certificate(
    { name, notBefore = '20200101000000Z', notAfter = '20991231235959Z' }: Issued,
    key: KeyObject,
    extensions: readonly Buffer[],
  ): Pick<IssuedPair, 'cert' | 'serial'> {
    this.#serial += 1
    const serial = this.#serial
    const content = sequence(
      der(0xa0, integer(2)),
      integer(serial),
      algorithm,
      named(this.name),
      sequence(time(notBefore), time(notAfter)),
      named(name),
      key.export({ format: 'der', type: 'spki' }),
      ...(extensions.length === 0 ? [] : [der(0xa3, sequence(...extensions))]),
    )
    return { cert: pem('CERTIFICATE', signed(content, this.#key)), serial }
  }
}
