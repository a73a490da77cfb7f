/** Stores that others write into, that go away, come back, or go back in time. */
import { expect } from 'chai'
import { hashOf } from '#component/replica/entry.ts'
import { document, failure, idle, nodeOf, stampAt, version } from './doubles.ts'
import { MemoryStore } from './memory-store.ts'

describe('Replica.refresh', () => {
  it('takes what other processes wrote, and makes it live', async () => {
    const store = new MemoryStore()
    const [a, b] = [await nodeOf('a', { store }), await nodeOf('b', { store })]
    const [x] = await a.load('x')
    await b.replica.refresh()
    expect(b.live).to.deep.equal([{ entry: x?.entry, before: undefined }])
    const [gone] = await b.load('x', null)
    await a.replica.refresh()
    expect(a.replica.get('api_spec', 'x')).to.deep.equal(gone?.entry)
    expect(a.live.at(-1)).to.deep.equal({ entry: gone?.entry, before: x?.entry })
    expect([a.told.length, b.told.length]).to.deep.equal([1, 1])
    expect(a.replica.digest()).to.equal(b.replica.digest())
  })

  it('serves all that are asked for while it waits for its turn, and is repeated when asked for later', async () => {
    const { replica, store } = await nodeOf('n1')
    let reads = 0
    store.before = (method) => {
      if (method === 'since') reads++
    }
    const all = Array.from({ length: 100 }, () => replica.refresh())
    await idle()
    const late = replica.refresh()
    await Promise.all([...all, late])
    expect(reads).to.equal(2)
  })

  it('asks only for what is new, and calls what it knows no change', async () => {
    const store = new MemoryStore()
    const a = await nodeOf('a', { store })
    const asked: number[] = []
    const since = store.since.bind(store)
    store.since = (revision) => {
      asked.push(revision)
      return since(revision)
    }
    const [x] = await a.load('x')
    for (let times = 0; times < 3; times++) await a.replica.refresh()
    expect(asked).to.deep.equal([0, 1, 1])
    expect(a.live).to.have.length(1)
    expect(a.replica.get('api_spec', 'x')).to.equal(x?.entry)
  })

  it('gives the process a stamp after those of the others', async () => {
    const store = new MemoryStore()
    const [a, b] = [await nodeOf('a', { store }), await nodeOf('b', { store })]
    b.clock.ms += 5_000
    await b.load('x')
    await a.replica.refresh()
    const [change] = await a.load('y')
    expect(change?.entry.stamp).to.deep.equal(stampAt(5_000, 'a', 1))
  })

  it('says that the store is away, once in the log, and that it is back', async () => {
    const { replica, store, logged, load, textOf } = await nodeOf('a')
    await load('x')
    expect(replica.isStoreAway).to.equal(false)
    store.isAway = true
    await replica.refresh()
    await replica.refresh()
    expect(replica.isStoreAway).to.equal(true)
    expect(logged.map((line) => line.at(-1))).to.deep.equal(['the store is away'])
    expect(textOf('x')).to.equal('one')
    store.isAway = false
    await replica.refresh()
    expect(replica.isStoreAway).to.equal(false)
    expect(logged.map((line) => line.at(-1))).to.deep.equal([
      'the store is away',
      'the store is reachable again',
    ])
  })

  it('finds what was written while the store was away for this process only', async () => {
    const store = new MemoryStore()
    const [a, b] = [await nodeOf('a', { store }), await nodeOf('b', { store })]
    store.isAway = true
    await a.replica.refresh()
    store.isAway = false
    await b.load('x')
    await a.replica.refresh()
    expect(a.textOf('x')).to.equal('one')
  })
})

describe('Replica over a store that has gone back to an earlier state', () => {
  /** Two nodes; the store forgets `x`, the deletion of `y`, and that `z` has changed. */
  async function restored() {
    const store = new MemoryStore()
    const a = await nodeOf('a', { store })
    await a.load('y', 'old')
    await a.load('z', 'old')
    const restore = store.backUp()
    await a.load('x')
    await a.load('y', null)
    await a.load('z', 'new')
    await a.replica.refresh()
    restore()
    return { a, store }
  }

  it('puts there again what was acknowledged', async () => {
    const { a, store } = await restored()
    await a.replica.refresh()
    const later = await nodeOf('b', { store })
    expect(['x', 'y', 'z'].map(later.textOf)).to.deep.equal(['one', undefined, 'new'])
    expect(later.replica.digest()).to.equal(a.replica.digest())
    expect(a.live).to.have.length(5)
    expect(a.logged).to.have.length(1)
  })

  it('takes what others have written since', async () => {
    const { a, store } = await restored()
    const b = await nodeOf('b', { store })
    await b.load('w')
    await a.replica.refresh()
    await b.replica.refresh()
    expect([a.textOf('w'), b.textOf('x')]).to.deep.equal(['one', 'one'])
    expect(a.replica.digest()).to.equal(b.replica.digest())
  })

  it('notices when it changes something, however many others have written', async () => {
    const { a, store } = await restored()
    const b = await nodeOf('b', { store })
    for (let times = 0; times < 20; times++) await b.load('w', String(times))
    await a.load('z', 'newest')
    await b.replica.refresh()
    expect(['x', 'y', 'z', 'w'].map(b.textOf)).to.deep.equal(['one', undefined, 'newest', '19'])
    expect(['x', 'y', 'z', 'w'].map(a.textOf)).to.deep.equal(['one', undefined, 'newest', '19'])
  })

  it('changes nothing when the store goes away meanwhile', async () => {
    const { a, store } = await restored()
    store.before = (method) => {
      store.isAway = method === 'merge'
    }
    expect(await failure(a.load('z', 'newest'))).to.have.property(
      'uri',
      'service.error.unavailable',
    )
    expect(a.textOf('z')).to.equal('new')
    store.before = () => {
      store.isAway = false
    }
    await a.load('z', 'newest')
    expect(store.rows.get('api_spec x')?.hash).to.equal(hashOf(document('x')))
  })
})

describe('Replica.onLost', () => {
  const loser = version('x', stampAt(1, 'a'), 'lost')
  const winner = version('x', stampAt(2, 'b'), 'won')

  it('names a load of this node that lost against one that did not know it', async () => {
    const { clock, load, lost, replica } = await nodeOf('a')
    const [change] = await load('x', 'lost')
    const sent = version('x', { ...stampAt(0, 'b'), ms: clock.ms + 1 }, 'won')
    await replica.merge([sent])
    expect(lost).to.deep.equal([[change?.entry, sent]])
    expect((await replica.versions('api_spec', 'x')).map(({ hash }) => hash)).to.deep.equal([
      sent.hash,
      change?.entry.hash,
    ])
    await replica.merge([structuredClone(sent)])
    if (change) await replica.merge([structuredClone(change.entry)])
    expect(lost).to.have.length(1)
  })

  it('names it once, whichever way round the two arrive', async () => {
    for (const sent of [
      [[loser], [winner]],
      [[winner], [loser]],
      [[loser, winner]],
      [[winner, loser]],
    ]) {
      const { replica, lost } = await nodeOf('a')
      for (const entries of [...sent, ...sent]) await replica.merge(entries)
      expect(lost, JSON.stringify(sent)).to.deep.equal([[loser, winner]])
    }
  })

  it('is not for losses of other nodes', async () => {
    for (const name of ['b', 'c']) {
      const { replica, lost } = await nodeOf(name)
      await replica.merge([loser])
      await replica.merge([winner])
      expect(lost).to.deep.equal([])
    }
  })

  it('is not for what was replaced by somebody who knew it', async () => {
    const { replica, lost, load } = await nodeOf('a')
    const [first] = await load('x', 'one')
    await load('x', 'two')
    const [last] = await load('x', null)
    const parent = last?.entry.stamp ?? null
    await replica.merge([version('x', stampAt(9, 'b'), 'back', { parent })])
    if (first) await replica.merge([first.entry])
    expect(lost).to.deep.equal([])
  })

  it('names each load that is lost', async () => {
    const { clock, replica, lost, load } = await nodeOf('a')
    for (const ms of [10, 20]) {
      const [change] = await load('x', `lost at ${ms}`)
      await replica.merge([version('x', stampAt(ms, 'b'), `won at ${ms}`)])
      clock.ms = stampAt(ms).ms + 1
      expect(lost.at(-1)?.[0]).to.equal(change?.entry)
    }
    expect(lost).to.have.length(2)
  })

  it('hears of a loss that another process of this store was told of', async () => {
    const store = new MemoryStore()
    const [a, b] = [await nodeOf('a', { store }), await nodeOf('b', { store })]
    const [change] = await a.load('x', 'lost')
    const sent = version('x', stampAt(5, 'far'), 'won')
    await b.replica.merge([sent])
    expect(b.lost).to.deep.equal([])
    await a.replica.refresh()
    expect(a.lost).to.deep.equal([[change?.entry, sent]])
  })

  it('is no part of the merge: when it fails, that is logged', async () => {
    const { replica, logged, textOf } = await nodeOf('a')
    replica.onLost = () => {
      throw new Error('no session')
    }
    await replica.merge([loser, winner])
    expect(textOf('x')).to.equal('won')
    expect(logged).to.have.length(1)
  })
})
