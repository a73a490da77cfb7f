/** The registry: what it shows, what it takes away, and what it serves again after a restart. */
import { expect } from 'chai'
import { ServiceError } from '#component/errors.ts'
import { Registry } from '#component/registry/registry.ts'
import { document, failure, registryWith } from './doubles.ts'

describe('registry.remove', () => {
  it('takes the routes away, leaves a tombstone, and tells the realm', async () => {
    const { registry, serves, store, events } = registryWith()
    await registry.load(document('a'))
    await registry.remove('a')
    expect(serves('/v1/x')).to.equal(undefined)
    expect(store.rows.get('a')).to.deep.equal({
      id: 'a',
      ts: 1_001,
      node: 'node-1',
      hash: null,
      document: null,
    })
    expect(events.at(-1)?.[0]).to.equal('service.api_spec.on_delete')
    expect(registry.list()).to.deep.equal([])
  })

  it('does not know an unknown id, nor one that is a key of every object', async () => {
    const { registry } = registryWith()
    for (const id of ['nope', '__proto__', 'constructor']) {
      expect(await failure(registry.remove(id))).to.include({ uri: 'service.error.not_found' })
      for (const read of [() => registry.get(id), () => registry.info(id)]) {
        expect(read).to.throw(ServiceError).with.property('uri', 'service.error.not_found')
      }
    }
  })

  it('makes the routes free for another document', async () => {
    const { registry, serves } = registryWith()
    await registry.load(document('a'))
    await registry.remove('a')
    await registry.load(document('b'))
    expect(serves('/v1/x')).to.equal('b')
  })
})

describe('registry.get, info, list', () => {
  it('show the document with ts, its essentials, and all by id', async () => {
    const { registry } = registryWith()
    await registry.load(document('b', ['/b']))
    await registry.load(
      document('a', ['/a'], {
        name: 'A',
        versions: [{ ...document('a').versions['1.0'], version: '2' }],
      }),
    )
    expect(registry.get('b').document).to.deep.equal({ ...document('b', ['/b']), ts: 1_000 })
    expect(registry.info('a')).to.deep.equal({
      id: 'a',
      name: 'A',
      host: '_',
      realm_uri: 'com.example.test',
      ts: 1_001,
    })
    expect(registry.info('b')).to.not.have.property('name')
    expect(registry.list().map(({ id }) => id)).to.deep.equal(['a', 'b'])
    expect(registry.get('a').document.versions).to.have.all.keys('2')
    expect(registry.size).to.equal(2)
  })
})

describe('registry.start', () => {
  it('serves again what was stored, and continues its ts', async () => {
    const before = registryWith({ clock: { now: () => 9_000 } })
    await before.registry.load(document('a'))
    await before.registry.load(document('b', ['/b']))
    await before.registry.remove('b')
    const { registry, serves } = registryWith({ store: before.store })
    const shown = before.registry.list()
    const after = registryWith({ store: before.store })
    await after.registry.start()
    expect(after.registry.list()).to.deep.equal(shown)
    expect(after.serves('/v1/x')).to.equal('a')
    expect(after.serves('/v1/b')).to.equal(undefined)
    expect((await after.registry.load(document('c', ['/c']))).ts).to.equal(9_003)
    expect(serves('/v1/x')).to.equal(undefined)
    expect(registry.size).to.equal(0)
  })

  it('reports a document that does not compile any more, shows it, and serves the others', async () => {
    const { registry, store, serves, logged, ports } = registryWith()
    await registry.load(document('a', ['/a']))
    await registry.load(document('b', ['/b']))
    await registry.load(document('c', ['/c']))
    const { compile } = ports
    const after = new Registry({
      ...ports,
      store,
      compile(value) {
        const { id } = value as { id: string }
        if (id === 'a') throw new TypeError('broken')
        return id === 'b' ? { ...compile(value), api: undefined } : compile(value)
      },
    })
    await after.start()
    expect([serves('/v1/a'), serves('/v1/b'), serves('/v1/c')]).to.deep.equal([
      undefined,
      undefined,
      'c',
    ])
    expect(after.list()).to.have.length(3)
    expect(logged.filter(([, message]) => message === 'it does not compile')).to.have.length(2)
  })

  it('lets the older of two stored documents with one route serve', async () => {
    const { registry, store, serves, events } = registryWith()
    for (const [id, ts] of [
      ['young', 2],
      ['old', 1],
    ] as const) {
      store.rows.set(id, { id, ts, node: 'n', hash: 'h', document: document(id) })
    }
    await registry.start()
    expect(serves('/v1/x')).to.equal('old')
    expect(events.map(([topic]) => topic)).to.deep.equal(['service.api_spec.on_conflict'])
    expect(registry.list()).to.have.length(2)
  })
})
