/** The indexes of documents in the store: what a start finds, and what it compiles all the same. */
import { expect } from 'chai'
import { compilingDocument } from '#component/compile/compile-document.ts'
import { IndexedDocument } from '#component/compile/kept/indexed-document.ts'
import { KeptDocuments } from '#component/compile/kept/kept-documents.ts'
import { ServiceError } from '#component/errors.ts'
import type { Route } from '#component/gateway/api.ts'
import type { Registry } from '#component/registry/registry.ts'
import { RoutingTable } from '#component/routes/routing-table.ts'
import type { TableChange } from '#component/routes/table-change.ts'
import { openStore, type Store } from '#component/store/database.ts'
import { SpecIndexes } from '#component/wiring/documents/spec-indexes.ts'
import { runSteps } from '#component/yielding.ts'
import { ManualClock } from '#test/unit/action/doubles.ts'
import { document, registryWith } from '#test/unit/registry/doubles.ts'
import { MemoryStore } from '#test/unit/replica/memory-store.ts'

/** Longer than changes are collected; milliseconds. */
const aWhile = 1_500

describe('the indexes of documents', () => {
  let clock: ManualClock
  let store: Store
  let entries: MemoryStore
  beforeEach(async () => {
    clock = new ManualClock()
    store = await openStore('sqlite::memory:', clock)
    entries = new MemoryStore()
  })
  afterEach(() => store.close())

  /** Starts a node on the stores: how many documents it has compiled, and what it serves. */
  async function start({ maker = 'one', damaged = [] as string[] } = {}) {
    const compiled: unknown[] = []
    const warned: unknown[] = []
    const log = { warn: (...line: unknown[]) => void warned.push(line.at(-1)), error: () => {} }
    function* compile(value: unknown) {
      compiled.push((value as { id?: string }).id)
      return yield* compilingDocument(value, { callTimeout: 30_000 })
    }
    const yieldTurn = () => undefined
    const recompiled: Promise<void>[] = []
    const onStale = (id: string) => void recompiled.push(opened.registry.recompile(id))
    const kept = new KeptDocuments({
      ...{ compile, maxBytes: 1_000_000, yieldTurn, log, onCompiled: () => {}, onStale },
    })
    const replica = {
      damaged: damaged.map((id) => ({
        ...{ kind: 'api_spec' as const, id, isChanged: true as const },
        stamp: { ms: 1, counter: 0, node: 'n' },
      })),
    }
    const indexes = new SpecIndexes({ ...{ store, replica, kept, clock, log, maker } })
    let table = RoutingTable.build<Route>([]).table
    let hashOf: Registry['servedHash'] = () => undefined
    indexes.served = () => ({ table, hashOf })
    const opened = await registryWith({
      store: entries,
      checked: indexes,
      compile: (value) =>
        runSteps(
          (function* () {
            const all = yield* compile(value)
            return { ...all, api: all.api && (yield* kept.indexing(value, all.api)) }
          })(),
        ),
      onSwap(now: RoutingTable<Route>, change: TableChange<Route>) {
        table = now
        kept.follow(change)
        indexes.follow(change)
      },
    })
    hashOf = (id) => opened.registry.servedHash(id)
    return {
      ...opened,
      compiled,
      warned,
      indexes,
      recompiled,
      entryOf: (id: string) => table.entriesOf(id)[0],
    }
  }

  it('are written a little after a load, and found at the next start', async () => {
    const one = await start()
    await one.registry.load(document('a'))
    await one.registry.load(document('b', ['/b']))
    expect((await store.specIndexes.all('one')).size).to.equal(0)
    await clock.advance(aWhile)
    await one.indexes.stop()
    const other = await start()
    expect(other.compiled).to.deep.equal([])
    expect(other.entryOf('a')?.pattern).to.equal('/v1/x')
    const indexed = other.entryOf('a')?.indexed
    expect(indexed instanceof IndexedDocument && indexed.isCompiled).to.equal(false)
    expect(other.entryOf('a')?.routes.get?.path.version.api).to.equal('a')
    expect(other.compiled).to.deep.equal(['a'])
  })

  it('are of no use for another version of the document', async () => {
    const one = await start()
    await one.registry.load(document('a'))
    await one.indexes.stop()
    await one.registry.load(document('a', ['/y']))
    const other = await start()
    expect(other.compiled).to.deep.equal(['a'])
    expect(other.entryOf('a')?.pattern).to.equal('/v1/y')
  })

  it('are of no use to another version of the gateway, which writes its own', async () => {
    const one = await start()
    await one.registry.load(document('a'))
    await one.indexes.stop()
    const other = await start({ maker: 'two' })
    expect(other.compiled).to.deep.equal(['a'])
    await other.indexes.stop()
    expect([...(await store.specIndexes.all('two')).keys()]).to.deep.equal(['a'])
    expect((await store.specIndexes.all('one')).size).to.equal(0)
  })

  it('are of no use for a document that does not match its hash', async () => {
    const one = await start()
    await one.registry.load(document('a'))
    await one.indexes.stop()
    expect((await start({ damaged: ['a'] })).compiled).to.deep.equal(['a'])
  })

  it('are of no use where their text is damaged', async () => {
    const one = await start()
    const { hash } = await one.registry.load(document('a'))
    await store.specIndexes.keep([{ id: 'a', hash, maker: 'one', text: '{"id":' }])
    expect((await start()).compiled).to.deep.equal(['a'])
  })

  it('that another build of this version has made otherwise are made again by the first request', async () => {
    const one = await start()
    await one.registry.load(document('a'))
    await one.indexes.stop()
    const row = (await store.specIndexes.all('one')).get('a')
    if (row === undefined) throw new TypeError('there is no index')
    await store.specIndexes.keep([{ ...row, text: row.text.replaceAll('/v1/x', '/v1/former') }])
    const other = await start()
    expect(other.entryOf('a')?.pattern).to.equal('/v1/former')
    expect(() => other.entryOf('a')?.routes).to.throw(ServiceError)
    await Promise.all(other.recompiled)
    expect(other.entryOf('a')?.pattern).to.equal('/v1/x')
    await other.indexes.stop()
    expect((await store.specIndexes.all('one')).get('a')).to.deep.equal(row)
  })

  it('go with their document', async () => {
    const { registry, indexes } = await start()
    await registry.load(document('a'))
    await indexes.stop()
    await registry.remove('a')
    await indexes.stop()
    expect((await store.specIndexes.all('one')).size).to.equal(0)
  })

  it('are not written again by a start that has found them', async () => {
    const one = await start()
    await one.registry.load(document('a'))
    await one.indexes.stop()
    const other = await start()
    await store.specIndexes.remove(['a'])
    await other.indexes.stop()
    expect((await store.specIndexes.all('one')).size).to.equal(0)
  })

  it('are not needed: without the store a node compiles, and says so', async () => {
    const one = await start()
    await one.registry.load(document('a'))
    await store.close()
    await one.indexes.stop()
    expect(one.warned).to.deep.equal([
      'the indexes of documents cannot be written: the next start compiles these',
    ])
    const other = await start()
    expect(other.compiled).to.deep.equal(['a'])
    expect(other.warned).to.deep.equal([
      'the indexes of documents cannot be read: all documents are compiled',
    ])
  })
})
