/** The registry: conditions on changes, the history of a document, and the way back. */
import { expect } from 'chai'
import { MemoryStore } from '#test/unit/replica/memory-store.ts'
import { compileReal, document, failure, registryWith } from './doubles.ts'
import { stampAt, versionOf } from './peers.ts'

const conflict = { uri: 'service.error.conflict', status: 412 }
const notFound = { uri: 'service.error.not_found' }

describe('registry.load and remove, on a condition', () => {
  it('are done when the version that is there is one of those named', async () => {
    const { registry, serves } = await registryWith()
    const first = await registry.load(document('a', ['/1']))
    const second = await registry.load(document('a', ['/2']), 'Ada', {
      ifMatch: ['other', first.hash],
    })
    await registry.load(document('a', ['/3']), 'Ada', { ifMatch: '*' })
    expect(serves('/v1/3')).to.equal('a')
    const { hash } = await registry.load(document('a', ['/2']))
    expect(hash).to.equal(second.hash)
    await registry.remove('a', 'Ada', { ifMatch: [hash] })
    expect(registry.size).to.equal(0)
  })

  for (const [what, ifMatch] of [
    ['an older version', ['old']],
    ['no version', []],
  ] as const) {
    it(`are refused when ${what} is named, and nothing changes`, async () => {
      const { registry, serves, store } = await registryWith()
      await registry.load(document('a', ['/1']))
      const before = store.rows.get('api_spec a')
      const loading = registry.load(document('a', ['/2']), 'Ada', { ifMatch })
      expect(await failure(loading)).to.include(conflict)
      expect(await failure(registry.remove('a', 'Ada', { ifMatch }))).to.include(conflict)
      expect(serves('/v1/1')).to.equal('a')
      expect(store.rows.get('api_spec a')).to.deep.equal(before)
    })
  }

  it('are refused for an id that is unknown or deleted', async () => {
    const { registry } = await registryWith()
    const { hash } = await registry.load(document('deleted', ['/1']))
    await registry.remove('deleted')
    for (const id of ['deleted', 'unknown']) {
      for (const ifMatch of ['*', [hash]] as const) {
        const loading = registry.load(document(id, ['/1']), 'Ada', { ifMatch })
        expect(await failure(loading)).to.include(conflict)
        expect(await failure(registry.remove(id, 'Ada', { ifMatch }))).to.include(conflict)
      }
    }
  })

  it('can be that there is none yet, or not this one', async () => {
    const { registry } = await registryWith()
    const { hash } = await registry.load(document('a'), 'Ada', { ifNoneMatch: '*' })
    for (const ifNoneMatch of ['*', [hash]] as const) {
      const loading = registry.load(document('a', ['/2']), 'Ada', { ifNoneMatch })
      expect(await failure(loading)).to.include(conflict)
    }
    await registry.load(document('a', ['/2']), 'Ada', { ifNoneMatch: ['other'] })
  })

  it('let one of two win that saw the same version', async () => {
    const { registry } = await registryWith()
    const { hash } = await registry.load(document('a'))
    const results = await Promise.allSettled(
      ['/1', '/2'].map((path) => registry.load(document('a', [path]), 'Ada', { ifMatch: [hash] })),
    )
    expect(results.map(({ status }) => status)).to.deep.equal(['fulfilled', 'rejected'])
  })
})

describe('processes that share a store', () => {
  /** Another process writes just before this one does, once. */
  async function race(
    write: (other: Awaited<ReturnType<typeof registryWith>>) => Promise<unknown>,
  ) {
    const store = new MemoryStore()
    const other = await registryWith({ store, node: 'node-2' })
    await other.registry.load(document('a', ['/1']))
    const mine = await registryWith({ store })
    const race = { ...mine, other, isOver: false, before: mine.registry.get('a').hash }
    store.before = async (method) => {
      if (method !== 'replace' || race.isOver) return
      race.isOver = true
      await write(other)
    }
    return race
  }

  it('judge a load again when another was faster: routes', async () => {
    const { registry, serves, events } = await race(async ({ registry: faster }) => {
      await faster.load(document('b', ['/2']))
      await faster.load(document('c', ['/taken']))
    })
    const error = await failure(registry.load(document('b', ['/taken', '/3'])))
    expect(error).to.include({ uri: 'service.error.already_exists' })
    expect(['/v1/2', '/v1/taken', '/v1/3'].map(serves)).to.deep.equal(['b', 'c', undefined])
    expect(events.map(([, { id, other }]) => [id, other])).to.deep.equal([['b', 'c']])
  })

  it('judge a load again when another was faster: If-Match', async () => {
    const { registry, serves, before } = await race(({ registry: faster }) =>
      faster.load(document('a', ['/faster'])),
    )
    const loading = registry.load(document('a', ['/mine']), 'Ada', { ifMatch: [before] })
    expect(await failure(loading)).to.include(conflict)
    expect(['/v1/faster', '/v1/mine'].map(serves)).to.deep.equal(['a', undefined])
  })

  it('load on top of what another was faster with', async () => {
    const { registry, serves, replica } = await race(({ registry: faster }) =>
      faster.load(document('a', ['/faster'])),
    )
    const loaded = await registry.load(document('a', ['/mine']))
    expect(loaded.isNew).to.equal(false)
    expect(['/v1/faster', '/v1/mine'].map(serves)).to.deep.equal([undefined, 'a'])
    const [newest, faster] = await registry.history.list('a')
    expect([newest?.node, faster?.node]).to.deep.equal(['node-1', 'node-2'])
    expect(replica.get('api_spec', 'a')?.parent).to.include({ node: 'node-2' })
  })

  it('do not remove what another has removed', async () => {
    const { registry } = await race(({ registry: faster }) => faster.remove('a'))
    expect(await failure(registry.remove('a'))).to.include(notFound)
  })

  it('serve what another has loaded after the next look at the store', async () => {
    const { other, serves, replica } = await race(async () => undefined)
    await other.registry.load(document('b', ['/b']))
    await replica.refresh()
    expect(serves('/v1/b')).to.equal('b')
  })
})

describe('registry.versions', () => {
  it('are the last ten, newest first, with deletions', async () => {
    let now = 1_000
    const { registry } = await registryWith({ clock: { now: () => now } })
    const first = await registry.load(document('a', ['/1']), 'ada@com.example')
    now = 1_001
    await registry.remove('a', 'grace@com.example')
    now = 1_002
    const third = await registry.load(document('a', ['/3']))
    const node = 'node-1'
    const [current, old] = [{ is_current: true }, { is_current: false }]
    const [kept, gone] = [{ is_deleted: false }, { is_deleted: true }]
    expect(await registry.history.list('a')).to.deep.equal([
      { ts: 1_002, hash: third.hash, node, by: 'the gateway', ...current, ...kept },
      { ts: 1_001, hash: null, node, by: 'grace@com.example', ...old, ...gone },
      { ts: 1_000, hash: first.hash, node, by: 'ada@com.example', ...old, ...kept },
    ])
    for (let index = 0; index < 9; index++) await registry.load(document('a', [`/more${index}`]))
    const versions = await registry.history.list('a')
    expect(versions).to.have.length(10)
    expect(versions.at(-1)).to.include({ ts: 1_002, hash: third.hash })
  })

  it('have the current one once, however often it is loaded', async () => {
    let now = 1_000
    const { registry } = await registryWith({ clock: { now: () => now++ } })
    const { hash: first } = await registry.load(document('a', ['/1']))
    const { hash: second } = await registry.load(document('a', ['/2']))
    const hashes = async () => (await registry.history.list('a')).map(({ hash }) => hash)
    for (let loads = 0; loads < 10; loads++) await registry.load(document('a', ['/2']))
    expect(await hashes()).to.deep.equal([second, first])
    await registry.rollback('a', first)
    expect(await hashes()).to.deep.equal([first, second, first])
  })

  it('are there of a deleted id, and not of an unknown one', async () => {
    const { registry } = await registryWith()
    await registry.load(document('a'))
    await registry.remove('a')
    expect((await registry.history.list('a'))[0]).to.include({ is_current: true, is_deleted: true })
    expect(await failure(registry.history.list('nope'))).to.include(notFound)
  })
})

describe('registry.rollback', () => {
  it('loads an older version again, as one more version', async () => {
    const { registry, serves } = await registryWith()
    const first = await registry.load(document('a', ['/1']))
    await registry.load(document('a', ['/2']))
    const back = await registry.rollback('a', first.hash, 'Ada')
    expect(back).to.include({ id: 'a', hash: first.hash, isNew: false })
    expect(['/v1/1', '/v1/2'].map(serves)).to.deep.equal(['a', undefined])
    expect(registry.get('a').document).to.deep.equal({ ...document('a', ['/1']), ts: back.ts })
    expect(await registry.history.list('a')).to.have.length(3)
    expect(registry.counts).to.deep.equal({ loaded: 3, refused: 0 })
  })

  it('is done after the load that was asked for before it', async () => {
    const { registry, serves } = await registryWith({
      compile: async (value) => {
        await new Promise((resolve) => setTimeout(resolve, 5))
        return compileReal(value)
      },
    })
    const { hash } = await registry.load(document('a', ['/1']))
    const loading = registry.load(document('a', ['/2']))
    await registry.rollback('a', hash)
    await loading
    expect(['/v1/1', '/v1/2'].map(serves)).to.deep.equal(['a', undefined])
  })

  it('brings a deleted id back', async () => {
    const { registry, serves } = await registryWith()
    const { hash } = await registry.load(document('a'))
    await registry.remove('a')
    expect(await registry.rollback('a', hash)).to.include({ isNew: true })
    expect(serves('/v1/x')).to.equal('a')
  })

  it('brings back what was lost to another node', async () => {
    const { registry, replica, serves } = await registryWith({ clock: { now: () => 3_000 } })
    const { hash } = await registry.load(document('a', ['/mine']))
    await replica.merge([versionOf('a', document('a', ['/theirs']), stampAt(4_000))])
    await registry.rollback('a', hash)
    expect(serves('/v1/mine')).to.equal('a')
  })

  it('is judged like any load', async () => {
    const { registry, serves } = await registryWith()
    const { hash } = await registry.load(document('a', ['/1']))
    await registry.load(document('a', ['/2']))
    await registry.load(document('b', ['/1']))
    expect(await failure(registry.rollback('a', hash))).to.include({
      uri: 'service.error.already_exists',
    })
    const stale = registry.rollback('a', hash, 'Ada', { ifMatch: ['old'] })
    expect(await failure(stale)).to.include(conflict)
    expect(serves('/v1/2')).to.equal('a')
  })

  it('does not know hashes that the history does not have', async () => {
    const { registry } = await registryWith()
    const { hash } = await registry.load(document('a'))
    expect(await failure(registry.rollback('a', 'nope'))).to.include(notFound)
    expect(await failure(registry.rollback('b', hash))).to.include(notFound)
  })

  it('is refused while the store is away', async () => {
    const { registry, store } = await registryWith()
    const { hash } = await registry.load(document('a'))
    store.isAway = true
    const error = await failure(registry.rollback('a', hash))
    expect(error).to.include({ uri: 'service.error.unavailable' })
  })
})
