/** The registry: what it shows, what it takes away, and what it serves again after a restart. */
import { expect } from 'chai'
import { ServiceError } from '#component/errors.ts'
import { compileReal, document, failure, registryWith } from './doubles.ts'

describe('registry.remove', () => {
  it('takes the routes away and leaves a tombstone', async () => {
    const { registry, serves, store } = await registryWith()
    await registry.load(document('a'))
    await registry.remove('a')
    expect(serves('/v1/x')).to.equal(undefined)
    expect(store.rows.get('api_spec a')).to.deep.include({
      stamp: { ms: 1_000, counter: 1, node: 'node-1' },
      hash: null,
      document: null,
    })
    expect(registry.list()).to.deep.equal([])
    expect([registry.size, registry.tombstones]).to.deep.equal([0, 1])
  })

  it('does not know an unknown id, nor one that is a key of every object', async () => {
    const { registry } = await registryWith()
    await registry.load(document('deleted'))
    await registry.remove('deleted')
    for (const id of ['nope', '__proto__', 'constructor', 'deleted']) {
      expect(await failure(registry.remove(id))).to.include({ uri: 'service.error.not_found' })
      for (const read of [() => registry.get(id), () => registry.info(id)]) {
        expect(read).to.throw(ServiceError).with.property('uri', 'service.error.not_found')
      }
    }
  })

  it('makes the routes free for another document', async () => {
    const { registry, serves } = await registryWith()
    await registry.load(document('a'))
    await registry.remove('a')
    await registry.load(document('b'))
    expect(serves('/v1/x')).to.equal('b')
  })

  it('is done after the load that was asked for before it', async () => {
    const { registry, serves } = await registryWith({
      compile: async (value) => {
        await new Promise((resolve) => setTimeout(resolve, 5))
        return compileReal(value)
      },
    })
    const loading = registry.load(document('a'))
    await registry.remove('a')
    await loading
    expect(serves('/v1/x')).to.equal(undefined)
  })

  it('logs who deleted what', async () => {
    const { registry, logged } = await registryWith()
    const { hash } = await registry.load(document('a'))
    await registry.remove('a', 'Ada')
    expect(logged.at(-1)).to.deep.equal([{ api_spec: 'a', by: 'Ada', old_hash: hash }, 'deleted'])
  })
})

describe('registry.get, info, list', () => {
  it('show the document with ts, its essentials, and all by id', async () => {
    const { registry } = await registryWith()
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
      ts: 1_000,
    })
    expect(registry.info('b')).to.not.have.property('name')
    expect(registry.list().map(({ id }) => id)).to.deep.equal(['a', 'b'])
    expect(registry.get('a').document.versions).to.have.all.keys('2')
    expect(registry.size).to.equal(2)
  })
})

describe('registry.start', () => {
  it('serves again what was stored, and continues its ts', async () => {
    const before = await registryWith({ clock: { now: () => 9_000 } })
    await before.registry.load(document('a'))
    await before.registry.load(document('b', ['/b']))
    await before.registry.remove('b')
    const { registry, serves, tables } = await registryWith({ store: before.store })
    expect(tables).to.have.length(1)
    expect(registry.list()).to.deep.equal(before.registry.list())
    expect([serves('/v1/x'), serves('/v1/b')]).to.deep.equal(['a', undefined])
    expect((await registry.load(document('c', ['/c']))).ts).to.equal(9_000)
  })

  it('reports a document that does not compile any more, shows it, and serves the others', async () => {
    const { registry, store } = await registryWith()
    await registry.load(document('a', ['/a']))
    await registry.load(document('b', ['/b']))
    await registry.load(document('c', ['/c']))
    const after = await registryWith({
      store,
      compile(value) {
        const { id } = value as { id: string }
        if (id === 'a') throw new TypeError('broken')
        return id === 'b' ? { ...compileReal(value), api: undefined } : compileReal(value)
      },
    })
    expect(['/v1/a', '/v1/b', '/v1/c'].map(after.serves)).to.deep.equal([undefined, undefined, 'c'])
    expect(after.registry.list()).to.have.length(3)
    expect(
      after.messages().filter((message) => String(message).includes('compile')),
    ).to.have.length(2)
    expect(after.registry.conflicts()).to.deep.equal(
      ['a', 'b'].map((id) => ({
        id,
        ts: 1_000,
        hash: registry.get(id).hash,
        node: 'node-1',
        reason: 'does_not_compile',
        serves: null,
      })),
    )
  })
})
