/** How a gateway leaves as one, whichever of its processes is told, and without leaving anybody behind. */
import { Agent } from 'node:http'
import { expect } from 'chai'
import { type WebSocket, WebSocketServer } from 'ws'
import { type GatewayProcess, startGatewayProcess } from '#test/support/gateway-process.ts'
import { send } from '#test/support/http-request.ts'
import { send as sendBy } from '#test/support/load.ts'
import { openEmbeddedRouter } from '#test/support/peers/router.ts'
import { until } from '#test/support/running/until.ts'
import { isAlive, workersDocument } from '#test/support/worker-gateway.ts'
import { leaveUnderLoad } from './leaving.ts'
import {
  callInFlight,
  closes,
  inOrder,
  never,
  StopFixture,
  untilClosed,
  untilNotReady,
} from './stop.setup.ts'

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

describe('a gateway of 2 workers that is told to stop by any of its processes', () => {
  const fixture = new StopFixture()

  /** Sends a signal to all processes of the gateway, as a terminal or a service manager does. */
  function signalAll(gateway: GatewayProcess, signal: NodeJS.Signals): void {
    for (const pid of gateway.workers().values()) process.kill(pid, signal)
    process.kill(gateway.pid, signal)
  }

  it('does not wait for the delay on SIGINT', async () => {
    const gateway = await fixture.start({ 'gateway.drain_delay': never })
    void gateway.kill('SIGINT')
    expect(await gateway.ended).to.deep.equal(inOrder)
  })

  it('closes idle connections and ends although clients keep theirs open', async () => {
    const gateway = await fixture.start({ 'limits.keep_alive_timeout': '60000' })
    const agent = new Agent({ keepAlive: true })
    await sendBy({ url: `${gateway.url}/workers/static` }, agent)
    void gateway.kill('SIGTERM')
    expect(await gateway.ended).to.deep.equal(inOrder)
    agent.destroy()
  })

  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    it(`leaves once when ${signal} goes to all its processes`, async () => {
      const gateway = await fixture.start({ 'log.level': 'info' })
      const { answer, finish } = await callInFlight(gateway)
      const before = gateway.output.length
      signalAll(gateway, signal)
      await untilClosed(gateway)
      finish()
      expect((await answer).text).to.equal('"done"')
      expect(await gateway.ended).to.deep.equal(inOrder)
      const said = gateway.output.slice(before)
      // the primary and each worker
      expect(said.match(/"msg":"stopping"/g)).to.have.length(3)
      expect(said).to.not.include('a worker starts')
    })
  }

  it('turns nobody away during the delay when SIGTERM goes to all its processes', async () => {
    const gateway = await fixture.start({ 'gateway.drain_delay': never })
    signalAll(gateway, 'SIGTERM')
    await untilNotReady(gateway)
    for (let at = 0; at < 20; at++) {
      expect((await send(gateway.url, '/workers/static')).status).to.equal(200)
    }
    await gateway.kill('SIGTERM')
  })

  for (const [first, second] of [
    ['SIGTERM', 'SIGTERM'],
    ['SIGINT', 'SIGTERM'],
    ['SIGTERM', 'SIGINT'],
  ] as const) {
    it(`ends at once on ${second} after ${first}, with its workers`, async () => {
      const settings = { 'gateway.drain_delay': never, 'gateway.drain_timeout': never }
      const gateway = await fixture.start(settings)
      const workers = [...gateway.workers().values()]
      const { answer } = await callInFlight(gateway)
      const slow = answer.catch((error: Error) => error)
      void gateway.kill(first)
      await untilNotReady(gateway)
      void gateway.kill(second)
      expect(await gateway.ended).to.deep.equal({ code: 1, signal: null })
      await until('its workers have ended', () => !workers.some(isAlive))
      expect(await slow).to.be.instanceOf(Error)
    })
  }

  it('gives up with 504 what is in flight after the timeout, and the callee sees INTERRUPT', async () => {
    const gateway = await fixture.start({ 'gateway.drain_timeout': '500' })
    const { callee, answer } = await callInFlight(gateway)
    void gateway.kill('SIGTERM')
    const given = await answer
    expect([given.status, closes(given)]).to.deep.equal([504, true])
    expect(given.json()).to.include({ code: 'service.error.timeout' })
    expect((await callee.next())[0]).to.equal(69)
    expect(await gateway.ended).to.deep.equal(inOrder)
  })

  it('says GOODBYE on each of its sessions with another router', async () => {
    const observer = await startObserver()
    const gateway = await fixture.start({ 'wamp.url': observer.url, 'wamp.serializer': 'json' })
    await until('two sessions of each worker are joined', () => observer.joined.size === 4)
    void gateway.kill('SIGTERM')
    expect(await gateway.ended).to.deep.equal(inOrder)
    await until('all have ended', () => observer.joined.size === 0)
    // a probe for the realm may have come and gone before
    expect(new Set(observer.endings)).to.deep.equal(new Set(['goodbye']))
    expect(observer.endings.length).to.be.at.least(4)
    observer.stop()
  })

  it('leaves no process behind when the first one is killed, and lets the last call of another router end', async () => {
    const router = await openEmbeddedRouter()
    const gateway = await fixture.start({ 'wamp.url': router.url })
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
    const gateway = await fixture.start()
    const workers = [...gateway.workers().values()]
    const { answer } = await callInFlight(gateway)
    await gateway.kill('SIGKILL')
    expect((await answer).status).to.equal(502)
    await until('its workers have ended', () => !workers.some(isAlive))
  })

  it('loses no request of 50 clients when a balancer sees it leave', async () => {
    const leaving = await fixture.start({ 'gateway.drain_delay': '2000' })
    const staying = fixture.add(await startGatewayProcess())
    await staying.post('/api_specs', workersDocument)
    const path = '/workers/static'
    const { ending, failures, statuses } = await leaveUnderLoad({ leaving, staying, path })
    expect(ending).to.deep.equal(inOrder)
    expect(failures).to.deep.equal([])
    expect(statuses).to.deep.equal(new Set([200]))
  })
})
