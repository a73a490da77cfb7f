/** The embedded router of a gateway of several processes: one router for all clients, and who they are is not forgotten on the way. */
import { expect } from 'chai'
import { RouterPeer } from '#test/contract/router/peer.ts'
import { hello } from '#test/support/examples/hello.ts'
import type { GatewayProcess } from '#test/support/gateway-process.ts'
import { send } from '#test/support/http-request.ts'
import { until } from '#test/support/running/until.ts'
import { allAnswer, procedure, realm, startWorkers } from '#test/support/worker-gateway.ts'

const [welcome, abort] = [2, 3]

describe('the embedded router of a gateway of 2 workers', () => {
  let gateway: GatewayProcess

  before(async () => {
    gateway = await startWorkers(2, { 'router.listen': '127.0.0.1:0' })
  })

  after(() => gateway.kill())

  /** Two clients, one through each worker: connections are given to them in turn. */
  const joinTwo = async () => {
    await allAnswer(gateway, 2)
    return [
      await RouterPeer.join({ url: gateway.routerUrl, realm }),
      await RouterPeer.join({ url: gateway.routerUrl, realm }),
    ] as const
  }

  it('connects who calls through one worker with who answers through another', async () => {
    const [callee, caller] = await joinTwo()
    await callee.register('com.example.test.across')
    caller.send(48, 1, {}, 'com.example.test.across', ['there'])
    const [, request, , , args] = await callee.next()
    callee.send(70, request, {}, args)
    expect(await caller.next()).to.deep.equal([50, 1, {}, ['there']])
    callee.cut()
    caller.cut()
  })

  it('serves the WAMP calls of every worker', async () => {
    const callee = await RouterPeer.join({ url: `${gateway.url.replace('http', 'ws')}/ws`, realm })
    await callee.register(procedure)
    for (let at = 0; at < 4; at++) {
      const answer = send(gateway.url, '/workers/called')
      const [, request] = await callee.next()
      callee.send(70, request, {}, [at])
      expect((await answer).json()).to.equal(at)
    }
    callee.cut()
  })

  it('is known by one URL, and is at /ws of the gateway, too', async () => {
    expect(gateway.routerUrl).to.match(/^ws:\/\/127\.0\.0\.1:\d+\/ws$/)
    for (const url of [gateway.routerUrl, `${gateway.url.replace('http', 'ws')}/ws`]) {
      expect((await hello(url, realm))[0]).to.equal(welcome)
    }
  })

  describe('judges clients by the address that they come from', () => {
    const closed = 'com.example.elsewhere'
    const [allowed, other] = ['127.0.0.2', '127.0.0.3']

    before(() =>
      gateway.post('/services/load_realm', {
        uri: closed,
        authmethods: ['anonymous'],
        sources: [{ authmethod: 'anonymous', usernames: 'all', cidr: `${allowed}/32` }],
      }),
    )

    it('lets in who comes from an allowed one, whichever worker has the connection', async () => {
      for (let at = 0; at < 4; at++) {
        const [code] = await hello(gateway.routerUrl, closed, { localAddress: allowed })
        expect(code).to.equal(welcome)
      }
    })

    it('does not let in who comes from another one', async () => {
      for (const client of [{}, { localAddress: other }]) {
        expect((await hello(gateway.routerUrl, closed, client))[0]).to.equal(abort)
      }
    })

    for (const [name, value] of [
      ['X-Forwarded-For', allowed],
      ['x-forwarded-for', `${allowed}, ${allowed}`],
      ['X-Real-IP', allowed],
      ['Forwarded', `for=${allowed}`],
    ] as const) {
      it(`does not believe a client that says ${name}: ${value}`, async () => {
        for (const localAddress of ['127.0.0.1', other]) {
          const client = { localAddress, headers: { [name]: value } }
          expect((await hello(gateway.routerUrl, closed, client))[0]).to.equal(abort)
        }
      })
    }

    it("lets strangers of this machine in on the component's realm, never as the gateway", async () => {
      const details = { authmethods: ['anonymous'], authid: 'gateway' }
      const [code, , found] = await hello(gateway.routerUrl, 'service.gateway', { details })
      expect(code).to.equal(welcome)
      expect(found).to.deep.include({ authid: 'anonymous', authrole: 'anonymous' })
    })

    it('closes that realm to who comes through a proxy', async () => {
      const client = { headers: { 'X-Forwarded-For': '127.0.0.1' } }
      expect((await hello(gateway.routerUrl, 'service.gateway', client))[0]).to.equal(abort)
    })
  })

  it('opens no way to be taken for a worker', async () => {
    const base = gateway.url.replace('http', 'ws')
    const own = new URL(gateway.routerUrl)
    for (const url of [`${base}/gateway`, `ws://${own.host}/gateway`]) {
      const found = await hello(url, realm).then(
        () => 'joined',
        () => 'refused',
      )
      expect(found, url).to.equal('refused')
    }
    // what a client asks for is not where its worker takes it
    const details = { authid: 'gateway' }
    for (const url of [`${base}/ws?/gateway`, `${base}/ws/`]) {
      const [, , found] = await hello(url, 'service.gateway', { details })
      expect(found, url).to.deep.include({ authrole: 'anonymous' })
    }
  })

  it('says GOODBYE on a realm that takes no sessions any more, whichever worker is told', async () => {
    const uri = 'com.example.closing'
    for (let at = 0; at < 2; at++) {
      await gateway.post('/services/load_realm', { uri, authmethods: ['anonymous'] })
      const peer = await RouterPeer.join({ url: gateway.routerUrl, realm: uri })
      await gateway.post('/services/load_realm', {
        uri,
        authmethods: ['anonymous'],
        allow_connections: false,
      })
      const message = await peer.next()
      expect([message[0], message[2]]).to.deep.equal([6, 'wamp.close.close_realm'])
    }
  })

  it('ends the sessions through a worker with it, and no others', async () => {
    const peers = await joinTwo()
    const closed = new Set<RouterPeer>()
    for (const peer of peers) void peer.closed.then(() => closed.add(peer))
    const [[, pid = 0] = []] = gateway.workers()
    process.kill(pid, 'SIGKILL')
    await until('one is closed', () => closed.size === 1)
    const other = peers.find((peer) => !closed.has(peer))
    expect(await other?.drain()).to.deep.equal([])
    expect(closed.size).to.equal(1)
    await allAnswer(gateway, 2)
    other?.cut()
  })
})
