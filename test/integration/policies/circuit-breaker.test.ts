/** A circuit breaker of a running gateway: what an upstream that fails still receives, and how it is tried again. */
import { once } from 'node:events'
import { createServer, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { send } from '#test/support/http-request.ts'
import { joinUser, type WampUser } from '#test/support/peers/wamp-user.ts'
import { movedClock } from '#test/support/running/moved-clock.ts'

const response = { on_result: {}, on_error: {} }
const rule = { minimum: 5, window: 60, open: 30 }
const procedure = 'com.example.circuit.slow'

describe('the circuit breaker of a running gateway', () => {
  let gateway: TestGateway
  let upstream: Server
  let callee: WampUser
  let port = 0
  const clock = movedClock()
  let received = 0
  let status = 200
  /** Holds the answers of the upstream. */
  let held: Promise<void> | undefined
  let isSlow = true
  let calls = 0

  before(async () => {
    upstream = createServer(async (incoming, answer) => {
      received += 1
      answer.statusCode = status
      incoming.resume()
      await held
      answer.end('from the upstream')
    })
    upstream.listen(0, '127.0.0.1')
    await once(upstream, 'listening')
    port = (upstream.address() as AddressInfo).port
    gateway = await startGateway({}, { clock, isEmbedded: true })
    callee = await joinUser(gateway.routerUrl, 'com.example.test', {})
    await callee.answer(procedure, () => {
      calls += 1
      return isSlow ? new Promise(() => undefined) : 'done'
    })
    const answer = await gateway.load({
      ...{ id: 'circuits', host: '_', realm_uri: 'com.example.test' },
      versions: {
        one: {
          base_path: '/circuits',
          defaults: { circuit_breaker: rule },
          paths: {
            '/forward': {
              get: { action: { type: 'forward', host: `127.0.0.1:${port}`, path: '/' }, response },
            },
            '/call': {
              get: { action: { type: 'wamp_call', procedure }, timeout: 20, response },
            },
            '/patient': { get: { action: { type: 'wamp_call', procedure }, response } },
          },
        },
      },
    })
    expect(answer.status, JSON.stringify(answer.body)).to.equal(201)
  })
  after(async () => {
    await callee?.leave()
    await gateway?.stop()
    upstream?.close()
  })

  const statusesOf = async (path: string, count: number): Promise<number[]> => {
    const all: number[] = []
    for (let asked = 0; asked < count; asked += 1) {
      all.push((await send(gateway.url, path)).status)
    }
    return all
  }
  const stateOf = async (target: string): Promise<string | undefined> => {
    const { text } = await send(gateway.adminUrl, '/metrics')
    const head = `gateway_circuit_state{api="circuits",version="one",target="${target}"} `
    return text
      .split('\n')
      .find((line) => line.startsWith(head))
      ?.slice(head.length)
  }

  it('spares an upstream that fails, tells when to come back, and closes with one successful probe', async () => {
    const target = `http://127.0.0.1:${port}`
    status = 503
    expect(await statusesOf('/circuits/forward', 8)).to.deep.equal(Array(8).fill(503))
    expect(received).to.equal(5)
    const refused = await send(gateway.url, '/circuits/forward')
    expect(refused.json()).to.include({ error_uri: 'service.error.circuit_open' })
    expect(Number(refused.headers['retry-after'])).to.be.within(1, 30)
    expect(await stateOf(target)).to.equal('2')
    status = 200
    clock.aheadMs += 30_000
    expect(await stateOf(target)).to.equal('1')
    expect(await statusesOf('/circuits/forward', 3)).to.deep.equal([200, 200, 200])
    expect(received).to.equal(8)
    expect(await stateOf(target)).to.equal('0')
  })

  it('lets another probe pass when the client of the first goes away', async () => {
    status = 503
    await statusesOf('/circuits/forward', 10)
    clock.aheadMs += 30_000
    status = 200
    const { promise, resolve } = Promise.withResolvers<void>()
    held = promise
    const before = received
    const leaving = request(`${gateway.url}/circuits/forward`, { agent: false })
    leaving.on('error', () => undefined).end()
    while (received === before) await new Promise((resume) => setImmediate(resume))
    expect(await statusesOf('/circuits/forward', 1)).to.deep.equal([503])
    leaving.destroy()
    held = undefined
    let next = 503
    while (next === 503) [next = 0] = await statusesOf('/circuits/forward', 1)
    expect(next).to.equal(200)
    resolve()
  })

  it('spares a procedure that is not answered in time', async () => {
    expect(await statusesOf('/circuits/call', 8)).to.deep.equal([
      ...[504, 504, 504, 504, 504, 503, 503, 503],
    ])
    expect(calls).to.equal(5)
    expect(await statusesOf('/circuits/patient', 1)).to.deep.equal([503])
    expect(await stateOf(procedure)).to.equal('2')
    isSlow = false
    clock.aheadMs += 30_000
    expect(await statusesOf('/circuits/patient', 1)).to.deep.equal([200])
  })
})
