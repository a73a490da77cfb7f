/** Files that are loaded at start: each once, unless it has changed. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { expect } from 'chai'
import { systemClock } from '#component/clock.ts'
import { ServiceError } from '#component/errors.ts'
import { loadFiles, realmNames, specNames } from '#component/registry/files.ts'
import { openStore, type Store } from '#component/store/database.ts'
import { document, registryWith } from './doubles.ts'

/** A change that takes the place of the document `a`; the hash is that of its first version. */
type Replace = (
  registry: Awaited<ReturnType<typeof registryWith>>['registry'],
  hash: string,
) => Promise<unknown>

/** A clock that is one millisecond later at each look. */
function tickingClock() {
  let now = 1_000
  return { ...systemClock, now: () => now++ }
}

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined }

describe('loadFiles', () => {
  let folder: string
  let store: Store
  let clock: ReturnType<typeof tickingClock>
  beforeEach(async () => {
    clock = tickingClock()
    folder = mkdtempSync(join(tmpdir(), 'gateway-files-'))
    store = await openStore('sqlite::memory:', clock)
  })
  afterEach(async () => {
    await store.close()
    rmSync(folder, { recursive: true })
  })

  const write = (name: string, value: unknown) =>
    writeFileSync(
      join(folder, name),
      value instanceof Uint8Array || typeof value === 'string' ? value : JSON.stringify(value),
    )

  async function start(patterns = ['*.json'], changes: Parameters<typeof registryWith>[0] = {}) {
    const registry = await registryWith({ store: store.entries, clock, ...changes })
    const reports = await loadFiles(
      patterns.map((pattern) => join(folder, pattern)),
      {
        files: store.files,
        log: silent,
        yieldTurn: () => undefined,
        load: (documents) => registry.registry.loadUnlessThere(documents),
        isReplaced: (value, hash, since) =>
          registry.registry.history.isReplaced(specNames(value)[0] ?? '', hash, since),
        namesOf: specNames,
      },
    )
    const outcomes = reports.map(({ file, outcome }) => `${basename(file)} ${outcome}`)
    return { ...registry, reports, outcomes }
  }

  it('loads in file-name order, whatever order they are configured in', async () => {
    write('b.json', document('b', ['/b']))
    write('a.json', document('a', ['/a']))
    const { outcomes } = await start(['b.json', '*.json'])
    expect(outcomes).to.deep.equal(['a.json loaded', 'b.json loaded'])
  })

  it('lets one bad file never hide the others', async () => {
    write('a.json', '{"id":')
    write('b.json', { ...document('b', ['/b']), realm_uri: 'com.nowhere' })
    write('c.json', new Uint8Array([0xff, 0xfe]))
    write('d.json', `"${'x'.repeat(4 * 1024 * 1024)}"`)
    write('e.json', document('e', ['/e']))
    const { outcomes, serves } = await start()
    expect(outcomes).to.deep.equal([
      'a.json refused',
      'b.json refused',
      'c.json refused',
      'd.json refused',
      'e.json loaded',
    ])
    expect(serves('/v1/e')).to.equal('e')
  })

  it('lets the first of two files with one id serve, also after a restart', async () => {
    write('a.json', document('same', ['/first']))
    write('b.json', document('same', ['/second']))
    const first = await start()
    expect(first.outcomes).to.deep.equal(['a.json loaded', 'b.json shadowed'])
    const second = await start()
    expect(second.outcomes).to.deep.equal(['a.json unchanged', 'b.json shadowed'])
    expect(second.serves('/v1/first')).to.equal('same')
    expect(second.serves('/v1/second')).to.equal(undefined)
  })

  it('never undoes by a restart what was loaded or deleted since', async () => {
    write('a.json', document('a', ['/file']))
    write('b.json', document('b', ['/b']))
    const { registry } = await start()
    await registry.load(document('a', ['/since']))
    await registry.remove('b')
    const again = await start()
    expect(again.outcomes).to.deep.equal(['a.json unchanged', 'b.json unchanged'])
    expect(again.serves('/v1/since')).to.equal('a')
    expect(again.serves('/v1/file')).to.equal(undefined)
    expect(again.serves('/v1/b')).to.equal(undefined)
  })

  it('leaves what was loaded since when a file is only laid out anew', async () => {
    write('a.json', document('a', ['/file']))
    const first = await start()
    await first.registry.load(document('a', ['/since']))
    write('a.json', JSON.stringify(document('a', ['/file']), undefined, 2))
    const second = await start()
    expect(second.outcomes).to.deep.equal(['a.json unchanged'])
    expect([second.serves('/v1/since'), second.serves('/v1/file')]).to.deep.equal(['a', undefined])
  })

  it('loads a file again when its content has changed', async () => {
    write('a.json', document('a', ['/one']))
    await start()
    write('a.json', document('a', ['/two']))
    const { outcomes, serves } = await start()
    expect(outcomes).to.deep.equal(['a.json loaded'])
    expect(serves('/v1/two')).to.equal('a')
  })

  for (const [what, replace] of [
    ['a rollback', (registry, hash) => registry.rollback('a', hash)],
    ['another load', (registry) => registry.load(document('a', ['/three']))],
    ['a deletion', (registry) => registry.remove('a')],
  ] satisfies [string, Replace][]) {
    it(`keeps a file back whose document was loaded by hand and replaced by ${what}`, async () => {
      write('a.json', document('a', ['/one']))
      const { registry } = await start()
      const { hash } = registry.get('a')
      write('a.json', document('a', ['/two']))
      await registry.load(document('a', ['/two']))
      await replace(registry, hash)
      for (let starts = 0; starts < 2; starts++) {
        const { outcomes, serves } = await start()
        expect(outcomes).to.deep.equal(['a.json kept back'])
        expect(serves('/v1/two')).to.equal(undefined)
      }
      write('a.json', document('a', ['/four']))
      expect((await start()).outcomes).to.deep.equal(['a.json loaded'])
      write('a.json', document('a', ['/two']))
      expect((await start()).outcomes).to.deep.equal(['a.json loaded'])
    })
  }

  it('loads a file again that goes back and forth between two versions', async () => {
    for (const path of ['/one', '/two', '/one', '/two']) {
      write('a.json', document('a', [path]))
      const { outcomes, serves } = await start()
      expect(outcomes).to.deep.equal(['a.json loaded'])
      expect(serves(`/v1${path}`)).to.equal('a')
    }
  })

  it('moves a route from one file to another, whichever comes first', async () => {
    write('a.json', document('a', ['/a']))
    write('b.json', document('b', ['/b', '/moved']))
    await start()
    write('a.json', document('a', ['/a', '/moved']))
    write('b.json', document('b', ['/b']))
    const { outcomes, serves } = await start()
    expect(outcomes).to.deep.equal(['a.json loaded', 'b.json loaded'])
    expect(serves('/v1/moved')).to.equal('a')
    write('c.json', document('c', ['/moved']))
    write('d.json', document('d', ['/d']))
    expect((await start()).outcomes.slice(2)).to.deep.equal(['c.json refused', 'd.json loaded'])
  })

  it('tries a refused file again at the next start', async () => {
    write('a.json', document('a'))
    const { outcomes } = await start(undefined, { realmExists: () => false })
    expect(outcomes).to.deep.equal(['a.json refused'])
    expect((await start()).outcomes).to.deep.equal(['a.json loaded'])
  })

  it('makes one version of a file that several processes load at once', async () => {
    write('a.json', document('a', ['/one']))
    const processes = await Promise.all(
      ['node-1', 'node-2', 'node-3'].map((node) => registryWith({ store: store.entries, node })),
    )
    // each of them looks before any has loaded it
    const files = { lastLoads: async () => new Map(), setLoadedHashes: async () => undefined }
    const reports = await Promise.all(
      processes.map(({ registry }) =>
        loadFiles([join(folder, 'a.json')], {
          files,
          log: silent,
          yieldTurn: () => undefined,
          load: (documents) => registry.loadUnlessThere(documents),
          namesOf: specNames,
        }),
      ),
    )
    expect(reports.map(([report]) => report?.outcome).sort()).to.deep.equal([
      'loaded',
      'unchanged',
      'unchanged',
    ])
    expect(await processes[0]?.registry.history.list('a')).to.have.length(1)
    for (const { serves, registry } of processes) {
      expect(serves('/v1/one')).to.equal('a')
      expect(registry.counts.refused).to.equal(0)
    }
  })

  it('makes many files live in few changes, and the others of them when some are refused', async () => {
    const [spoiled, taken] = [7, 50]
    for (let at = 0; at < 100; at += 1) {
      const name = `s${String(at).padStart(2, '0')}`
      if (at === spoiled) write(`${name}.json`, { ...document(name), realm_uri: 'com.nowhere' })
      else write(`${name}.json`, document(name, [at === taken ? '/s10' : `/${name}`]))
    }
    const { reports, tables, serves, registry } = await start()
    expect(tables.length).to.be.within(3, 10)
    expect(reports.flatMap(({ outcome }, at) => (outcome === 'loaded' ? [] : at))).to.deep.equal([
      spoiled,
      taken,
    ])
    expect(reports[taken]?.error).to.include({ uri: 'service.error.already_exists' })
    expect(serves('/v1/s10')).to.equal('s10')
    expect(serves('/v1/s99')).to.equal('s99')
    // a file whose route was taken is tried once more, since another file may have given it up
    expect(registry.counts).to.deep.equal({ loaded: 98, refused: 3 })
    const again = await start()
    expect(again.outcomes.filter((outcome) => outcome.endsWith('unchanged'))).to.have.length(98)
    expect(again.tables).to.have.length(1)
  })

  it('makes a file live that takes routes over, and those around it', async () => {
    const three = (middle: string) => {
      write('a.json', document('a', ['/a', '/shared']))
      write('b.json', document('b', [middle]))
      write('c.json', document('c', ['/c']))
    }
    three('/b')
    await start()
    write('a.json', document('a', ['/a']))
    write('b.json', document('b', ['/shared']))
    write('c.json', document('c', ['/b', '/c']))
    const { outcomes, serves } = await start()
    expect(outcomes).to.deep.equal(['a.json loaded', 'b.json loaded', 'c.json loaded'])
    expect(['/a', '/shared', '/b', '/c'].map((path) => serves(`/v1${path}`))).to.deep.equal([
      ...['a', 'b', 'c', 'c'],
    ])
  })

  it('refuses all files of a page while the store is away, and loads them when it is back', async () => {
    for (const name of ['a', 'b', 'c']) write(`${name}.json`, document(name, [`/${name}`]))
    const { registry } = await registryWith({ store: store.entries, clock })
    const away = new ServiceError('service.error.unavailable', 'the store is away')
    const reports = await loadFiles([join(folder, '*.json')], {
      files: { lastLoads: () => Promise.reject(away), setLoadedHashes: async () => undefined },
      ...{ log: silent, yieldTurn: () => undefined, namesOf: specNames },
      load: (documents) => registry.loadUnlessThere(documents),
    })
    expect(reports.map(({ outcome, error }) => [outcome, error])).to.deep.equal(
      ['a', 'b', 'c'].map(() => ['refused', away]),
    )
    expect((await start()).outcomes).to.deep.equal([
      'a.json loaded',
      'b.json loaded',
      'c.json loaded',
    ])
  })

  it('reports a name that no file has', async () => {
    expect((await start(['nope.json', 'n*.json'])).outcomes).to.deep.equal([
      'nope.json missing',
      'n*.json missing',
    ])
  })

  it('takes a file name as it is, even if it looks like a glob', async () => {
    write('[a].json', document('a'))
    expect((await start(['[a].json'])).outcomes).to.deep.equal(['[a].json loaded'])
  })
})

describe('the names of a document', () => {
  it('are its ids or URIs, one or several', () => {
    expect(specNames({ id: 'a' })).to.deep.equal(['a'])
    expect(realmNames([{ uri: 'a' }, { uri: 'b' }, 5, {}])).to.deep.equal(['a', 'b'])
    expect(specNames('x')).to.deep.equal([])
  })
})
