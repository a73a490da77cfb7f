/** The registry: a load changes everything at once, or nothing. */
import { createHash } from 'node:crypto'
import { expect } from 'chai'
import { canonicalJson } from '#component/codec/json.ts'
import { InvalidSpecError } from '#component/errors.ts'
import { formatStamp } from '#component/replica/stamp.ts'
import { document, failure, registryWith } from './doubles.ts'

const pathsOf = (error: unknown) =>
  error instanceof InvalidSpecError ? error.issues.map(({ path }) => path) : error

describe('registry.load', () => {
  it('serves a new document when it resolves, and has stored it', async () => {
    const { registry, serves, store } = await registryWith()
    const loaded = await registry.load(document('a'))
    expect(loaded).to.include({ id: 'a', ts: 1_000, isNew: true })
    expect(loaded.warnings).to.deep.equal([])
    expect(serves('/v1/x')).to.equal('a')
    expect(store.rows.get('api_spec a')).to.deep.include({
      stamp: { ms: 1_000, counter: 0, node: 'node-1' },
      parent: null,
      document: document('a'),
    })
  })

  it('replaces a document, whose old routes are gone', async () => {
    const { registry, serves } = await registryWith()
    await registry.load(document('a', ['/x']))
    const loaded = await registry.load(document('a', ['/y']))
    expect(loaded.isNew).to.equal(false)
    expect(serves('/v1/x')).to.equal(undefined)
    expect(serves('/v1/y')).to.equal('a')
  })

  it('never gives a version a smaller ts, even when the clock stands still or steps back', async () => {
    let now = 0
    const { registry, replica } = await registryWith({ clock: { now: () => now } })
    const stamps: number[] = []
    const order: string[] = []
    for (const [id, time] of [
      ['a', 1_000],
      ['b', 1_000],
      ['a', 400],
      ['b', 2_000],
      ['a', 0],
    ] as const) {
      now = time
      stamps.push((await registry.load(document(id, [`/${id}`]))).ts)
      order.push(formatStamp(replica.get('api_spec', id)?.stamp ?? { ms: 0, counter: 0, node: '' }))
    }
    expect(stamps).to.deep.equal([1_000, 1_000, 1_000, 2_000, 2_000])
    expect(order).to.deep.equal([
      '1000.0.node-1',
      '1000.1.node-1',
      '1000.2.node-1',
      '2000.0.node-1',
      '2000.1.node-1',
    ])
  })

  it('hashes the canonical JSON, whatever the order of keys', async () => {
    const { registry } = await registryWith()
    const { hash } = await registry.load(document('a'))
    const expected = createHash('sha256')
      .update(canonicalJson(document('a')))
      .digest('hex')
    expect(hash).to.equal(expected)
    const reversed = Object.fromEntries(Object.entries(document('a')).reverse())
    expect((await registry.load(reversed)).hash).to.equal(expected)
  })

  it('takes back what get gave, as the same document', async () => {
    const { registry } = await registryWith()
    const first = await registry.load(document('a'))
    const again = await registry.load(registry.get('a').document)
    expect(again.hash).to.equal(first.hash)
  })

  it('names a realm that does not exist beside every other issue', async () => {
    const { registry, tables, store } = await registryWith()
    await registry.load(document('other', ['/taken']))
    const broken = document('a', ['/taken', '/x', '//'], {
      realm_uri: 'com.no.such.realm',
      variables: {
        v: '{{variables.w}}',
        w: '{{variables.v}}',
        f: '{{variables.n |> frist}}',
        n: 1,
      },
      versions: {
        '1.0': {
          base_path: '/v1',
          paths: {
            '/taken': document('a').versions['1.0'].paths['/x'],
            '/x': {
              get: { action: { type: 'exec' }, response: { on_result: {}, on_error: {} } },
            },
          },
        },
      },
    })
    const swaps = tables.length
    const found = pathsOf(await failure(registry.load(broken)))
    expect(found).to.include.members([
      '/realm_uri',
      '/variables/f',
      '/versions/1.0/paths/~1taken',
      '/versions/1.0/paths/~1x/get/action/type',
    ])
    expect(found).to.satisfy((paths: string[]) =>
      paths.some((path) => path === '/variables/v' || path === '/variables/w'),
    )
    expect(tables).to.have.length(swaps)
    expect([...store.rows.keys()]).to.deep.equal(['api_spec other'])
  })

  it('does not ask for the realm when its URI is broken', async () => {
    const asked: string[] = []
    const { registry } = await registryWith({ realmExists: (uri) => asked.push(uri) > 0 })
    const error = await failure(registry.load({ ...document('a'), realm_uri: 5 }))
    expect(pathsOf(error)).to.deep.equal(['/realm_uri'])
    expect(asked).to.deep.equal([])
  })

  it('asks for the realm of a document that is too broken to compile', async () => {
    const { registry } = await registryWith()
    const error = await failure(registry.load({ id: 'a', host: '_', realm_uri: 'com.nowhere' }))
    expect(pathsOf(error)).to.have.members(['/versions', '/realm_uri'])
  })

  for (const [what, value] of [
    ['a string', 'x'],
    ['null', null],
    ['a list', []],
    ['a number', 5],
  ] as const) {
    it(`refuses ${what} as a document`, async () => {
      const { registry } = await registryWith()
      expect(pathsOf(await failure(registry.load(value)))).to.deep.equal([''])
    })
  }

  it('refuses a document above 4 MiB', async () => {
    const { registry } = await registryWith()
    const error = await failure(registry.load({ ...document('a'), name: 'x'.repeat(4_194_304) }))
    expect(error).to.include({ uri: 'service.error.payload_too_large', status: 413 })
  })

  it('refuses routes of another id, naming it, in whatever order they come', async () => {
    for (const [first, second] of [
      ['com.t.a', 'com.t.b'],
      ['com.t.b', 'com.t.a'],
    ] as const) {
      const { registry, serves, events } = await registryWith()
      await registry.load(document(first))
      const error = await failure(registry.load(document(second, ['/free', '/x'])))
      expect(error).to.include({ uri: 'service.error.already_exists', status: 400 })
      expect((error as Error).message).to.include(first)
      expect(serves('/v1/x')).to.equal(first)
      expect(serves('/v1/free')).to.equal(undefined)
      expect(events.at(-1)).to.deep.equal([
        'service.api_spec.on_conflict',
        { id: second, other: first, path: '/versions/1.0/paths/~1x', node: 'node-1' },
      ])
    }
  })

  it('lists every route that belongs to another id', async () => {
    const { registry } = await registryWith()
    await registry.load(document('com.t.a', ['/x', '/y']))
    const error = await failure(registry.load(document('com.t.b', ['/x', '/free', '/y'])))
    expect(error).to.include({ uri: 'service.error.already_exists' })
    expect(pathsOf(error)).to.deep.equal(['/versions/1.0/paths/~1x', '/versions/1.0/paths/~1y'])
  })

  it('changes nothing when the store is away', async () => {
    const { registry, store, serves, events, tables } = await registryWith()
    await registry.load(document('a', ['/old']))
    store.isAway = true
    const swaps = tables.length
    const error = await failure(registry.load(document('a', ['/new'])))
    expect(error).to.include({ uri: 'service.error.unavailable', status: 503 })
    expect(serves('/v1/old')).to.equal('a')
    expect([tables.length, events.length]).to.deep.equal([swaps, 0])
    store.isAway = false
    await registry.load(document('a', ['/new']))
    expect(serves('/v1/new')).to.equal('a')
  })

  it('runs one load after the other, so that of two with one route only one wins', async () => {
    const { registry, store } = await registryWith()
    const results = await Promise.allSettled(
      ['a', 'b', 'c', 'd'].map((id) => registry.load(document(id))),
    )
    expect(results.map(({ status }) => status)).to.deep.equal([
      'fulfilled',
      'rejected',
      'rejected',
      'rejected',
    ])
    expect([...store.rows.keys()]).to.deep.equal(['api_spec a'])
  })

  it('holds a copy: who gave the document cannot change it afterwards', async () => {
    const { registry } = await registryWith()
    const mine = document('a')
    const loading = registry.load(mine)
    mine.host = 'changed.example'
    await loading
    mine.realm_uri = 'changed'
    expect(registry.get('a').document).to.include({ host: '_', realm_uri: 'com.example.test' })
  })

  for (const [what, publishEvent] of [
    [
      'throws',
      () => {
        throw new Error('not joined')
      },
    ],
    ['rejects', () => Promise.reject(new Error('not joined'))],
  ] as const) {
    it(`refuses as it does otherwise when publishing ${what}, and logs that`, async () => {
      const { registry, messages } = await registryWith({ publishEvent })
      await registry.load(document('a'))
      const error = await failure(registry.load(document('b')))
      expect(error).to.include({ uri: 'service.error.already_exists' })
      await new Promise((resolve) => setImmediate(resolve))
      expect(messages()).to.include('an event was not published')
    })
  }

  it('logs who loaded what, with the old and the new hash', async () => {
    const { registry, logged } = await registryWith()
    const first = await registry.load(document('a'), 'Ada')
    const second = await registry.load(document('a', ['/y']), 'Bob')
    expect(logged.at(-1)).to.deep.equal([
      { api_spec: 'a', by: 'Bob', hash: second.hash, old_hash: first.hash },
      'loaded',
    ])
  })

  for (const [path, root] of [
    ['/api_specs', '/api_specs'],
    ['/[api_specs]/[:id]/[info]', '/api_specs'],
    ['/:a/load_api_spec', '/services'],
    ['/realms/[...]', '/realms'],
    ['/api_specs/:id/versions', '/api_specs'],
    ['/registry', '/registry'],
  ] as const) {
    it(`warns that ${path} hides management on a shared listener`, async () => {
      const { paths } = document('a', [path]).versions['1.0']
      const of = async (changes: { managementPaths?: readonly string[] }) => {
        const { registry } = await registryWith(changes)
        return registry.load(document('a', [path], { versions: { v: { base_path: '/', paths } } }))
      }
      const { warnings } = await of({})
      expect(warnings.map((warning) => warning.message).join()).to.include(root)
      expect((await of({ managementPaths: [] })).warnings).to.deep.equal([])
    })
  }
})

describe('registry.tryOut', () => {
  it('finds what load finds, and keeps nothing', async () => {
    const { registry, tables, store, events } = await registryWith()
    const swaps = tables.length
    expect(await registry.tryOut(document('a'))).to.deep.include({ id: 'a', warnings: [] })
    expect([tables.length, store.rows.size, events.length]).to.deep.equal([swaps, 0, 0])
    const error = await failure(registry.tryOut({ ...document('a'), realm_uri: 'com.nowhere' }))
    expect(pathsOf(error)).to.deep.equal(['/realm_uri'])
  })
})
