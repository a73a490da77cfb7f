/** Targets under https: whom the gateway trusts, what it shows, and the host that targets get. */
import { once } from 'node:events'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TLSSocket } from 'node:tls'
import { expect } from 'chai'
import { send } from '#test/support/http-request.ts'
import { keptLog } from '#test/support/log-lines.ts'
import { Authority } from '#test/support/tls/authority.ts'
import { closeAll, documentOf, startTarget, startWith } from './upstreams.ts'

const closers: (() => void)[] = []
const authority = new Authority('The authority of the company')
const ofServer = authority.issue({ name: 'x', dns: ['billing.internal'], usage: 'server' })
const ofClient = authority.issue({ name: 'the gateway', usage: 'client' })

/** A target that asks for certificates; its port, and the names of the clients that have come. */
async function startTls(server = ofServer) {
  const clients: unknown[] = []
  const names: unknown[] = []
  const options = { ...server, ca: authority.cert, requestCert: true, rejectUnauthorized: false }
  const target = createServer(options, (request, response) => {
    const socket = request.socket as TLSSocket
    clients.push(socket.getPeerCertificate().subject?.CN)
    names.push([socket.authorized, request.headers.host])
    response.end('ok')
  })
  await once(target.listen(0, '127.0.0.1'), 'listening')
  closers.push(() => {
    target.close()
    target.closeAllConnections()
  })
  const { port } = target.address() as AddressInfo
  return { port, url: `https://127.0.0.1:${port}`, clients, names }
}

describe('an upstream under TLS', () => {
  afterEach(async () => {
    await closeAll()
    for (const close of closers.splice(0)) close()
  })

  const { cert: ca } = authority
  const right = { ca, server_name: 'billing.internal' }
  const stranger = new Authority('Somebody else').cert

  for (const [what, more, status] of [
    ['by its own authority', { tls: right }, 200],
    ['by the name of `host_header`', { tls: { ca }, host_header: 'billing.internal' }, 200],
    ['not without the authority', { tls: { server_name: 'billing.internal' } }, 504],
    ['not by another authority', { tls: { ...right, ca: stranger } }, 504],
    ['not under the name of its address', { tls: { ca } }, 504],
    ['not under another name', { tls: { ...right, server_name: 'other.internal' } }, 504],
    ['not with an authority that is no PEM', { tls: { ...right, ca: 'x' } }, 504],
    ['not with a file that is not there', { tls: { ...right, ca: { file: '/none' } } }, 504],
    ['not with a variable that is not set', { tls: { ...right, ca: { env: 'NONE_SET' } } }, 504],
  ] as const) {
    it(`is trusted: ${what}`, async () => {
      const target = await startTls()
      const { url } = await startWith({ it: { targets: [{ url: target.url }], ...more } })
      expect((await fetch(`${url}/v1/it`)).status).to.equal(status)
      expect(target.clients).to.have.lengthOf(status === 200 ? 1 : 0)
    })
  }

  it('says in the log which part of its TLS cannot be read', async () => {
    const { log, lines } = keptLog()
    const target = await startTls()
    const tls = { ...right, ca: { file: '/none' } }
    const upstreams = { it: { targets: [{ url: target.url }], tls } }
    const { url } = await startWith(upstreams, documentOf(), {}, { log })
    await fetch(`${url}/v1/it`)
    const line = lines.find(({ msg }) => msg === 'a request failed')
    expect(line).to.include({ target: target.url })
    expect(line?.reason).to.equal('tls.ca of the upstream cannot be read')
  })

  it('is shown the certificate of the gateway, whose key is never told', async () => {
    const target = await startTls()
    const tls = { ...right, cert: ofClient.cert, private_key: ofClient.key }
    const gateway = await startWith({ it: { targets: [{ url: target.url }], tls } })
    expect((await fetch(`${gateway.url}/v1/it`)).status).to.equal(200)
    expect(target.clients).to.deep.equal(['the gateway'])
    expect(target.names).to.deep.include([true, `127.0.0.1:${target.port}`])
    const shown = await fetch(`${gateway.adminUrl}/realms/com.example.test`)
    expect(await shown.text()).not.to.include('private_key')
  })

  it('is trusted by a file as it is now, without a load', async () => {
    const target = await startTls()
    const file = join(mkdtempSync(join(tmpdir(), 'ca-')), 'ca.pem')
    writeFileSync(file, stranger)
    const tls = { ...right, ca: { file } }
    const { url } = await startWith({ it: { targets: [{ url: target.url }], tls } })
    expect((await fetch(`${url}/v1/it`)).status).to.equal(504)
    writeFileSync(file, ca)
    expect((await fetch(`${url}/v1/it`)).status).to.equal(200)
  })
})

describe('the host and the path that a target gets', () => {
  afterEach(closeAll)

  for (const [hostHeader, expected] of [
    [undefined, 'its own'],
    ['target', 'its own'],
    ['request', 'shop.example'],
    ['billing.internal:81', 'billing.internal:81'],
  ] as const) {
    it(`are those that \`host_header\` and \`base_path\` say: ${hostHeader}`, async () => {
      const hosts: unknown[] = []
      const target = await startTarget((request, response) => {
        hosts.push(request.headers.host)
        response.end()
      })
      const more = { base_path: '/api/v2/', ...(hostHeader && { host_header: hostHeader }) }
      const { url } = await startWith({ it: { targets: [{ url: target.url }], ...more } })
      await send(url, '/v1/it/7?a=b', { host: 'shop.example' })
      const own = new URL(target.url).host
      expect(hosts).to.deep.equal([expected === 'its own' ? own : expected])
      expect(target.asked).to.deep.equal(['GET /api/v2/v1/it/7?a=b'])
    })
  }
})
