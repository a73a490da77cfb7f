/** Client certificates that a proxy passes on (RFC 9440): believed of trusted proxies alone, and judged again. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { Authority } from '#test/support/tls/authority.ts'
import {
  billing,
  type ClientGateway,
  fieldOf,
  ofBilling,
  startClientGateway,
  workload,
} from '#test/support/tls/client-gateway.ts'

const root = new Authority('Root')
const other = new Authority('Other')
const middle = new Authority('Middle', root)
const good = root.issue(ofBilling)
const revoked = root.issue(ofBilling)
const viaMiddle = middle.issue(ofBilling)
const crl = root.revocations([revoked.serial]) + middle.revocations([])

/** Requests of a proxy, and of somebody else on this machine. */
const [proxy, stranger] = [
  ['--interface', '127.0.0.2'],
  ['--interface', '127.0.0.3'],
]

let count = 0
/** The log tells only some refusals of one client in a second. */
const nextClient = () => {
  count += 1
  return ['-H', `X-Forwarded-For: 192.0.2.${count}`]
}

const certificate = (cert: string) => ['-H', `Client-Cert: ${fieldOf(cert)}`]
const chain = (...certs: readonly string[]) => [
  '-H',
  `Client-Cert-Chain: ${certs.map(fieldOf).join(', ')}`,
]
const malformed = 'Client-Cert or Client-Cert-Chain is malformed'
const noIssuer = 'no authority of client_ca has issued the certificate'

describe('client certificates that a proxy passes on', () => {
  let clients: ClientGateway
  let upstream: Server
  let received: Readonly<Record<string, unknown>>
  before(async () => {
    upstream = createServer(({ headers }, response) => {
      received = headers
      response.end()
    })
    await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve))
    const { port } = upstream.address() as AddressInfo
    const settings = (folder: string) => ({
      'gateway.tls.client_ca': `${folder}/ca.pem`,
      'gateway.tls.client_crl': `${folder}/crl.pem`,
      'gateway.trusted_proxies': '[127.0.0.2]',
    })
    clients = await startClientGateway(root, settings, {
      ...{ crl, upstream: `http://127.0.0.1:${port}` },
    })
  })
  after(async () => {
    await clients?.stop()
    upstream?.close()
  })

  it('let their users call as themselves', async () => {
    expect(clients.gateway.url).to.match(/^http:/)
    const options = [...proxy, ...certificate(good.cert)]
    for (const [path, authid] of [
      ['/dns', billing],
      ['/uri', workload],
      ['/cn', 'ada'],
    ] as const) {
      expect(await clients.curl(path, ...options)).to.deep.equal([200, `"${authid}"`])
    }
  })

  for (const [title, options, reason] of [
    ['one with its chain', [...certificate(viaMiddle.cert), ...chain(middle.cert)], undefined],
    [
      'one with a chain up to the authority',
      [...certificate(viaMiddle.cert), ...chain(middle.cert, root.cert)],
      undefined,
    ],
    [
      'one whose intermediate nobody has shown',
      certificate(new Authority('New', root).issue(ofBilling).cert),
      noIssuer,
    ],
    ['one of another authority', certificate(other.issue(ofBilling).cert), noIssuer],
    [
      'one that brings its own authority',
      [...certificate(other.issue(ofBilling).cert), ...chain(other.cert)],
      noIssuer,
    ],
    ['one that has signed itself', certificate(other.cert), noIssuer],
    [
      'an expired one',
      certificate(root.issue({ ...ofBilling, notAfter: '20210101000000Z' }).cert),
      'a certificate has expired',
    ],
    [
      'one of a server',
      certificate(root.issue({ ...ofBilling, usage: 'server' }).cert),
      'a certificate is not for clients',
    ],
    ['a revoked one', certificate(revoked.cert), 'a certificate is revoked'],
    ['two fields', [...certificate(good.cert), ...certificate(good.cert)], malformed],
    ['no byte sequence', ['-H', 'Client-Cert: billing.example.com'], malformed],
    [
      'a byte sequence without its end',
      ['-H', `Client-Cert: ${fieldOf(good.cert).slice(0, -1)}`],
      malformed,
    ],
    [
      'a byte sequence that is no certificate',
      ['-H', `Client-Cert: :${Buffer.from('hello').toString('base64')}:`],
      malformed,
    ],
    ['a malformed chain', [...certificate(good.cert), '-H', 'Client-Cert-Chain: hello'], malformed],
    ['none', [], undefined],
    ['a chain without a certificate', chain(root.cert), undefined],
  ] as const) {
    const isAdmitted = reason === undefined && title.startsWith('one')
    it(`${isAdmitted ? 'admit' : 'refuse'} ${title}`, async () => {
      clients.reasons()
      const [status, body] = await clients.curl('/dns', ...proxy, ...options, ...nextClient())
      expect(status, body).to.equal(isAdmitted ? 200 : 401)
      expect(clients.reasons()).to.deep.equal(reason === undefined ? [] : [reason])
      expect((await clients.curl('/open', ...proxy, ...options))[0]).to.equal(200)
    })
  }

  it('are ignored where somebody else sends them', async () => {
    clients.reasons()
    const [status] = await clients.curl('/dns', ...stranger, ...certificate(good.cert))
    expect(status).to.equal(401)
    expect(clients.reasons()).to.deep.equal([])
  })

  it('reach no upstream, whoever sends them', async () => {
    for (const from of [proxy, stranger]) {
      const options = [...from, ...certificate(good.cert), ...chain(root.cert), '-H', 'X-Other: 1']
      expect((await clients.curl('/forward', ...options))[0]).to.equal(200)
      expect(received).to.include({ 'x-other': '1' })
      expect(received).to.not.have.any.keys('client-cert', 'client-cert-chain')
    }
  })
})

describe('client certificates of a proxy', () => {
  it('are not those of its clients', async () => {
    const settings = (folder: string) => ({
      'gateway.tls.cert': `${folder}/server.pem`,
      'gateway.tls.key': `${folder}/server.key`,
      'gateway.tls.client_ca': `${folder}/ca.pem`,
      'gateway.trusted_proxies': '[127.0.0.2]',
    })
    const clients = await startClientGateway(root, settings)
    try {
      const own = clients.write('proxy', good)
      expect((await clients.curl('/dns', ...own))[0]).to.equal(200)
      expect((await clients.curl('/dns', ...own, ...proxy))[0]).to.equal(401)
      const told = certificate(root.issue({ ...ofBilling, dns: ['ada'] }).cert)
      expect(await clients.curl('/dns', ...own, ...proxy, ...told)).to.deep.equal([200, '"ada"'])
    } finally {
      await clients.stop()
    }
  })
})
