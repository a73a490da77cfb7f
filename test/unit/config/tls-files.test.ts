/** The forms of `gateway.tls`. */
import { expect } from 'chai'
import { configOf } from '#component/config/config.ts'
import { pathsOf, type TlsOption, tlsFilesOf } from '#component/config/tls-files.ts'

const [a, b] = [
  { cert: 'a.pem', key: 'a.key' },
  { cert: 'b.pem', key: 'b.key', hosts: ['*.example.com'] },
]
const client_ca = 'ca.pem'

const read = (tls: unknown) => configOf({ gateway: { tls } }).gateway.tls

describe('gateway.tls', () => {
  for (const [title, option, files] of [
    ['is one certificate', a, { certificates: [a] }],
    ['is a list of them', [a, b], { certificates: [a, b] }],
    [
      'is a map with a list of them',
      { certificates: [b], client_ca },
      { certificates: [b], clients: { ca: 'ca.pem' } },
    ],
    [
      'asks for client certificates, with revocation lists',
      { ...a, client_ca, client_crl: 'crl.pem' },
      { certificates: [a], clients: { ca: 'ca.pem', crl: 'crl.pem' } },
    ],
    [
      'has no certificate of its own where proxies pass those of clients on',
      { client_ca },
      { certificates: [], clients: { ca: 'ca.pem' } },
    ],
    ['may be absent', undefined, undefined],
  ] satisfies [string, TlsOption | undefined, unknown][]) {
    it(title, () => expect(tlsFilesOf(read(option))).to.deep.equal(files))
  }

  for (const [option, message] of [
    [
      { cert: 'a.pem' },
      'option "gateway.tls": must have property key when property cert is present',
    ],
    [{ ...a, client_crl: 'a' }, 'must have property client_ca when property client_crl is present'],
    [{ ...a, certificates: [b] }, 'cert and certificates exclude each other'],
    [{}, 'option "gateway.tls": cert and key, certificates, or client_ca must be given'],
    [[], 'option "gateway.tls": must NOT have fewer than 1 items'],
    [[a, { ...b, cert: 'a.pem' }], 'option "gateway.tls": a.pem is named twice'],
    [[{ ...a, hosts: ['a_b:c'] }], 'option "gateway.tls.0.hosts.0": must match pattern'],
    [[{ ...a, host: 'a' }], 'unknown option "gateway.tls.0.host"'],
    ['a.pem', 'option "gateway.tls": must be object,array'],
  ] as const) {
    it(`is refused: ${message}`, () => expect(() => read(option)).to.throw(message))
  }

  it('names the files that are watched', () => {
    const files = tlsFilesOf({ certificates: [a, b], client_ca, client_crl: 'crl.pem' })
    expect(files && pathsOf(files)).to.deep.equal([
      'a.pem',
      'a.key',
      'b.pem',
      'b.key',
      'ca.pem',
      'crl.pem',
    ])
  })
})
