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
import { type Clock, systemClock } from '#component/clock.ts'
import { openStore } from '#component/store/database.ts'
import { describeStore } from './store.contract.ts'

const script = fileURLToPath(new URL('./sqlite-writer.ts', import.meta.url))

describeStore('SQLite in memory', () => openStore('sqlite::memory:', systemClock))

describe('SQLite in a file', () => {
  let folder: string
  let url: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'gateway-store-'))
    url = `sqlite:${join(folder, 'data', 'gateway.db')}`
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  const entry = (id: string, ts = 1) => ({ id, ts, node: 'n1', hash: 'h', document: { id } })

  /** Waiting takes no time: each pause moves the clock. */
  function impatientClock(): Clock {
    let now = 0
    return {
      now: () => now,
      random: () => 0,
      after(ms, callback) {
        now += ms
        setImmediate(callback)
        return () => undefined
      },
    }
  }

  it('is there again after it was closed', async () => {
    const store = await openStore(url, systemClock)
    await store.specs.put(entry('a'))
    await store.close()
    const again = await openStore(url, systemClock)
    expect(await again.specs.all()).to.deep.equal([entry('a')])
    await again.close()
  })

  it('is readable by its owner only', async () => {
    const store = await openStore(url, systemClock)
    await store.specs.put(entry('a'))
    for (const name of ['gateway.db', 'gateway.db-wal']) {
      expect(statSync(join(folder, 'data', name)).mode & 0o777).to.equal(0o600)
    }
    await store.close()
  })

  it('answers 503 while another process holds the lock, and works again after', async () => {
    const store = await openStore(url, impatientClock())
    const other = new DatabaseSync(join(folder, 'data', 'gateway.db'))
    other.exec('begin immediate')
    const error = await store.specs.put(entry('a')).catch((reason: unknown) => reason)
    expect(error).to.include({ uri: 'service.error.unavailable' })
    expect(error).to.have.nested.property('headers.Retry-After', '5')
    expect(await store.specs.all()).to.deep.equal([])
    other.exec('rollback')
    other.close()
    await store.specs.put(entry('a'))
    expect(await store.specs.all()).to.have.length(1)
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
    await store.specs.put(entry('a'))
    other.close()
    expect(await store.specs.all()).to.have.length(1)
    await store.close()
  })

  it('answers 503 when there is no room, and keeps what it had', async () => {
    // files of at most 200 kB, and no signal for the attempt to write more
    const limit = 'trap \'\' XFSZ; ulimit -f 200; exec "$@"'
    const writer = spawn('bash', ['-c', limit, 'bash', process.execPath, script, url, '1'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const lines = createInterface(writer.stdout)
    const written: string[] = []
    lines.on('line', (line) => written.push(line))
    await Promise.all([once(writer, 'exit'), once(lines, 'close')])
    expect(written.pop()).to.equal('service.error.unavailable')
    const store = await openStore(url, systemClock)
    expect((await store.specs.all()).at(-1)?.ts).to.equal(Number(written.pop()))
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

  for (const wrong of ['postgres://localhost/x', 'sqlite:', '']) {
    it(`does not take "${wrong}" for a URL`, async () => {
      const error = await openStore(wrong, systemClock).catch((reason: unknown) => reason)
      expect(error).to.be.instanceOf(TypeError)
    })
  }

  it('has lost nothing that it acknowledged when it is killed, 12 times', async () => {
    let acknowledged = 0
    for (let round = 1; round <= 12; round++) {
      const writer = spawn(process.execPath, [script, url, String(acknowledged + 1)], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      const killAfter = acknowledged + 3 + round * 5
      const lines = createInterface(writer.stdout)
      lines.on('line', (line) => {
        acknowledged = Number(line)
        if (acknowledged >= killAfter) writer.kill('SIGKILL')
      })
      const [[, signal]] = await Promise.all([once(writer, 'exit'), once(lines, 'close')])
      expect(signal).to.equal('SIGKILL')
      const store = await openStore(url, systemClock)
      const entries = await store.specs.all()
      await store.close()
      const newest = entries.at(-1)
      // one more may have been written whose acknowledgement nobody read
      expect(newest?.ts).to.be.at.least(acknowledged)
      for (const { ts, document } of entries) expect(document).to.have.property('ts', ts)
      expect(new Set(entries.map(({ ts }) => ts)).size).to.equal(entries.length)
      acknowledged = newest?.ts ?? acknowledged
    }
  }).timeout(60_000)
})
