/** A certificate that signs itself, for listeners of tests that serve TLS. */
import { generateKeyPairSync, sign } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** One value in DER (X.690): tag, length, content. */
function der(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts)
  const { length } = content
  const head = length < 128 ? [tag, length] : [tag, 0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from(head), content])
}

const sequence = (...parts: readonly Uint8Array[]) => der(0x30, ...parts)
const time = (text: string) => der(0x18, Buffer.from(text))

/** Ed25519 (RFC 8410 §3). */
const algorithm = sequence(der(0x06, Buffer.from('2b6570', 'hex')))

/** `CN=localhost`. */
const name = sequence(
  der(0x31, sequence(der(0x06, Buffer.from('550403', 'hex')), der(0x0c, Buffer.from('localhost')))),
)

const pem = (label: string, bytes: Buffer) =>
  `-----BEGIN ${label}-----\n${bytes.toString('base64')}\n-----END ${label}-----\n`

/** Writes certificate and key (RFC 5280 §4.1) into a folder; their paths. */
export function writeCertificate(folder: string): { readonly cert: string; readonly key: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const signed = sequence(
    der(0x02, Buffer.from([1])),
    algorithm,
    name,
    sequence(time('20200101000000Z'), time('20991231235959Z')),
    name,
    publicKey.export({ format: 'der', type: 'spki' }),
  )
  const signature = der(0x03, Buffer.from([0]), sign(null, signed, privateKey))
  const paths = { cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') }
  writeFileSync(paths.cert, pem('CERTIFICATE', sequence(signed, algorithm, signature)))
  writeFileSync(paths.key, privateKey.export({ format: 'pem', type: 'pkcs8' }))
  return paths
}
