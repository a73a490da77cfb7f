/** WebSockets over TLS to a gateway of two workers, and from there to an upstream over TLS. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import type { WebSocket } from 'ws'
import { writeCertificate } from '#test/support/certificate.ts'
import { type GatewayProcess, startGatewayProcess } from '#test/support/gateway-process.ts'
import { send } from '#test/support/http-request.ts'
import { echoingUpstream, type SocketUpstream } from '#test/support/peers/websocket-upstream.ts'
import { closing, echoed, opened, socketsTo } from './clients.ts'

describe('WebSockets over TLS, with two workers', () => {
  const folder = mkdtempSync(join(tmpdir(), 'websockets-'))
  const { cert, key } = writeCertificate(folder)
  let gateway: GatewayProcess
  let upstream: SocketUpstream

  before(async () => {
    const tls = { cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8') }
    upstream = await echoingUpstream(tls, { perMessageDeflate: true })
    gateway = await startGatewayProcess(
      { workers: '2', 'gateway.tls.cert': cert, 'gateway.tls.key': key },
      ['env', `NODE_EXTRA_CA_CERTS=${cert}`],
    )
    const host = `https://${upstream.host.replace('127.0.0.1', 'localhost')}`
    await gateway.post('/api_specs', socketsTo(host))
  })
  after(async () => {
    await gateway.stop()
    upstream.close()
    rmSync(folder, { recursive: true })
  })

  const open = (more: object = {}) =>
    opened(gateway.url, '/v1/echo', { rejectUnauthorized: false, ...more })

  it('pass compressed messages', async () => {
    const socket = await open({ perMessageDeflate: true })
    expect(socket.extensions).to.match(/^permessage-deflate/)
    const message = 'compressed '.repeat(50_000)
    expect((await echoed(socket, message)).toString()).to.equal(message)
    socket.close(1000)
    expect((await closing(socket))[0]).to.equal(1000)
  })

  it('outlive loads on whichever worker they are, are counted together, and end with 1001', async () => {
    const sockets: WebSocket[] = []
    for (let index = 0; index < 12; index += 1) sockets.push(await open())
    const host = `https://${upstream.host.replace('127.0.0.1', 'localhost')}`
    await gateway.post('/api_specs', socketsTo(host, { echo: {}, other: {} }))
    for (const socket of sockets) expect((await echoed(socket, 'x')).toString()).to.equal('x')
    const metrics = (await send(gateway.adminUrl, '/metrics')).text
    expect(metrics).to.match(/\ngateway_websockets\{[^}]*route="\/v1\/echo"[^}]*\} 12\n/)
    const closed = Promise.all(sockets.map(closing))
    await gateway.stop()
    expect(await closed).to.deep.equal(sockets.map(() => [1001, 'this node is stopping']))
  })
})
