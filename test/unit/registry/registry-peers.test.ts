/** The registry: what other nodes have loaded goes live here as a whole, and never half. */
import { expect } from 'chai'
import { compileReal, document, registryWith } from './doubles.ts'
import { isAbout, stampAt, versionOf } from './peers.ts'

/** Compiles nothing of a format that this node does not know yet. */
const compileOld = (value: unknown) =>
  'format' in (value as object)
    ? {
        ...compileReal(value),
        api: undefined,
        issues: [{ path: '/format', message: 'unknown format' }],
      }
    : compileReal(value)

describe('registry, when other nodes load', () => {
  it('compiles all that came at once, then swaps once', async () => {
    const { replica, tables, serves } = await registryWith()
    const swaps = tables.length
    const ids = Array.from({ length: 20 }, (_, index) => `id${index}`)
    await replica.merge(
      ids.map((id, index) => versionOf(id, document(id, [`/${id}`]), stampAt(500 + index))),
    )
    expect(tables).to.have.length(swaps + 1)
    expect(ids.map((id) => serves(`/v1/${id}`))).to.deep.equal(ids)
  })

  it('serves the old table until all is compiled', async () => {
    let go: () => void = () => undefined
    const gate = new Promise<void>((resolve) => {
      go = resolve
    })
    const { replica, serves } = await registryWith({
      compile: async (value) => {
        if ((value as { id: string }).id === 'b') await gate
        return compileReal(value)
      },
    })
    await replica.merge([versionOf('a', document('a', ['/old']), stampAt(500))])
    const merging = replica.merge([
      versionOf('a', document('a', ['/new']), stampAt(600)),
      versionOf('b', document('b', ['/b']), stampAt(600)),
    ])
    await new Promise((resolve) => setImmediate(resolve))
    expect(['/v1/old', '/v1/new', '/v1/b'].map(serves)).to.deep.equal(['a', undefined, undefined])
    go()
    await merging
    expect(['/v1/old', '/v1/new', '/v1/b'].map(serves)).to.deep.equal([undefined, 'a', 'b'])
  })

  it('takes a deletion, and says in the log where changes come from', async () => {
    const { registry, replica, serves, logged } = await registryWith()
    const { hash } = await registry.load(document('a'))
    await replica.merge([versionOf('a', null, stampAt(2_000))])
    expect(serves('/v1/x')).to.equal(undefined)
    expect(logged).to.deep.include([
      { api_spec: 'a', from: 'node-2', hash: null, old_hash: hash },
      'deleted on another node',
    ])
  })

  it('does not serve a document under the id of another', async () => {
    const { replica, serves, registry } = await registryWith()
    await replica.merge([versionOf('a', document('b'), stampAt(500))])
    expect(serves('/v1/x')).to.equal(undefined)
    expect(registry.conflicts().map(({ id, reason }) => [id, reason])).to.deep.equal([
      ['a', 'does_not_compile'],
    ])
  })
})

describe('a document that does not compile here', () => {
  const newer = (paths: readonly string[] = ['/newer']) => document('a', paths, { format: 2 })

  it('is kept and reported once, and the last good version serves on', async () => {
    const { registry, replica, serves, logged } = await registryWith({ compile: compileOld })
    await registry.load(document('a', ['/old']))
    await replica.merge([versionOf('a', newer(), stampAt(2_000))])
    await registry.load(document('b', ['/b'])) // builds the table anew
    expect(await registry.served('a')).to.deep.equal(document('a', ['/old']))
    expect(registry.documents()[0]).to.deep.equal(newer())
    expect(['/v1/old', '/v1/newer'].map(serves)).to.deep.equal(['a', undefined])
    expect(registry.get('a').document).to.deep.equal({ ...newer(), ts: 2_000 })
    const reports = logged.filter(isAbout('compile'))
    expect(reports).to.have.length(1)
    expect(reports[0]?.[0]).to.deep.include({
      api_spec: 'a',
      from: 'node-2',
      issues: [{ path: '/format', message: 'unknown format' }],
      serves: 1_000,
    })
    expect(registry.conflicts()).to.deep.equal([
      {
        id: 'a',
        ts: 2_000,
        hash: registry.get('a').hash,
        node: 'node-2',
        reason: 'does_not_compile',
        serves: 1_000,
      },
    ])
  })

  it('leaves the last good version serving after a restart, too', async () => {
    const { registry, replica, store } = await registryWith({ compile: compileOld })
    await registry.load(document('a', ['/older']))
    await registry.load(document('a', ['/old']))
    for (const ms of [2_000, 3_000]) await replica.merge([versionOf('a', newer(), stampAt(ms))])
    const again = await registryWith({ store, compile: compileOld })
    expect(['/v1/old', '/v1/older', '/v1/newer'].map(again.serves)).to.deep.equal([
      'a',
      undefined,
      undefined,
    ])
    expect(again.registry.conflicts()[0]).to.include({ ts: 3_000, serves: 1_000 })
  })

  it('leaves it serving as long as the process lives, however long the history has become', async () => {
    const { registry, replica, serves } = await registryWith({ compile: compileOld })
    await registry.load(document('a', ['/old']))
    for (let ms = 2_000; ms < 2_012; ms++) {
      await replica.merge([versionOf('a', { ...newer(), name: `${ms}` }, stampAt(ms))])
    }
    expect((await registry.history.list('a')).map(({ ts }) => ts)).to.not.include(1_000)
    expect(serves('/v1/old')).to.equal('a')
  })

  it('brings nothing back that was deleted before it, not after a restart either', async () => {
    const { registry, replica, store, serves } = await registryWith({ compile: compileOld })
    await registry.load(document('a', ['/old']))
    await registry.remove('a')
    await replica.merge([versionOf('a', newer(), stampAt(2_000))])
    expect(serves('/v1/old')).to.equal(undefined)
    const again = await registryWith({ store, compile: compileOld })
    expect(again.serves('/v1/old')).to.equal(undefined)
  })

  it('goes when it is deleted, and recovers when a version comes that compiles', async () => {
    const { registry, replica, serves } = await registryWith({ compile: compileOld })
    await registry.load(document('a', ['/old']))
    await replica.merge([versionOf('a', newer(), stampAt(2_000))])
    await replica.merge([versionOf('a', document('a', ['/good']), stampAt(3_000))])
    expect(['/v1/old', '/v1/good'].map(serves)).to.deep.equal([undefined, 'a'])
    expect(registry.conflicts()).to.deep.equal([])
    await replica.merge([versionOf('a', newer(), stampAt(4_000))])
    await replica.merge([versionOf('a', null, stampAt(5_000))])
    expect(serves('/v1/good')).to.equal(undefined)
  })

  it('has no claim on routes by its newest stamp, only by that of the version that serves', async () => {
    const { registry, replica, serves } = await registryWith({ compile: compileOld })
    await registry.load(document('a', ['/x']))
    await replica.merge([
      versionOf('b', document('b', ['/x']), stampAt(1_500)),
      versionOf('a', newer(), stampAt(2_000)),
    ])
    expect(serves('/v1/x')).to.equal('b')
    expect(registry.conflicts()[0]).to.include({ id: 'a', serves: null, other: 'b' })
  })
})
