/** How a gateway leaves: what SIGTERM, SIGINT and a second signal do to requests, connections and sessions. */
import { Agent } from 'node:http'
import { expect } from 'chai'
import { type WebSocket, WebSocketServer } from 'ws'
import { RouterPeer } from '#test/contract/router/peer.ts'
import { type GatewayProcess, startGatewayProcess } from '#test/support/gateway-process.ts'
import { send } from '#test/support/load.ts'
import { until } from '#test/support/running/until.ts'
import { leaveUnderLoad } from './leaving.ts'

const realm = 'com.example.test'
const procedure = 'com.example.test.slow'

const document = {
  id: 'com.example.draining',
  host: '_',
  realm_uri: realm,
  versions: {
    '1.0.0': {
      base_path: '/draining',
      paths: {
        '/static': {
          get: {
            action: { type: 'static', body: { ok: true } },
            response: { on_result: {}, on_error: {} },
          },
        },
        '/slow': {
          get: {
            action: { type: 'wamp_call', procedure, timeout: 20_000 },
            response: { on_result: { body: 'done' }, on_error: {} },
          },
        },
      },
    },
  },
}

/** A callee on the gateway's router whose one call is answered when the test says so. */
class HeldCall {
  readonly peer: RouterPeer
  readonly arrived: Promise<number>

  constructor(peer: RouterPeer) {
    this.peer = peer
    this.arrived = this.#await(68).then((message) => Number(message[1]))
  }

  static async register(gateway: GatewayProcess): Promise<HeldCall> {
    const peer = await RouterPeer.join({ url: gateway.routerUrl, realm })
    await peer.register(procedure)
    return new HeldCall(peer)
  }

  async answer(): Promise<void> {
    this.peer.send(70, await this.arrived, {})
  }

  /** The router says GOODBYE: its reason. */
  async goodbye(): Promise<unknown> {
    return (await this.#await(6))[2]
  }

  async #await(type: number): Promise<readonly unknown[]> {
    for (;;) {
      const message = await this.peer.next()
      if (message[0] === type) return message
    }
  }
}

/** A router that only welcomes and agrees; knows how each session ended. */
async function startObserver() {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  await new Promise((resolve) => server.once('listening', resolve))
  const joined = new Set<WebSocket>()
  const endings: string[] = []
  let id = 1
  server.on('connection', (socket) => {
    let ending = 'cut'
    socket.on('message', (data) => {
      const [type, request] = JSON.parse(String(data))
      const answer = (...message: unknown[]) => socket.send(JSON.stringify(message))
      id += 1
      if (type === 1) {
        joined.add(socket)
        answer(2, id, { roles: { broker: {}, dealer: {} } })
      } else if (type === 6) {
        ending = 'goodbye'
        answer(6, {}, 'wamp.close.goodbye_and_out')
      } else if (type === 16) answer(17, request, id)
      else if (type === 32) answer(33, request, id)
      else if (type === 64) answer(65, request, id)
    })
    socket.on('close', () => {
      if (joined.delete(socket)) endings.push(ending)
    })
  })
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  return { url: `ws://127.0.0.1:${port}`, joined, endings, stop: () => server.close() }
}

describe('a gateway that is told to stop', function () {
  this.timeout(30_000)
  const running: GatewayProcess[] = []
  const agent = new Agent({ keepAlive: true })

  async function start(settings: Readonly<Record<string, string>> = {}): Promise<GatewayProcess> {
    const gateway = await startGatewayProcess(settings)
    running.push(gateway)
    await gateway.post('/api_specs', document)
    return gateway
  }

  const ask = (gateway: GatewayProcess, path: string) =>
    send({ url: `${gateway.url}/draining/${path}` }, agent, 20_000)
  const isReady = async (gateway: GatewayProcess) =>
    (await send({ url: `${gateway.adminUrl}/ready` }, agent)).status === 200

  afterEach(() => Promise.all(running.splice(0).map((gateway) => gateway.kill('SIGKILL'))))

  after(() => agent.destroy())

  it('serves on during the delay with Connection: close, not ready, and lets the last call end', async () => {
    const gateway = await start({ 'gateway.drain_delay': '1000' })
    const callee = await HeldCall.register(gateway)
    expect((await ask(gateway, 'static')).headers.connection).to.equal('keep-alive')
    expect(await isReady(gateway)).to.equal(true)
    const slow = ask(gateway, 'slow')
    await callee.arrived

    void gateway.kill('SIGTERM')
    const told = performance.now()
    await until('it is not ready', async () => !(await isReady(gateway)), 500)
    while (performance.now() < told + 800) {
      const { status, headers, body } = await ask(gateway, 'static')
      expect([status, headers.connection, body]).to.deep.equal([200, 'close', '{"ok":true}'])
    }
    await until('no connection is accepted', () =>
      ask(gateway, 'static').then(
        () => false,
        () => true,
      ),
    )
    expect(performance.now() - told).to.be.above(990)
    expect(gateway.isRunning).to.equal(true)

    await callee.answer()
    const { status, body, headers } = await slow
    expect([status, body, headers.connection]).to.deep.equal([200, '"done"', 'close'])
    expect(await callee.goodbye()).to.equal('wamp.close.system_shutdown')
    expect(await gateway.ended).to.deep.equal({ code: 0, signal: null })
  })

  it('does not wait on SIGINT', async () => {
    const gateway = await start({ 'gateway.drain_delay': '20000' })
    const began = performance.now()
    void gateway.kill('SIGINT')
    expect(await gateway.ended).to.deep.equal({ code: 0, signal: null })
    expect(performance.now() - began).to.be.below(5000)
  })

  it('closes idle connections and ends although clients keep theirs open', async () => {
    const gateway = await start({ 'limits.keep_alive_timeout': '60000' })
    await ask(gateway, 'static')
    void gateway.kill('SIGTERM')
    expect(await gateway.ended).to.deep.equal({ code: 0, signal: null })
  })

  for (const [first, second] of [
    ['SIGTERM', 'SIGTERM'],
    ['SIGINT', 'SIGTERM'],
    ['SIGTERM', 'SIGINT'],
  ] as const) {
    it(`ends at once on ${second} after ${first}`, async () => {
      const gateway = await start({ 'gateway.drain_delay': '20000' })
      const callee = await HeldCall.register(gateway)
      const slow = ask(gateway, 'slow').catch((error: Error) => error)
      await callee.arrived
      void gateway.kill(first)
      await until('it is not ready', () =>
        isReady(gateway).then(
          (ready) => !ready,
          () => true, // the listener is closed already
        ),
      )
      const began = performance.now()
      void gateway.kill(second)
      expect(await gateway.ended).to.deep.equal({ code: 1, signal: null })
      expect(performance.now() - began).to.be.below(1000)
      expect(await slow).to.be.instanceOf(Error)
    })
  }

  it('gives up with 504 what is in flight after the timeout, and the callee sees INTERRUPT', async () => {
    const gateway = await start({ 'gateway.drain_timeout': '500' })
    const callee = await HeldCall.register(gateway)
    const slow = ask(gateway, 'slow')
    await callee.arrived
    const began = performance.now()
    void gateway.kill('SIGTERM')
    const { status, headers, body } = await slow
    expect([status, headers.connection]).to.deep.equal([504, 'close'])
    expect(JSON.parse(body).code).to.equal('service.error.timeout')
    expect(performance.now() - began).to.be.above(490)
    expect((await callee.peer.next())[0]).to.equal(69)
    expect(await gateway.ended).to.deep.equal({ code: 0, signal: null })
  })

  it('says GOODBYE on each of its sessions with another router', async () => {
    const observer = await startObserver()
    const gateway = await start({ 'wamp.url': observer.url, 'wamp.serializer': 'json' })
    await until('both sessions are joined', () => observer.joined.size === 2)
    void gateway.kill('SIGTERM')
    expect(await gateway.ended).to.deep.equal({ code: 0, signal: null })
    await until('both have ended', () => observer.joined.size === 0)
    // a probe for the realm may have come and gone before
    expect(new Set(observer.endings)).to.deep.equal(new Set(['goodbye']))
    expect(observer.endings.length).to.be.at.least(2)
    observer.stop()
  })

  it('loses no request of 50 clients when a balancer sees it leave', async () => {
    const leaving = await start({ 'gateway.drain_delay': '1500' })
    const staying = await start()
    const path = '/draining/static'
    const { ending, failures, statuses } = await leaveUnderLoad({ leaving, staying, path })
    expect(ending).to.deep.equal({ code: 0, signal: null })
    expect(failures).to.deep.equal([])
    expect(statuses).to.deep.equal(new Set([200]))
  })
})
