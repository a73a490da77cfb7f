/** A gateway that reaches its router by RawSocket alone. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { WebSocket } from 'ws'
import { RouterPeer } from '#test/contract/router/peer.ts'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { openRawSocketRouter, type RawSocketRouter } from '#test/support/peers/rawsocket-router.ts'
import { openEmbeddedRouter } from '#test/support/peers/router.ts'
import { until } from '#test/support/running/until.ts'

describe('a gateway whose router is reached by a Unix socket', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-raw-'))
  let router: Awaited<ReturnType<typeof openEmbeddedRouter>>
  let front: RawSocketRouter
  let gateway: TestGateway

  before(async () => {
    router = await openEmbeddedRouter()
    front = await openRawSocketRouter(router.openLink, { path: join(folder, 'router') })
    gateway = await startGateway({ 'wamp.url': front.url })
  })
  after(async () => {
    await gateway?.stop()
    await front?.stop()
    await router?.stop()
    rmSync(folder, { recursive: true })
  })

  it('serves its management procedures there', async () => {
    const peer = await RouterPeer.join({ url: router.url, realm: 'service.gateway' })
    let request = 0
    await until('they are registered', async () => {
      request += 1
      return (await peer.ask(48, request, {}, 'service.list_api_specs'))[0] === 50
    })
    peer.cut()
  })

  it('refuses WAMP clients at /ws with 503', async () => {
    const client = new WebSocket(`${gateway.url.replace('http', 'ws')}/ws`, ['wamp.2.json'])
    const status = await new Promise((resolve) => {
      client.once('open', () => resolve('open'))
      client.once('unexpected-response', (_request, response) => resolve(response.statusCode))
      client.once('error', resolve)
    })
    client.terminate()
    expect(status).to.equal(503)
  })
})
