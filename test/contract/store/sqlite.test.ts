/** SQLite passes the contract of stores, and keeps its word when it is killed, locked, or has no room. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { systemClock } from '#component/clock.ts'
import { openStore, type Store } from '#component/store/database.ts'
import { impatientClock } from '#test/contract/session/fast-clock.ts'
import { rounds } from '#test/support/running/rounds.ts'
import { describeAnswers } from './answers.contract.ts'
import { describeDeliveries } from './deliveries.contract.ts'
import { tombstone, version } from './documents.ts'
import { describeFamilies } from './families.contract.ts'
import { describeForgetting } from './forgetting.contract.ts'
import { describeLogins } from './logins.contract.ts'
import { describeQuotas } from './quotas.contract.ts'
import { describeSince } from './since.contract.ts'
import { describeSpecIndexes } from './spec-indexes.contract.ts'
import { describeStore } from './store.contract.ts'
import { describeTicketUses } from './ticket-uses.contract.ts'

const script = fileURLToPath(new URL('./writer.ts', import.meta.url))

/** How often a writer is killed. */
const kills = rounds(4, 12)

const makeFolder = () => mkdtempSync(join(tmpdir(), 'gateway-store-'))

describeStore('SQLite in memory', async () => {
  const store = await openStore('sqlite::memory:', systemClock)
  return { open: async () => store }
})

describe('SQLite in a file', () => {
  let folder: string
  let url: string
  beforeEach(() => {
    folder = makeFolder()
    url = `sqlite:${join(folder, 'data', 'gateway.db')}`
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  for (const describeContract of [
    describeStore,
    describeSince,
    describeForgetting,
    describeFamilies,
    describeAnswers,
    describeLogins,
    describeTicketUses,
    describeSpecIndexes,
    describeQuotas,
    describeDeliveries,
  ]) {
    describeContract('It', async () => ({ open: () => openStore(url, systemClock) }))
  }

  const all = async ({ entries }: Store) => (await entries.since(0)).entries

  /** Writes in a process of its own; `onLine` gets what the store has acknowledged. */
  async function write(
    args: readonly string[],
    onLine: (line: string, kill: () => void) => void = () => undefined,
    shell: readonly string[] = [],
  ) {
    const [command = '', ...rest] = [...shell, process.execPath, script, url, ...args]
    const writer = spawn(command, rest, { stdio: ['ignore', 'pipe', 'inherit'] })
    const lines = createInterface(writer.stdout)
    lines.on('line', (line) => onLine(line, () => writer.kill('SIGKILL')))
    const [[code, signal]] = await Promise.all([once(writer, 'exit'), once(lines, 'close')])
    return signal ?? code
  }

  it('is there again after it was closed', async () => {
    const store = await openStore(url, systemClock)
    await store.entries.merge([version('a', 1)])
    await store.close()
    const again = await openStore(url, systemClock)
    expect(await all(again)).to.deep.equal([version('a', 1)])
    await again.close()
  })

  it('is readable by its owner only', async () => {
    const store = await openStore(url, systemClock)
    await store.entries.merge([version('a', 1)])
    for (const name of ['gateway.db', 'gateway.db-wal']) {
      expect(statSync(join(folder, 'data', name)).mode & 0o777).to.equal(0o600)
    }
    await store.close()
  })

  it('answers 503 while another process holds the lock, and works again after', async () => {
    const store = await openStore(url, impatientClock())
    const other = new DatabaseSync(join(folder, 'data', 'gateway.db'))
    other.exec('begin immediate')
    const error = await store.entries.merge([version('a', 1)]).catch((reason: unknown) => reason)
    expect(error).to.include({ uri: 'service.error.unavailable' })
    expect(error).to.have.nested.property('headers.Retry-After', '5')
    expect(await all(store)).to.deep.equal([])
    other.exec('rollback')
    other.close()
    await store.entries.merge([version('a', 1)])
    expect(await all(store)).to.have.length(1)
    await store.close()
  })

  it('waits for a lock that is soon given back', async () => {
    const store = await openStore(url, {
      ...systemClock,
      after(_ms, callback) {
        other.exec('commit')
        setImmediate(callback)
        return () => undefined
      },
    })
    const other = new DatabaseSync(join(folder, 'data', 'gateway.db'))
    other.exec('begin immediate')
    await store.entries.merge([version('a', 1)])
    other.close()
    expect(await all(store)).to.have.length(1)
    await store.close()
  })

  it('answers queries of many forms, each time that they are asked', async () => {
    const store = await openStore(url, systemClock)
    const paths = Array.from({ length: 150 }, (_, at) => `/file${at}`)
    await store.files.setLoadedHashes(new Map(paths.map((path) => [path, `hash of ${path}`])))
    for (const round of [1, 2]) {
      for (let count = 1; count <= paths.length; count++) {
        const found = await store.files.lastLoads(paths.slice(0, count))
        expect(found.get(`/file${count - 1}`)?.hash, `round ${round}`).to.equal(
          `hash of /file${count - 1}`,
        )
        expect(found.size).to.equal(count)
      }
    }
    await store.close()
  })

  it('answers 503 when there is no room, and keeps what it had', async () => {
    // files of at most 400 kB, and no signal for the attempt to write more
    const limit = ['bash', '-c', 'trap \'\' XFSZ; ulimit -f 400; exec "$@"', 'bash']
    const written: string[] = []
    await write(['n1'], (line) => written.push(line), limit)
    expect(written.pop()).to.equal('service.error.unavailable')
    const store = await openStore(url, systemClock)
    expect((await all(store)).at(-1)?.stamp.ms).to.equal(Number(written.pop()))
    await store.close()
  })

  for (const [what, make] of [
    ['a file that is no database', (file: string) => writeFileSync(file, 'x'.repeat(5_000))],
    ['a folder that is a file', (file: string) => writeFileSync(join(file, '..', 'data'), '')],
  ] as const) {
    it(`does not open ${what}, and says so`, async () => {
      const file = join(folder, 'broken.db')
      make(file)
      const broken = what.startsWith('a folder') ? url : `sqlite:${file}`
      const error = await openStore(broken, systemClock).catch((reason: unknown) => reason)
      expect(error).to.include({ uri: 'service.error.unavailable' })
    })
  }

  for (const wrong of ['mysql://localhost/x', 'sqlite:', '']) {
    it(`does not take "${wrong}" for a URL`, async () => {
      const error = await openStore(wrong, systemClock).catch((reason: unknown) => reason)
      expect(error).to.be.instanceOf(TypeError)
    })
  }

  it('gets its tables once when several gateways open it at once', async () => {
    const opened = Array.from({ length: 4 }, () => openStore(url, systemClock))
    const stores = await Promise.all(opened)
    const a = version('a', 5)
    expect(await stores[0]?.entries.replace([a])).to.equal(true)
    for (const { entries } of stores) {
      expect(await entries.since(1)).to.deep.equal({ revision: 2, entries: [a] })
    }
    for (const store of stores) await store.close()
  })

  /** Loads and deletes many documents; the history of all of them has ended then. */
  async function comeAndGo({ entries }: Store): Promise<void> {
    const ids = Array.from({ length: 500 }, (_, index) => `come-${index}`)
    const long = (id: string) => ({ id, text: 'x'.repeat(5_000) })
    await entries.merge(ids.map((id) => version(id, 1, { document: long(id) })))
    await entries.merge(ids.map((id) => tombstone(id, 2)))
    await entries.endHistory(3)
  }

  const sizeOf = (file: string): number => statSync(file).size

  it('gives back the room of what has ended', async () => {
    const store = await openStore(url, systemClock)
    await comeAndGo(store)
    await store.shrink()
    const size = sizeOf(join(folder, 'data', 'gateway.db'))
    await comeAndGo(store)
    await store.shrink()
    expect(sizeOf(join(folder, 'data', 'gateway.db'))).to.be.at.most(size)
    expect(size).to.be.below(300_000)
    expect((await all(store)).length).to.equal(500)
    await store.close()
  })

  it('takes what two processes write at once', async () => {
    const codes = await Promise.all(['n1', 'n2'].map((node) => write([node, '1', '300'])))
    expect(codes).to.deep.equal([0, 0])
    const store = await openStore(url, systemClock)
    const newest = [294, 295, 296, 297, 298, 299, 300].flatMap((ms) => [ms, ms])
    expect((await all(store)).map(({ stamp }) => stamp.ms)).to.deep.equal(newest)
    for (const id of ['n1-6', 'n2-6']) {
      expect(await store.entries.versions('api_spec', id)).to.have.length(10)
    }
    await store.close()
  })

  it(`has lost nothing that it acknowledged when it is killed, ${kills} times`, async () => {
    let acknowledged = 0
    for (let round = 1; round <= kills; round++) {
      const killAfter = acknowledged + 3 + round * 5
      const end = await write(['n1', String(acknowledged + 1)], (line, kill) => {
        acknowledged = Number(line)
        if (acknowledged >= killAfter) kill()
      })
      expect(end).to.equal('SIGKILL')
      const store = await openStore(url, systemClock)
      const entries = await all(store)
      await store.close()
      const newest = entries.at(-1)
      // one more may have been written whose acknowledgement nobody read
      expect(newest?.stamp.ms).to.be.at.least(acknowledged)
      for (const { stamp, document } of entries) expect(document).to.have.property('ms', stamp.ms)
      expect(new Set(entries.map(({ stamp }) => stamp.ms)).size).to.equal(entries.length)
      acknowledged = newest?.stamp.ms ?? acknowledged
    }
  })
})
