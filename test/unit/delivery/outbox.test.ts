/** The outbox: what was accepted is sent, by one process at a time, in order, again until it is taken; and holes are told. */
import { expect } from 'chai'
import type { Store } from '#component/store/database.ts'
import type { DeliveryRow } from '#component/store/tables.ts'
import { Bench, type BenchProcess, limited, ref } from './outbox-bench.ts'

const second = 1_000
const day = 86_400 * second
/** Longer than all attempts of an event take. */
const long = 400 * second

describe('the outbox', () => {
  let bench: Bench
  let store: Store
  let a: BenchProcess
  beforeEach(async () => {
    bench = new Bench()
    store = await bench.openStore()
  })
  afterEach(() => bench.close())

  const startOne = async (changes = {}) => {
    a = await bench.start('a', store, {}, changes)
  }
  const events = async (process = a) => {
    const page = await process.outbox.events(ref, { limit: 1_000 })
    return page.events
  }
  const statesOf = async () => (await events()).map(({ state, reason }) => reason ?? state)
  const status = async (process = a) => (await process.outbox.list())[0]
  const gapsOf = async (process = a) =>
    (await process.outbox.gaps(ref)).map(({ reason, count }) => `${reason} ${count}`)
  const numbers = (count: number) => Array.from({ length: count }, (_, id) => ({ id }))

  /** The store, with some methods of the test's own. */
  function storeWith(
    methods: Partial<Store['deliveries']>,
  ): Pick<Store, 'deliveries' | 'deliveryOwners'> {
    const deliveries = new Proxy(store.deliveries, {
      get(target, name) {
        const found = Reflect.get(name in methods ? methods : target, name)
        return typeof found === 'function' ? found.bind(target) : found
      },
    })
    return { deliveries, deliveryOwners: store.deliveryOwners }
  }

  it('sends each event once, under one id', async () => {
    await startOne()
    bench.publish(...numbers(50))
    await bench.clock.advance(second)
    expect([...bench.ids].sort((x, y) => Number(x) - Number(y))).to.deep.equal(
      numbers(50).map(({ id }) => id),
    )
    expect(new Set(bench.attempts.map(({ webhook_id }) => webhook_id)).size).to.equal(50)
    expect(new Set(await statesOf())).to.deep.equal(new Set(['done']))
    expect(await status()).to.include({ state: 'active', pending: 0, dead: 0, owner: 'a' })
  })

  it('tells of the endpoints of users that are asked for, as far as they are there', async () => {
    await startOne()
    const ids = ['ep_1', 'ep_2', 'ep_3']
    for (const id of ids) bench.endpoints.add(id)
    a.outbox.use(ids.map((endpoint) => bench.delivery(a, { endpoint })))
    await bench.clock.advance(second)
    bench.endpoints.delete('ep_3')
    const told = await a.outbox.endpoints(ref, ['ep_2', 'ep_3', 'ep_4'])
    expect(told.map(({ endpoint, name }) => [endpoint, name])).to.deep.equal([['ep_2', ref.name]])
  })

  it('asks the store nothing of a delivery that has no rows, however many there are', async () => {
    await startOne()
    const ids = Array.from({ length: 20 }, (_, index) => `ep_${index}`)
    for (const id of ids) bench.endpoints.add(id)
    a.outbox.use(ids.map((endpoint) => bench.delivery(a, { endpoint })))
    await bench.clock.advance(second)
    const asked: string[] = []
    for (const name of ['due', 'expire', 'oldest', 'releaseAll', 'sweep'] as const) {
      const own = store.deliveries[name].bind(store.deliveries) as (...args: unknown[]) => unknown
      Object.assign(store.deliveries, {
        [name]: (...args: unknown[]) => {
          asked.push(name)
          return own(...args)
        },
      })
    }
    await bench.clock.advance(130 * second)
    expect(asked).to.deep.equal([])
    bench.answer = () => ({ status: 500 })
    bench.publish({ id: 1 })
    await bench.clock.advance(70 * second)
    expect(new Set(asked)).to.deep.equal(new Set(['due', 'expire', 'oldest', 'releaseAll']))
    await bench.clock.advance(long)
    expect(asked).to.include('sweep')
  })

  it('makes at most so many attempts at once', async () => {
    await startOne(limited({ concurrency: 3 }))
    const { promise, resolve } = Promise.withResolvers<{ status: number }>()
    bench.answer = () => promise
    bench.publish(...numbers(10))
    await bench.clock.advance(second)
    expect(bench.attempts).to.have.length(3)
    resolve({ status: 200 })
    await bench.clock.advance(second)
    expect(bench.attempts).to.have.length(10)
  })

  it('has a signal for each attempt, so that nothing of an attempt is kept where the next one waits', async () => {
    await startOne()
    const pending: (() => void)[] = []
    bench.answer = ({ id }) =>
      id === 2
        ? new Promise((resolve) => pending.push(() => resolve({ status: 200 })))
        : { status: 200 }
    bench.publish(...numbers(3))
    await bench.clock.advance(second)
    expect(bench.signals.size).to.equal(3)
    a.outbox.use([bench.delivery(a, { isActive: false })])
    await bench.clock.advance(second)
    expect([...bench.signals].map(({ aborted }) => aborted)).to.deep.equal([false, false, true])
  })

  it('begins at most so many attempts a second', async () => {
    await startOne(limited({ rate: 2, concurrency: 8 }))
    bench.publish(...numbers(9))
    await bench.clock.advance(2 * second)
    expect(bench.attempts.length).to.be.within(3, 5)
    await bench.clock.advance(3 * second)
    expect(bench.attempts).to.have.length(9)
  })

  it('tries again by the schedule, and makes a dead letter after the last attempt', async () => {
    await startOne()
    bench.answer = () => ({ status: 500 })
    bench.publish({ id: 1 })
    const begun = bench.clock.now()
    await bench.clock.advance(long)
    const times = bench.attempts.map(({ now }) => Math.round((now - begun) / second))
    expect(times).to.deep.equal([0, 5, 305])
    expect(bench.attempts.map(({ attempt }) => attempt)).to.deep.equal([1, 2, 3])
    expect(await statesOf()).to.deep.equal(['exhausted'])
    expect((await events())[0]).to.include({ attempts: 3, status: 500 })
  })

  it('replays dead letters with all their attempts, under the same id, and drops them', async () => {
    await startOne()
    bench.answer = () => ({ status: 500 })
    bench.publish({ id: 1 }, { id: 2 })
    await bench.clock.advance(long)
    bench.answer = () => ({ status: 200 })
    const [first, other] = await events()
    const ids = { webhook_ids: [first?.webhook_id ?? ''] }
    expect(await a.outbox.replay(ref, ids)).to.equal(1)
    await bench.clock.advance(2 * second)
    expect(bench.attempts.at(-1)).to.include({ webhook_id: first?.webhook_id, attempt: 1 })
    expect(await a.outbox.drop(ref, { state: 'dead' })).to.equal(1)
    expect((await events()).some(({ webhook_id }) => webhook_id === other?.webhook_id)).to.equal(
      false,
    )
  })

  it('keeps the order of a key across a failure, while other keys go on', async () => {
    await startOne()
    bench.answer = ({ id, attempt }) => ({ status: id === 'x0' && attempt < 3 ? 500 : 200 })
    const of = (key: string, number: number) => ({ key, id: `${key}${number}` })
    bench.publish(of('x', 0), of('x', 1), of('y', 0), of('x', 2), of('y', 1))
    await bench.clock.advance(long)
    const ofKey = (key: string) => bench.ids.filter((id) => String(id).startsWith(key))
    expect(ofKey('x')).to.deep.equal(['x0', 'x0', 'x0', 'x1', 'x2'])
    expect(ofKey('y')).to.deep.equal(['y0', 'y1'])
    expect(bench.ids.indexOf('y1')).to.be.lessThan(bench.ids.indexOf('x1'))
  })

  it('lets the next of a key go after a dead letter', async () => {
    await startOne(limited({ delays: [1] }))
    bench.answer = ({ id }) => ({ status: id === 0 ? 400 : 200 })
    bench.publish({ key: 'k', id: 0 }, { key: 'k', id: 1 })
    await bench.clock.advance(10 * second)
    expect(bench.ids).to.deep.equal([0, 0, 1])
    expect(await statesOf()).to.deep.equal(['exhausted', 'done'])
  })

  it('takes Retry-After as a floor, and sends nothing of the delivery until then', async () => {
    await startOne()
    bench.answer = ({ attempt }) =>
      attempt === 1 ? { status: 429, retryAfterMs: 120 * second } : { status: 200 }
    bench.publish({ id: 1 })
    await bench.clock.advance(second)
    bench.publish({ id: 2 })
    await bench.clock.advance(100 * second)
    expect(bench.ids).to.deep.equal([1])
    bench.answer = () => ({ status: 200 })
    await bench.clock.advance(30 * second)
    expect([...bench.ids].sort()).to.deep.equal([1, 1, 2])
  })

  it('lets one event probe after five failures, and all go after a success', async () => {
    await startOne(limited({ delays: Array.from({ length: 20 }, () => 60), concurrency: 5 }))
    bench.answer = () => ({ error: 'no answer' })
    bench.publish(...numbers(5))
    await bench.clock.advance(second)
    expect(await status()).to.include({ state: 'failing', pending: 5 })
    bench.publish(...numbers(40).map(({ id }) => ({ id: id + 100 })))
    const before = bench.attempts.length
    await bench.clock.advance(10 * 60 * second)
    const probes = bench.attempts.slice(before)
    expect(probes).to.have.length(10)
    expect(new Set(probes.map(({ webhook_id }) => webhook_id)).size).to.equal(1)
    bench.answer = () => ({ status: 204 })
    await bench.clock.advance(2 * 60 * second)
    expect(await status()).to.include({ state: 'active', pending: 0 })
    const attempts = (await events()).map((one) => one.attempts)
    expect(attempts.slice(5)).to.deep.equal(Array.from({ length: 40 }, () => 1))
  })

  it('stops where the endpoint is gone, tells what it does not accept, and goes on when it is resumed', async () => {
    await startOne()
    bench.answer = () => ({ status: 410 })
    bench.publish({ id: 1 })
    await bench.clock.advance(second)
    expect(await status()).to.include({ state: 'stopped', reason: 'gone', pending: 1 })
    expect(bench.lines).to.include('a delivery is stopped')
    bench.publish({ id: 2 })
    await bench.clock.advance(long)
    expect(bench.ids).to.deep.equal([1])
    expect(await gapsOf()).to.deep.equal(['stopped 1'])
    bench.answer = () => ({ status: 200 })
    await a.outbox.resume(ref)
    await bench.clock.advance(5 * second)
    expect(bench.ids).to.deep.equal([1, 1])
  })

  it('stops after nothing but failures for disable_after', async () => {
    await startOne(limited({ delays: Array.from({ length: 20 }, () => 120), disableAfter: 600 }))
    bench.answer = () => ({ status: 500 })
    bench.publish({ id: 1 })
    await bench.clock.advance(1_200 * second)
    expect(await status()).to.include({ state: 'stopped', reason: 'failures' })
    expect(bench.attempts).to.have.length(6)
  })

  it('accepts while it is paused, and sends once it is resumed', async () => {
    await startOne()
    await a.outbox.pause(ref)
    await bench.clock.advance(2 * second)
    bench.publish({ id: 1 })
    await bench.clock.advance(10 * second)
    expect(bench.ids).to.deep.equal([])
    expect(await status()).to.include({ state: 'paused', pending: 1 })
    await a.outbox.resume(ref)
    await bench.clock.advance(2 * second)
    expect(bench.ids).to.deep.equal([1])
  })

  it('makes a dead letter of what the document cannot read, and of what is too old', async () => {
    await startOne(limited({ maxAge: 60 }))
    await a.outbox.pause(ref)
    bench.publish({ bad: true }, { id: 1 })
    await bench.clock.advance(5 * 60 * second)
    expect(await statesOf()).to.deep.equal(['not_rendered', 'expired'])
  })

  it('refuses what is beyond max_pending, and tells it', async () => {
    await startOne(limited({ maxPending: 3 }))
    await a.outbox.pause(ref)
    await bench.clock.advance(2 * second)
    bench.publish(...numbers(5))
    await bench.clock.advance(10 * second)
    expect(await status()).to.include({ pending: 3 })
    expect(await gapsOf()).to.deep.equal(['full 2'])
  })

  it('drops the oldest where on_full says so', async () => {
    await startOne(limited({ maxPending: 3, onFull: 'drop_oldest' }))
    await a.outbox.pause(ref)
    await bench.clock.advance(2 * second)
    bench.publish(...numbers(3))
    await bench.clock.advance(second)
    bench.publish({ id: 3 }, { id: 4 })
    await bench.clock.advance(10 * second)
    await a.outbox.resume(ref)
    await bench.clock.advance(2 * second)
    expect([...bench.ids].sort()).to.deep.equal([2, 3, 4])
  })

  it('takes what is handed in by any process, and a repeat once', async () => {
    await startOne()
    const b = await bench.start('b', store)
    const handed = { topic: 'com.example.order', args: [], kwargs: { id: 7 }, id: 'order-7' }
    const first = await b.outbox.accept(ref, handed)
    const again = await a.outbox.accept(ref, handed)
    expect(first.is_repeat).to.equal(false)
    expect(again).to.deep.equal({ webhook_id: first.webhook_id, is_repeat: true })
    await bench.clock.advance(2 * second)
    expect(bench.attempts.map(({ id, by }) => `${id} by ${by}`)).to.deep.equal(['7 by a'])
  })

  it('loses nothing when its owner is killed: the standby takes the lapsed lease, with what it has heard', async () => {
    await startOne()
    const b = await bench.start('b', store)
    await bench.clock.advance(10 * second)
    bench.publish({ id: 1 })
    await bench.clock.advance(second)
    a.freeze()
    bench.publish({ id: 2 }, { id: 3 })
    await bench.clock.advance(30 * second)
    expect([...bench.ids].sort()).to.deep.equal([1, 2, 3])
    expect(bench.attempts.filter(({ id }) => id !== 1).map(({ by }) => by)).to.deep.equal([
      'b',
      'b',
    ])
    expect(await gapsOf(b)).to.deep.equal([])
  })

  it('is taken over by the standby, not by a process that has begun since, which has heard nothing', async () => {
    await startOne()
    const b = await bench.start('b', store)
    await bench.clock.advance(5 * second)
    a.freeze()
    bench.publish(...numbers(3))
    // one of them asks before the standby does
    for (const name of ['c', 'd', 'e']) {
      await bench.start(name, store)
      await bench.clock.advance(second)
    }
    await bench.clock.advance(20 * second)
    expect((await status(b))?.owner).to.equal('b')
    expect(bench.ids).to.have.members([0, 1, 2])
    expect(await gapsOf(b)).to.deep.equal([])
  })

  it('sends nothing from an owner that was frozen while another one has taken over', async () => {
    await startOne(limited({ concurrency: 1 }))
    await bench.start('b', store, {}, limited({ concurrency: 1 }))
    await bench.clock.advance(10 * second)
    const { promise, resolve } = Promise.withResolvers<{ status: number }>()
    bench.answer = ({ by }) => (by === 'a' ? promise : { status: 200 })
    bench.publish(...numbers(4))
    await bench.clock.advance(second)
    expect(bench.attempts.map(({ by }) => by)).to.deep.equal(['a'])
    a.freeze()
    await bench.clock.advance(60 * second)
    expect(new Set(bench.ids).size).to.equal(4)
    const before = bench.attempts.length
    a.thaw()
    resolve({ status: 500 })
    await bench.clock.advance(60 * second)
    expect(bench.attempts.slice(before).filter(({ by }) => by === 'a')).to.deep.equal([])
    expect(new Set(await statesOf())).to.deep.equal(new Set(['done']))
  })

  it('stays the owner, and covers what it has accepted, while the store writes for longer than its lease', async () => {
    let isSlow = false
    const accept = async (rows: readonly DeliveryRow[]) => {
      if (isSlow) await new Promise<void>((resolve) => bench.clock.after(20 * second, resolve))
      return await store.deliveries.accept(rows)
    }
    const { deliveryOwners } = store
    a = await bench.start('a', store, { store: storeWith({ accept }) })
    const b = await bench.start('b', store)
    await bench.clock.advance(5 * second)
    bench.publish({ id: 1 })
    await bench.clock.advance(5 * second)
    isSlow = true
    const begun = bench.clock.now()
    bench.publish({ id: 2 })
    await bench.clock.advance(15 * second)
    expect((await status(b))?.owner).to.equal('a')
    const covered = async () => (await deliveryOwners.states())[0]?.covered_until
    expect(await covered()).to.equal(begun - 1)
    await bench.clock.advance(10 * second)
    expect(await covered()).to.be.above(begun + 20 * second)
    expect(bench.ids).to.deep.equal([1, 2])
    a.freeze()
    await bench.clock.advance(20 * second)
    expect((await status(b))?.owner).to.equal('b')
    expect(await gapsOf(b)).to.deep.equal([])
  })

  it('counts what waits again where events come, and are sent, while the store counts', async () => {
    let meanwhile: (() => void) | undefined
    const counts = async () => {
      const found = await store.deliveries.counts()
      if (meanwhile) {
        meanwhile()
        meanwhile = undefined
        await new Promise<void>((resolve) => bench.clock.after(second, resolve))
      }
      return found
    }
    const pending = () => a.outbox.known().map((known) => known.pending)
    bench.answer = () => new Promise(() => undefined)
    a = await bench.start('a', store, { store: storeWith({ counts }) })
    await bench.clock.advance(2 * second)
    const other = { ...bench.delivery(a), name: 'other', topic: 'com.example.other' }
    meanwhile = () => bench.publish(...numbers(3))
    a.outbox.use([bench.delivery(a), other])
    await bench.clock.advance(20 * second)
    expect(meanwhile).to.equal(undefined)
    expect(pending()).to.have.members([3, 0])
  })

  for (const [what, method] of [
    ['accepted', 'accept'],
    ['sent', 'end'],
  ] as const) {
    it(`counts what waits again where an event was ${what}, and the store told it after it has counted`, async () => {
      let isSlow = false
      // the rows are changed, and the process learns of it later
      const slowly = async (rows: never) => {
        const done = await (store.deliveries[method] as (rows: never) => Promise<unknown>)(rows)
        if (isSlow) await new Promise<void>((resolve) => bench.clock.after(2 * second, resolve))
        return done
      }
      a = await bench.start('a', store, { store: storeWith({ [method]: slowly }) })
      await bench.clock.advance(2 * second)
      isSlow = true
      bench.publish({ id: 1 })
      await bench.clock.advance(1)
      const other = { ...bench.delivery(a), name: 'other', topic: 'com.example.other' }
      // a new delivery is counted with all others
      a.outbox.use([bench.delivery(a), other])
      await bench.clock.advance(20 * second)
      expect(bench.ids).to.deep.equal([1])
      expect(a.outbox.known().map(({ pending }) => pending)).to.deep.equal([0, 0])
    })
  }

  it('hands over when it stops: no event is lost, none is a gap', async () => {
    await startOne()
    const b = await bench.start('b', store)
    await bench.clock.advance(10 * second)
    bench.publish({ id: 1 })
    await bench.clock.advance(second)
    const stopping = a.outbox.stop()
    bench.publish({ id: 2 })
    await bench.clock.advance(second)
    await stopping
    bench.publish({ id: 3 })
    await bench.clock.advance(10 * second)
    expect([...bench.ids].sort()).to.deep.equal([1, 2, 3])
    expect(await gapsOf(b)).to.deep.equal([])
    expect(await status(b)).to.include({ owner: 'b' })
  })

  it('tells a gap of the time in which no process has listened, once', async () => {
    await startOne()
    await bench.clock.advance(10 * second)
    a.freeze()
    await bench.clock.advance(60 * second)
    const b = await bench.start('b', store)
    await bench.clock.advance(30 * second)
    expect(await gapsOf(b)).to.deep.equal(['absent null'])
    const told = bench.attempts.filter(({ gap }) => gap)
    expect(told.map(({ id, by }) => `${id} by ${by}`)).to.deep.equal(['absent by b'])
    const { since, until } = told[0]?.gap ?? { since: '', until: '' }
    const length = (Date.parse(until) - Date.parse(since)) / second
    expect(length).to.be.within(59, 64)
    expect(told[0]?.webhook_id).to.match(/^gap_[a-z2-7]{26}$/)
  })

  it('tells a gap of the time in which the router was away, again until it is taken', async () => {
    await startOne()
    await bench.clock.advance(5 * second)
    bench.answer = ({ attempt }) => ({ status: attempt === 1 ? 503 : 200 })
    a.disconnect()
    await bench.clock.advance(5 * second)
    a.reconnect()
    await bench.clock.advance(20 * second)
    expect(await gapsOf()).to.deep.equal(['router_lost null'])
    expect(bench.attempts.map(({ id, attempt }) => `${id} ${attempt}`)).to.deep.equal([
      'router_lost 1',
      'router_lost 2',
    ])
  })

  it('holds what waits while the document has no such delivery, or is not active', async () => {
    await startOne()
    bench.answer = () => ({ status: 500 })
    bench.publish({ id: 1 })
    await bench.clock.advance(second)
    a.outbox.use([bench.delivery(a, { isActive: false })])
    await bench.clock.advance(long)
    expect(bench.attempts).to.have.length(1)
    a.outbox.use([])
    await bench.clock.advance(long)
    expect(await a.outbox.list()).to.have.length(1)
    bench.answer = () => ({ status: 200 })
    a.outbox.use([bench.delivery(a)])
    await bench.clock.advance(20 * second)
    expect(bench.ids).to.deep.equal([1, 1])
    expect(await gapsOf()).to.deep.equal([])
  })

  it('forgets a delivery 30 days after a document had it last, with its events, dead letters and gaps', async () => {
    await startOne(limited({ maxAge: 100 * day }))
    const kept = { ...bench.delivery(a), name: 'kept', topic: 'com.example.kept' }
    a.outbox.use([bench.delivery(a, limited({ maxAge: 100 * day })), kept])
    bench.answer = () => ({ status: 500 })
    bench.publish({ id: 1, bad: true }, { id: 2 })
    a.disconnect()
    await bench.clock.advance(second)
    a.reconnect()
    await bench.clock.advance(20 * second)
    a.outbox.use([kept])
    const left = async () => [
      (await store.deliveryOwners.states()).length,
      (await store.deliveries.counts()).reduce((sum, { rows }) => sum + rows, 0),
      [...(await store.deliveryOwners.gapCounts()).values()].reduce((sum, count) => sum + count, 0),
    ]
    bench.clock.jump(29 * day)
    await bench.clock.advance(120 * second)
    expect(await left()).to.deep.equal([2, 2, 1])
    bench.clock.jump(day)
    await bench.clock.advance(120 * second)
    expect(await left()).to.deep.equal([1, 0, 0])
    expect(await a.outbox.list()).to.have.length(1)
  })

  /** Node b has a store of its own, too. */
  async function startTwo() {
    a = await bench.start('a', store, { lock: bench.lockOf('a') })
    const ofB = await bench.openStore()
    return { ofB, b: await bench.start('b', ofB, { lock: bench.lockOf('b') }) }
  }

  it('has one node accept where each has a store of its own: the router says which', async () => {
    const { b } = await startTwo()
    await bench.clock.advance(5 * second)
    bench.publish({ id: 1 })
    await bench.clock.advance(5 * second)
    expect(bench.attempts.map(({ id, by }) => `${id} by ${by}`)).to.deep.equal(['1 by a'])
    a.freeze()
    bench.publish({ id: 2 })
    await bench.clock.advance(5 * second)
    bench.holder = 'b'
    await bench.clock.advance(5 * second)
    const byB = bench.attempts.filter(({ by }) => by === 'b')
    // what it has heard may come twice, under one id
    expect(byB.map(({ id }) => id)).to.deep.equal([1, 2])
    expect(byB[0]?.webhook_id).to.equal(bench.attempts[0]?.webhook_id)
    expect(await gapsOf(b)).to.deep.equal([])
    a.thaw()
    await bench.clock.advance(60 * second)
    bench.holder = 'a'
    await bench.clock.advance(5 * second)
    expect(await gapsOf()).to.deep.equal([])
  })

  it('tells what nobody has heard where a node is given the lock of another one after the router was away', async () => {
    const { b } = await startTwo()
    await bench.clock.advance(5 * second)
    for (const one of [a, b]) one.disconnect()
    await bench.clock.advance(5 * second)
    a.reconnect()
    bench.holder = 'b'
    // a has given up, and b does not hear yet
    await bench.clock.advance(5 * second)
    bench.publish({ id: 1 })
    b.reconnect()
    await bench.clock.advance(10 * second)
    expect((await gapsOf(b)).join()).to.match(/^router_lost [^,]*$/)
    bench.publish({ id: 2 })
    await bench.clock.advance(5 * second)
    const told = ['router_lost by a', 'router_lost by b', '2 by b']
    expect(bench.attempts.map(({ id, by }) => `${id} by ${by}`)).to.deep.equal(told)
  })

  it('loses nothing when the node that accepts is killed, where the other one has the lock before the next start', async () => {
    const { b } = await startTwo()
    await bench.clock.advance(5 * second)
    bench.publish({ id: 1 })
    await bench.clock.advance(5 * second)
    a.freeze()
    bench.silent.add('a')
    bench.publish({ id: 2 })
    // the lease of its own store lapses meanwhile
    const next = await bench.start('a2', store, { lock: bench.lockOf('a2') })
    bench.publish({ id: 3 })
    await bench.clock.advance(2 * second)
    bench.holder = 'b'
    bench.publish({ id: 4 })
    await bench.clock.advance(20 * second)
    expect(new Set(bench.ids)).to.deep.equal(new Set([1, 2, 3, 4]))
    bench.holder = 'a2'
    await bench.clock.advance(5 * second)
    bench.publish({ id: 5 })
    await bench.clock.advance(5 * second)
    expect(bench.attempts.at(-1)).to.include({ id: 5, by: 'a2' })
    expect([await gapsOf(b), await gapsOf(next)]).to.deep.equal([[], []])
  })

  it('tells its absence where it is given the lock that its own session of before has had', async () => {
    await startTwo()
    await bench.clock.advance(5 * second)
    a.freeze()
    bench.holder = undefined
    bench.publish({ id: 1 })
    const next = await bench.start('a2', store, { lock: bench.lockOf('a2') })
    await bench.clock.advance(60 * second)
    bench.holder = 'a2'
    await bench.clock.advance(5 * second)
    expect(await gapsOf(next)).to.deep.equal(['absent null'])
  })

  it('tells what is older than it has kept where the node that accepts has been silent before it ends', async () => {
    const { b } = await startTwo()
    await bench.clock.advance(5 * second)
    a.freeze()
    bench.silent.add('a')
    for (let id = 0; id < 60; id += 1) {
      bench.publish({ id })
      await bench.clock.advance(second)
    }
    bench.holder = 'b'
    await bench.clock.advance(5 * second)
    expect(bench.ids.length).to.be.within(29, 31)
    const [gap] = await b.outbox.gaps(ref)
    expect([gap?.reason, Date.parse(gap?.until ?? '') - Date.parse(gap?.since ?? '')]).to.satisfy(
      ([reason, ms]: [string, number]) => reason === 'absent' && Math.abs(ms - 30 * second) < 4_000,
    )
  })

  it('tells the absence of all where all were killed, whichever is given the lock', async () => {
    const { ofB, b } = await startTwo()
    await bench.clock.advance(20 * second)
    for (const one of [a, b]) one.freeze()
    bench.holder = undefined
    await bench.clock.advance(20 * second)
    bench.publish({ id: 1 })
    const next = await bench.start('b2', ofB, { lock: bench.lockOf('b2') })
    bench.holder = 'b2'
    await bench.clock.advance(20 * second)
    expect(await gapsOf(next)).to.deep.equal(['absent null'])
  })

  it('keeps for a take-over what has come in the last 10 s before the other node said that it accepts', async () => {
    await startTwo()
    await bench.clock.advance(5 * second)
    for (let id = 0; id < 40; id += 1) {
      bench.publish({ id })
      await bench.clock.advance(second)
    }
    a.freeze()
    bench.holder = 'b'
    await bench.clock.advance(5 * second)
    const byB = bench.attempts.filter(({ by }) => by === 'b').map(({ id }) => Number(id))
    expect(Math.min(...byB)).to.be.within(26, 30)
    expect(Math.max(...byB)).to.equal(39)
  })

  it('gives the lock back where another process has taken over its store meanwhile', async () => {
    a = await bench.start('a', store, { lock: bench.lockOf('a') })
    const b = await bench.start('b', store, { lock: bench.lockOf('b') })
    await bench.clock.advance(5 * second)
    a.freeze()
    bench.silent.add('a')
    await bench.clock.advance(20 * second)
    expect((await status(b))?.owner).to.equal('b')
    bench.publish({ id: 1 })
    await bench.clock.advance(5 * second)
    expect(bench.ids).to.deep.equal([])
    a.thaw()
    await bench.clock.advance(5 * second)
    expect(bench.holder).to.equal(undefined)
    bench.holder = 'b'
    // a has written the event when it went on; b counts what waits each minute
    await bench.clock.advance(80 * second)
    expect(bench.attempts.at(-1)).to.include({ id: 1, by: 'b' })
    expect(await gapsOf(b)).to.deep.equal([])
  })
})
