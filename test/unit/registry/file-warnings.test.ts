/** Warnings about files that are loaded at start: in the log, each with its file and pointer. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { systemClock } from '#component/clock.ts'
import { type FilePorts, loadFiles, realmNames, specNames } from '#component/registry/files.ts'
import { openStore, type Store } from '#component/store/database.ts'
import { realmsWith } from '#test/unit/realm/doubles.ts'
import { document, registryWith } from './doubles.ts'

describe('the warnings of files', () => {
  let folder: string
  let store: Store
  let warned: unknown[]

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'gateway-warnings-'))
    store = await openStore('sqlite::memory:', systemClock)
    warned = []
  })
  afterEach(async () => {
    await store.close()
    rmSync(folder, { recursive: true })
  })

  const write = (name: string, value: unknown) => {
    const file = join(folder, name)
    writeFileSync(file, JSON.stringify(value))
    return file
  }

  const loadRealms =
    (realms: Awaited<ReturnType<typeof realmsWith>>['realms']): FilePorts['load'] =>
    (documents) =>
      Promise.allSettled(documents.map(({ document, by }) => realms.load(document, by)))

  const start = (file: string, ports: Pick<FilePorts, 'load' | 'namesOf'>) =>
    loadFiles([file], {
      ...{ files: store.files, yieldTurn: () => undefined, ...ports },
      log: {
        info: () => undefined,
        warn: (line: object) => void warned.push(line),
        error: () => undefined,
      },
    })

  it('are logged for API Specifications', async () => {
    const file = write('a.json', { ...document('a', ['/a']), nmae: 'A', hots: '_' })
    const { registry } = await registryWith({ store: store.entries })
    await start(file, {
      load: (documents) => registry.loadUnlessThere(documents),
      namesOf: specNames,
    })
    expect(warned).to.deep.equal([
      {
        file,
        pointer: '/nmae',
        reason: 'the key "nmae" is unknown and is ignored; did you mean name?',
      },
      {
        file,
        pointer: '/hots',
        reason: 'the key "hots" is unknown and is ignored; did you mean host?',
      },
    ])
  })

  it('are none for the ts that an answer has added to a document, which is loaded without it', async () => {
    const file = write('a.json', { ...document('a', ['/a']), ts: 5 })
    const { registry } = await registryWith({ store: store.entries })
    await start(file, {
      load: (documents) => registry.loadUnlessThere(documents),
      namesOf: specNames,
    })
    expect(warned).to.deep.equal([])
    expect(registry.documents()).to.deep.equal([document('a', ['/a'])])
  })

  it('are logged for realms, with their place in the file', async () => {
    const { realms } = await realmsWith()
    const load = loadRealms(realms)
    const users = [{ username: 'ada', gruops: [] }]
    const file = write('realms.json', [{ uri: 'com.a' }, { uri: 'com.b', users }])
    await start(file, { load, namesOf: realmNames })
    expect(warned).to.deep.equal([
      {
        file,
        pointer: '/1/users/0/gruops',
        reason: 'the key "gruops" is unknown and is ignored; did you mean groups?',
      },
    ])
  })

  it('are a hundred at most, and how many more there are is told', async () => {
    const { realms } = await realmsWith()
    const info = {
      uri: 'com.a',
      ...Object.fromEntries(Array.from({ length: 120 }, (_, n) => [`x${n}`, n])),
    }
    const file = write('realm.json', info)
    await start(file, { load: loadRealms(realms), namesOf: realmNames })
    expect(warned).to.have.length(101)
    expect(warned.at(-1)).to.deep.equal({ file, more: 20 })
  })
})
