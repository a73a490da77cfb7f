/** The pools of connections, and the table of actions that own them. */

import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import type { Dispatcher, Pool } from 'undici'
import { hostPolicy } from '#component/action/connections/origin.ts'
import { Upstreams } from '#component/action/connections/upstreams.ts'
import { openRoots } from '#component/action/files/roots.ts'
import type { BodyCodec } from '#component/action/forward/body.ts'
import { openActions } from '#component/action/index.ts'
import { actionKinds } from '#component/action/kinds.ts'
import { Semaphore } from '#component/limits/semaphore.ts'
import { Streams } from '#component/stream/hub.ts'
import { readOrigin } from '#component/syntax/upstream-origin.ts'
import { ManualClock, SessionDouble } from '#test/unit/action/doubles.ts'

const originOf = (host: string) => {
  const origin = readOrigin(host)
  if ('problem' in origin) throw new TypeError(origin.problem)
  return origin
}

/** What a pool of undici says of itself. */
const isClosed = (pool: Dispatcher): boolean => (pool as Pool).closed

describe('Upstreams', () => {
  it('keep one pool per origin, origin of the host, and connect_timeout', async () => {
    const upstreams = new Upstreams(new ManualClock(), hostPolicy([]))
    const origin = originOf('a.example')
    const pool = upstreams.pool(origin, false, 1000)
    expect(upstreams.pool(originOf('http://A.example:80'), false, 1000)).to.equal(pool)
    const others = [upstreams.pool(origin, true, 1000), upstreams.pool(origin, false, 1001)]
    const pools = new Set([pool, ...others])
    expect(pools.size).to.equal(3)
    await upstreams.close()
    expect([...pools].map((one) => (one as Pool).destroyed)).to.deep.equal([true, true, true])
  })

  it('close the pool that was used longest ago beyond 512 of them', async () => {
    const upstreams = new Upstreams(new ManualClock(), hostPolicy([]))
    const [first, second] = ['a', 'b'].map((name) => originOf(`${name}.example`))
    if (!first || !second) throw new TypeError('no origins')
    const kept = upstreams.pool(first, true, 1000)
    const lost = upstreams.pool(second, true, 1000)
    const pools = [kept, lost]
    for (let count = 0; count < 600; count += 1) {
      pools.push(upstreams.pool(originOf(`n${count}.example`), true, 1000))
      upstreams.pool(first, true, 1000)
    }
    expect(pools.filter((pool) => !isClosed(pool))).to.have.length(512)
    expect([kept, lost].map(isClosed)).to.deep.equal([false, true])
    expect(upstreams.pool(first, true, 1000)).to.equal(kept)
    expect(upstreams.pool(second, true, 1000)).to.not.equal(lost)
    await upstreams.close()
  })

  it('keep those of 600 targets, which are not counted among the 512 of hosts', async () => {
    const upstreams = new Upstreams(new ManualClock(), hostPolicy([]))
    const termsOf = () => ({
      ...{ connections: 8, address: undefined, socketPath: undefined, proxy: undefined },
      ...{ serverName: undefined, secureContext: undefined },
    })
    const host = upstreams.pool(originOf('host.example'), false, 1000)
    const all = Array.from({ length: 600 }, (_, index) => ({
      origin: originOf(`t${index}.example`),
      terms: termsOf(),
    }))
    const poolsOf = () => all.map(({ origin, terms }) => upstreams.pool(origin, false, 1000, terms))
    const pools = poolsOf()
    expect(poolsOf()).to.deep.equal(pools)
    expect([host, ...pools].filter(isClosed)).to.deep.equal([])
    const hosts = Array.from({ length: 512 }, (_, index) =>
      upstreams.pool(originOf(`h${index}.example`), false, 1000),
    )
    expect([isClosed(host), hosts.filter(isClosed).length]).to.deep.equal([true, 0])
    expect(pools.filter(isClosed)).to.deep.equal([])
    await upstreams.close()
  })

  it('close a pool that has not been used for a minute, and keep those that are', async () => {
    const clock = new ManualClock()
    const upstreams = new Upstreams(clock, hostPolicy([]))
    const [used, idle] = ['used', 'idle'].map((name) => originOf(`${name}.example`))
    if (!used || !idle) throw new TypeError('no origins')
    const kept = upstreams.pool(used, false, 1000)
    const lost = upstreams.pool(idle, false, 1000)
    for (let seconds = 0; seconds < 120; seconds += 30) {
      await clock.advance(30_000)
      expect(upstreams.pool(used, false, 1000)).to.equal(kept)
    }
    expect([kept, lost].map(isClosed)).to.deep.equal([false, true])
    expect(upstreams.pool(idle, false, 1000)).to.not.equal(lost)
    await clock.advance(180_000)
    expect(isClosed(kept)).to.equal(true)
    expect(clock.pending).to.equal(0)
    await upstreams.close()
  })

  it('let what runs on a pool end when it is closed', async () => {
    const answer = Promise.withResolvers<void>()
    const server = createServer((_request, response) => {
      void answer.promise.then(() => response.end('late'))
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const clock = new ManualClock()
    const upstreams = new Upstreams(clock, hostPolicy([]))
    const { port } = server.address() as AddressInfo
    const pool = upstreams.pool(originOf(`127.0.0.1:${port}`), false, 1000)
    const arrived = once(server, 'request')
    const running = pool.request({ origin: `http://127.0.0.1:${port}`, path: '/', method: 'GET' })
    await arrived
    await clock.advance(121_000)
    expect(isClosed(pool)).to.equal(true)
    answer.resolve()
    expect(await (await running).body.text()).to.equal('late')
    await upstreams.close()
    server.close()
  })
})

describe('the table of actions', () => {
  it('has a row for each type, and one end', async () => {
    const codec: BodyCodec = { encode: () => '', decode: () => undefined }
    const actions = openActions({
      clock: new ManualClock(),
      codec,
      hosts: hostPolicy([]),
      viaName: 'gateway',
      sessions: { session: () => new SessionDouble() },
      allowedDynamicUris: [],
      handIn: async () => ({ webhook_id: '', is_repeat: false }),
      manageEndpoint: async () => ({}),
      streams: new Streams({ clock: new ManualClock(), hold: () => () => undefined }),
      roots: openRoots({}),
      openFiles: new Semaphore({ atOnce: 1, waiting: 1, refusal: '' }),
    })
    expect(Object.keys(actions.table).sort()).to.deep.equal(
      actionKinds.map(({ type }) => type).sort(),
    )
    await actions.close()
  })
})
