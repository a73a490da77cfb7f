/** When open streams end: their credentials, their document, and the process. */
import { expect } from 'chai'
import type { CompiledOperation, Route } from '#component/gateway/api.ts'
import type { Exchange } from '#component/gateway/exchange.ts'
import { type Ending, OpenStreams } from '#component/gateway/streams/open-streams.ts'
import { anonymous } from '#component/identity.ts'
import { RoutingTable } from '#component/routes/routing-table.ts'
import { changeBetween } from '#component/routes/table-change.ts'
import { ManualClock } from '#test/unit/action/doubles.ts'
import { documentOf, FakeExchange, fixed, serve } from '#test/unit/gateway/fake-exchange.ts'

const subscribe = {
  action: { type: 'wamp_subscribe', topic: 'com.example.t' },
  response: { on_event: {}, on_error: {} },
}
const secured = { ...subscribe, security: { type: 'basic' } }

/** The routes of a document with these paths. */
const entriesOf = (paths: object) => serve(documentOf(paths as never)).api.entries

type Entries = ReturnType<typeof entriesOf>

const operationOf = (entries: Entries, pattern: string): CompiledOperation =>
  entries.find((entry) => entry.pattern === pattern)?.routes.get as CompiledOperation

const tableOf = (...apis: Entries[]) => RoutingTable.build(apis.flat()).table

const identity = anonymous('com.example')

describe('an open stream', () => {
  let clock: ManualClock
  let ended: [name: string, reason: Ending][]
  let followed: Map<Exchange, () => void>
  let streams: OpenStreams
  let served: RoutingTable<Route>

  /** Serves a table from now on. */
  function follow(table: RoutingTable<Route>): void {
    streams.follow(table, changeBetween(served, table))
    served = table
  }

  beforeEach(() => {
    served = tableOf()
    clock = new ManualClock()
    ended = []
    followed = new Map()
    const reauthentication = {
      follow(request: unknown, _protection: unknown, _identity: unknown, onRefused: () => void) {
        followed.set(request as Exchange, onRefused)
        return () => followed.delete(request as Exchange)
      },
    }
    streams = new OpenStreams({ clock, reauthentication: reauthentication as never })
  })

  /** Opens a stream at a path. */
  function open(name: string, entries: Entries, pattern: string) {
    const exchange = new FakeExchange(`GET ${pattern}`)
    const release: () => void = streams.add(exchange, operationOf(entries, pattern), identity, {
      end(reason) {
        ended.push([name, reason])
        release()
      },
    })
    return release
  }

  it('is told reloaded when another version of its document is served, and streams of others are not', async () => {
    const [before, after] = [
      entriesOf({ '/a': { get: subscribe } }),
      entriesOf({ '/a': { get: subscribe } }),
    ]
    const other = entriesOf({ '/b': { get: subscribe } })
    follow(tableOf(before, other))
    open('a', before, '/v1/a')
    open('b', other, '/v1/b')
    follow(tableOf(after, other))
    await clock.advance(2_000)
    expect(ended).to.deep.equal([['a', 'reloaded']])
  })

  for (const [what, paths] of [
    ['its document is deleted', undefined],
    ['its path is', { '/b': { get: subscribe } }],
    ['its path has another action', { '/a': { get: fixed() } }],
    ['its method is gone', { '/a': { post: subscribe } }],
  ] as const) {
    it(`is told gone when ${what}`, async () => {
      const before = entriesOf({ '/a': { get: subscribe } })
      follow(tableOf(before))
      open('a', before, '/v1/a')
      follow(paths ? tableOf(entriesOf(paths)) : tableOf())
      await clock.advance(2_000)
      expect(ended).to.deep.equal([['a', 'gone']])
    })
  }

  it('ends when its document changed while its answer was prepared', async () => {
    const before = entriesOf({ '/a': { get: subscribe } })
    follow(tableOf(before))
    follow(tableOf(entriesOf({ '/a': { get: subscribe } })))
    open('a', before, '/v1/a')
    await clock.advance(0)
    expect(ended).to.deep.equal([['a', 'reloaded']])
  })

  it('ends with the others of its document within two seconds, a few at a time', async () => {
    const before = entriesOf({ '/a': { get: subscribe } })
    follow(tableOf(before))
    for (let count = 0; count < 1000; count += 1) open(`${count}`, before, '/v1/a')
    follow(tableOf(entriesOf({ '/a': { get: subscribe } })))
    const portions = [ended.length]
    for (let step = 0; step < 40; step += 1) {
      const had = ended.length
      await clock.advance(50)
      portions.push(ended.length - had)
    }
    expect(ended).to.have.length(1000)
    expect(Math.max(...portions)).to.be.at.most(30)
  })

  it('ends when its credentials are refused, and is judged no more when it is over', () => {
    const entries = entriesOf({ '/a': { get: secured } })
    follow(tableOf(entries))
    const release = open('a', entries, '/v1/a')
    for (const onRefused of followed.values()) onRefused()
    expect(ended).to.deep.equal([['a', 'unauthorized']])
    release()
    expect(followed.size).to.equal(0)
  })

  it('is not judged on an open path', () => {
    const entries = entriesOf({ '/a': { get: subscribe } })
    open('a', entries, '/v1/a')
    expect(followed.size).to.equal(0)
  })

  it('is told draining within the time that there is, and no other one is admitted', async () => {
    const entries = entriesOf({ '/a': { get: subscribe } })
    streams.admit()
    for (let count = 0; count < 100; count += 1) open(`${count}`, entries, '/v1/a')
    let isDrained = false
    void streams.drain(1_000).then(() => {
      isDrained = true
    })
    expect(() => streams.admit()).to.throw('this node is stopping')
    await clock.advance(900)
    expect(isDrained).to.equal(false)
    await clock.advance(100)
    expect(isDrained).to.equal(true)
    open('late', entries, '/v1/a')
    await clock.advance(0)
    expect(ended).to.have.length(101)
    expect(ended.every(([, reason]) => reason === 'draining')).to.equal(true)
  })

  it('leaves nothing behind when it is over', async () => {
    const entries = entriesOf({ '/a': { get: secured } })
    follow(tableOf(entries))
    open('a', entries, '/v1/a')()
    follow(tableOf())
    await streams.drain(1_000)
    expect(ended).to.deep.equal([])
    expect(clock.pending).to.equal(0)
  })
})
