/** Changes of a node: on the disk and live, all or none, whoever else writes into the same store. */
import { expect } from 'chai'
import { ServiceError } from '#component/errors.ts'
import type { Entry } from '#component/replica/entry.ts'
import { compareStamps } from '#component/replica/stamp.ts'
import { document, failure, idle, nodeOf, start } from './doubles.ts'
import { MemoryStore } from './memory-store.ts'

const unavailable = (error: unknown) =>
  error instanceof ServiceError && error.uri === 'service.error.unavailable'

describe('Replica.change', () => {
  it('keeps the document in the store and in memory, with stamp, parent and hash', async () => {
    const { replica, store, load } = await nodeOf('a')
    const [first] = await load('x', 'one')
    const [second] = await load('x', 'two')
    expect(first?.before).to.equal(undefined)
    expect(first?.entry).to.deep.include({
      kind: 'api_spec',
      stamp: { ms: start, counter: 0, node: 'a' },
      parent: null,
    })
    expect(first?.entry.hash).to.match(/^[0-9a-f]{64}$/)
    expect(second?.before).to.equal(first?.entry)
    expect(second?.entry.parent).to.deep.equal(first?.entry.stamp)
    expect(replica.get('api_spec', 'x')).to.equal(second?.entry)
    expect(store.rows.get('api_spec x')).to.deep.equal(second?.entry)
    expect((await replica.versions('api_spec', 'x')).map(({ document }) => document)).to.deep.equal(
      [document('x', 'two'), document('x', 'one')],
    )
  })

  it('hands the watcher the very document that it holds, and that was given', async () => {
    const { replica, live } = await nodeOf('a')
    const given = document('x')
    await replica.change('api_spec', () => [{ id: 'x', document: given }])
    expect(live[0]?.entry.document).to.equal(given)
    expect(replica.get('api_spec', 'x')?.document).to.equal(given)
  })

  it('keeps a tombstone of what is deleted, and lets it come back', async () => {
    const { replica, load, textOf } = await nodeOf('a')
    await load('x')
    const [gone] = await load('x', null)
    expect(gone?.entry).to.deep.include({ hash: null, document: null })
    expect(replica.entries('api_spec')).to.deep.equal([gone?.entry])
    const [back] = await load('x', 'two')
    expect(back?.before).to.equal(gone?.entry)
    expect(textOf('x')).to.equal('two')
  })

  it('keeps kinds apart', async () => {
    const { replica, live, load } = await nodeOf('a')
    await load('x')
    await replica.change('realm', () => [{ id: 'x', document: { uri: 'x' } }])
    expect(live).to.have.length(1)
    expect(replica.get('realm', 'x')?.document).to.deep.equal({ uri: 'x' })
    expect(replica.get('api_spec', 'x')?.document).to.deep.equal(document('x'))
  })

  it('decides one change after the other', async () => {
    const { replica, textOf } = await nodeOf('a')
    await Promise.all(
      ['1', '2', '3', '4'].map((digit) =>
        replica.change('api_spec', async () => {
          const before = textOf('x') ?? ''
          await idle()
          return [{ id: 'x', document: document('x', `${before}${digit}`) }]
        }),
      ),
    )
    expect(textOf('x')).to.equal('1234')
  })

  it('resolves only when the watcher has made it live', async () => {
    const { replica, store } = await nodeOf('a')
    const steps: string[] = []
    const gate = Promise.withResolvers<void>()
    replica.watch('api_spec', async () => {
      steps.push(store.rows.has('api_spec x') ? 'watcher, on the disk' : 'watcher, too early')
      await gate.promise
      steps.push('live')
    })
    replica.onLocalChange = () => void steps.push('told')
    const changed = replica
      .change('api_spec', () => [{ id: 'x', document: document('x') }])
      .then(() => steps.push('resolved'))
    await idle()
    expect(steps).to.deep.equal(['watcher, on the disk'])
    gate.resolve()
    await changed
    expect(steps).to.deep.equal(['watcher, on the disk', 'live', 'told', 'resolved'])
  })

  it('is kept, logged and passed on when the watcher fails', async () => {
    const { replica, store, logged, told, load, textOf } = await nodeOf('a')
    replica.watch('api_spec', () => Promise.reject(new Error('it does not compile')))
    await load('x')
    expect(textOf('x')).to.equal('one')
    expect(store.rows.has('api_spec x')).to.equal(true)
    expect(told).to.have.length(1)
    expect(logged).to.have.length(1)
    expect(logged[0]?.[0]).to.deep.include({ kind: 'api_spec', ids: ['x'] })
  })

  it('is done when passing it on fails', async () => {
    const { replica, logged, load, textOf } = await nodeOf('a')
    replica.onLocalChange = () => {
      throw new Error('no session')
    }
    await load('x')
    expect(textOf('x')).to.equal('one')
    expect(logged).to.have.length(1)
  })

  it('passes on what decide throws, and nothing has changed', async () => {
    const { replica, store, live, told, load, textOf } = await nodeOf('a')
    const digest = replica.digest()
    const refusal = new ServiceError('service.error.not_found', 'there is no x')
    const refused = replica.change('api_spec', () => {
      throw refusal
    })
    expect(await failure(refused)).to.equal(refusal)
    expect([replica.digest(), store.rows.size, live, told]).to.deep.equal([digest, 0, [], []])
    await load('x')
    expect(textOf('x')).to.equal('one')
  })

  it('does nothing when nothing is decided', async () => {
    const { replica, store, told } = await nodeOf('a')
    store.before = (method) => expect.fail(`${method} was called`)
    expect(await replica.change('api_spec', () => [])).to.deep.equal([])
    expect(told).to.deep.equal([])
  })

  it('has no two drafts of one document', async () => {
    const { replica, store } = await nodeOf('a')
    const twice = replica.change('api_spec', () => [
      { id: 'x', document: document('x', 'one') },
      { id: 'x', document: document('x', 'two') },
    ])
    expect(await failure(twice)).to.be.instanceOf(TypeError)
    expect(store.rows.size).to.equal(0)
  })

  it('changes nothing while the store is away, and works when it is back', async () => {
    const { replica, store, live, told, load, textOf } = await nodeOf('a')
    await load('x', 'one')
    const digest = replica.digest()
    store.isAway = true
    expect(await failure(load('x', 'two'))).to.satisfy(unavailable)
    expect(await failure(load('y'))).to.satisfy(unavailable)
    expect([replica.digest(), textOf('x'), textOf('y')]).to.deep.equal([digest, 'one', undefined])
    expect([live.length, told.length]).to.deep.equal([1, 1])
    store.isAway = false
    await load('x', 'three')
    expect(textOf('x')).to.equal('three')
  })

  it('finds what the store kept although it said that it failed', async () => {
    const store = new MemoryStore()
    const { load, textOf, replica } = await nodeOf('a', { store })
    const replace = store.replace.bind(store)
    store.replace = async (entries: readonly Entry[]) => {
      await replace(entries)
      throw new ServiceError('service.error.unavailable', 'the connection was reset')
    }
    expect(await failure(load('x', 'one'))).to.satisfy(unavailable)
    expect(textOf('x')).to.equal(undefined)
    store.replace = replace
    const [again] = await load('x', 'two')
    expect(again?.before?.document).to.deep.equal(document('x', 'one'))
    expect(store.rows.get('api_spec x')).to.deep.equal(replica.get('api_spec', 'x'))
  })
})

describe('Replica.change in a shared store', () => {
  /** Two nodes in one store, the clock of `b` ahead of that of `a`. */
  async function two() {
    const store = new MemoryStore()
    const a = await nodeOf('a', { store })
    const b = await nodeOf('b', { store })
    b.clock.ms += 5_000
    /** Before each of the next replaces something else is written. */
    function interrupt(times: number, write: () => Promise<unknown>) {
      let left = times
      let isWriting = false
      store.before = async (method) => {
        if (method !== 'replace' || isWriting || left-- <= 0) return
        isWriting = true
        await write()
        isWriting = false
      }
    }
    return { a, b, store, interrupt }
  }

  it('decides again with what another process has written', async () => {
    const { a, b, interrupt } = await two()
    interrupt(1, () => b.load('x', 'by b'))
    const found: unknown[] = []
    const changes = await a.replica.change('api_spec', () => {
      found.push(a.textOf('x'))
      return [{ id: 'x', document: document('x', 'by a') }]
    })
    expect(found).to.deep.equal([undefined, 'by b'])
    expect(changes[0]?.before?.stamp.node).to.equal('b')
    expect(changes[0]?.entry.parent).to.deep.equal(changes[0]?.before?.stamp)
    expect(a.textOf('x')).to.equal('by a')
    expect(a.live.map(({ entry }) => entry.stamp.node)).to.deep.equal(['b', 'a'])
    expect(a.told.map(({ stamp }) => stamp.node)).to.deep.equal(['a'])
    expect(a.lost).to.deep.equal([])
  })

  it('is refused when what it wants to delete was deleted in between', async () => {
    const { a, b, interrupt } = await two()
    await b.load('x')
    await a.replica.refresh()
    interrupt(1, () => b.load('x', null))
    const refusal = new ServiceError('service.error.not_found', 'there is no x')
    const removed = a.replica.change('api_spec', () => {
      if (a.textOf('x') === undefined) throw refusal
      return [{ id: 'x', document: null }]
    })
    expect(await failure(removed)).to.equal(refusal)
    expect(a.told).to.deep.equal([])
  })

  it('gives a stamp greater than that of the process it follows, whose clock is ahead', async () => {
    const { a, b, interrupt } = await two()
    interrupt(1, () => b.load('x'))
    const [change] = await a.load('x', 'by a')
    expect(change?.before && compareStamps(change.entry.stamp, change.before.stamp)).to.be.above(0)
  })

  it('keeps all drafts or none', async () => {
    const { a, b, store, interrupt } = await two()
    interrupt(1, () => b.load('y', 'by b'))
    const first: string[] = []
    await a.replica.change('api_spec', () => {
      first.push(...store.rows.keys())
      return ['x', 'y'].map((id) => ({ id, document: document(id, 'by a') }))
    })
    expect(first).to.deep.equal(['api_spec y']) // x was not kept by the first try
    await b.replica.refresh()
    expect([b.textOf('x'), b.textOf('y')]).to.deep.equal(['by a', 'by a'])
  })

  it('gives up when others are always faster', async () => {
    const { a, b, interrupt } = await two()
    let count = 0
    interrupt(Number.POSITIVE_INFINITY, () => b.load('x', `by b ${++count}`))
    let decided = 0
    const error = await failure(
      a.replica.change('api_spec', () => {
        decided++
        return [{ id: 'x', document: document('x', 'by a') }]
      }),
    )
    expect(error).to.satisfy(unavailable)
    expect(error).to.have.nested.property('headers.Retry-After', '1')
    expect(decided).to.equal(20)
    expect(a.textOf('x')).to.equal('by b 20')
    expect(a.told).to.deep.equal([])
  })

  it('changes nothing when the store goes away between two tries', async () => {
    const { a, b, store, interrupt } = await two()
    interrupt(1, async () => {
      await b.load('x', 'by b')
      const { before } = store
      store.before = (method) => {
        store.isAway = method === 'since'
        return before(method)
      }
    })
    expect(await failure(a.load('x', 'by a'))).to.satisfy(unavailable)
    expect([a.textOf('x'), a.live]).to.deep.equal([undefined, []])
    expect(store.rows.get('api_spec x')?.stamp.node).to.equal('b')
  })
})
