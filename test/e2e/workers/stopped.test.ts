/** How a gateway of several processes leaves: as one, whoever is told, and without leaving anybody behind. */
import { expect } from 'chai'
import { RouterPeer } from '#test/contract/router/peer.ts'
import { leaveUnderLoad } from '#test/e2e/leaving.ts'
import { type GatewayProcess, startGatewayProcess } from '#test/support/gateway-process.ts'
import { send } from '#test/support/http-request.ts'
import { openEmbeddedRouter } from '#test/support/peers/router.ts'
import { until } from '#test/support/running/until.ts'
import {
  isAlive,
  procedure,
  realm,
  startWorkers,
  workersDocument,
} from '#test/support/worker-gateway.ts'

const fine = { code: 0, signal: null }

describe('a gateway of 2 workers that is told to stop', function () {
  this.timeout(60_000)
  const running: GatewayProcess[] = []

  async function start(settings: Readonly<Record<string, string>> = {}): Promise<GatewayProcess> {
    const gateway = await startWorkers(2, settings)
    running.push(gateway)
    return gateway
  }

  /** Sends a signal to all processes of the gateway, as a terminal or a service manager does. */
  function signalAll(gateway: GatewayProcess, signal: NodeJS.Signals): void {
    for (const pid of gateway.workers().values()) process.kill(pid, signal)
    process.kill(gateway.pid, signal)
  }

  /** A call through the gateway whose callee has not answered yet. */
  async function callInFlight(gateway: GatewayProcess) {
    const callee = await RouterPeer.join({ url: gateway.routerUrl, realm })
    await callee.register(procedure)
    const answer = send(gateway.url, '/workers/called')
    const [, request] = await callee.next()
    return { callee, answer, finish: () => callee.send(70, request, {}, ['done']) }
  }

  const isClosed = (gateway: GatewayProcess) =>
    send(gateway.url, '/workers/static').then(
      () => false,
      () => true,
    )

  afterEach(() => Promise.all(running.splice(0).map((gateway) => gateway.kill('SIGKILL'))))

  it('lets the last call end, says GOODBYE to WAMP clients, and ends with all its workers', async () => {
    const gateway = await start({ 'health.listen': '127.0.0.1:0' })
    const workers = [...gateway.workers().values()]
    const { callee, answer, finish } = await callInFlight(gateway)
    void gateway.kill('SIGTERM')
    await until('no connection is accepted', () => isClosed(gateway))
    expect(gateway.isRunning).to.equal(true)
    // a balancer that found no health check there would cut the call
    for (const url of [gateway.healthUrl, gateway.adminUrl])
      expect((await send(url, '/ready')).status).to.equal(503)
    finish()
    expect((await answer).text).to.equal('"done"')
    const goodbye = await callee.next()
    expect([goodbye[0], goodbye[2]]).to.deep.equal([6, 'wamp.close.system_shutdown'])
    expect(await gateway.ended).to.deep.equal(fine)
    expect(workers.filter(isAlive)).to.deep.equal([])
  })

  it('serves on during the delay with Connection: close, not ready', async () => {
    const gateway = await start({ 'gateway.drain_delay': '1500' })
    void gateway.kill('SIGTERM')
    const isReady = async () => (await send(gateway.adminUrl, '/ready')).status === 200
    await until('neither worker is ready', async () => {
      const both = await Promise.all([isReady(), isReady()])
      return both.every((ready) => !ready)
    })
    for (let at = 0; at < 4; at++) {
      const { status, headers } = await send(gateway.url, '/workers/static')
      expect([status, headers.connection]).to.deep.equal([200, 'close'])
    }
    expect(await gateway.ended).to.deep.equal(fine)
  })

  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    it(`leaves once when ${signal} goes to all its processes`, async () => {
      const gateway = await start({ 'log.level': 'info' })
      const { answer, finish } = await callInFlight(gateway)
      const before = gateway.output.length
      signalAll(gateway, signal)
      await until('no connection is accepted', () => isClosed(gateway))
      finish()
      expect((await answer).text).to.equal('"done"')
      expect(await gateway.ended).to.deep.equal(fine)
      const said = gateway.output.slice(before)
      // the primary and each worker
      expect(said.match(/"msg":"stopping"/g)).to.have.length(3)
      expect(said).to.not.include('a worker starts')
    })
  }

  it('turns nobody away during the delay when SIGTERM goes to all its processes', async () => {
    const gateway = await start({ 'gateway.drain_delay': '1000' })
    const told = performance.now()
    signalAll(gateway, 'SIGTERM')
    while (performance.now() < told + 800) {
      expect((await send(gateway.url, '/workers/static')).status).to.equal(200)
    }
    expect(await gateway.ended).to.deep.equal(fine)
  })

  it('ends at once on a second signal, with its workers', async () => {
    const gateway = await start({ 'gateway.drain_delay': '20000' })
    const workers = [...gateway.workers().values()]
    void gateway.kill('SIGTERM')
    const ready = async () => (await send(gateway.adminUrl, '/ready')).status
    await until('it is not ready', async () => (await ready()) === 503)
    void gateway.kill('SIGTERM')
    expect(await gateway.ended).to.deep.equal({ code: 1, signal: null })
    await until('its workers have ended', () => !workers.some(isAlive), 2_000)
  })

  it('leaves no process behind when the first one is killed, and lets the last call of another router end', async () => {
    const router = await openEmbeddedRouter()
    const gateway = await start({ 'wamp.url': router.url })
    const workers = [...gateway.workers().values()]
    const { answer, finish } = await callInFlight(gateway)
    await gateway.kill('SIGKILL')
    expect(workers.some(isAlive)).to.equal(true)
    finish()
    expect((await answer).text).to.equal('"done"')
    await until('its workers have ended', () => !workers.some(isAlive))
    await router.stop()
  })

  it('leaves no process behind when the first one is killed with the router in it', async () => {
    const gateway = await start()
    const workers = [...gateway.workers().values()]
    const { answer } = await callInFlight(gateway)
    await gateway.kill('SIGKILL')
    expect((await answer).status).to.equal(502)
    await until('its workers have ended', () => !workers.some(isAlive))
  })

  it('loses no request of 50 clients when a balancer sees it leave', async () => {
    const leaving = await start({ 'gateway.drain_delay': '2000' })
    const staying = await startGatewayProcess()
    running.push(staying)
    await staying.post('/api_specs', workersDocument)
    const path = '/workers/static'
    const { ending, failures, statuses } = await leaveUnderLoad({ leaving, staying, path })
    expect(ending).to.deep.equal(fine)
    expect(failures).to.deep.equal([])
    expect(statuses).to.deep.equal(new Set([200]))
  })
})
