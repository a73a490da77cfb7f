/** SQLite's write-ahead log: written into the database as it grows, short again, and gone when the store is closed. */
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect } from 'chai'
import { systemClock } from '#component/clock.ts'
import { openStore, type Store } from '#component/store/database.ts'
import { version } from './documents.ts'

/** Bytes of the pages after which SQLite writes the log into the database. */
const checkpointAt = 1000 * 4096

/** To this length a log is cut that was longer; bytes. */
const cutTo = 4_194_304

describe('the write-ahead log of SQLite', () => {
  let folder: string
  let file: string
  let store: Store
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'gateway-store-'))
    file = join(folder, 'gateway.db')
    store = await openStore(`sqlite:${file}`, systemClock)
  })
  afterEach(async () => {
    await store.close()
    rmSync(folder, { recursive: true })
  })

  const logSize = () => statSync(`${file}-wal`).size
  const load = (ms: number, bytes: number) =>
    store.entries.merge([version('a', ms, { document: { ms, text: 'x'.repeat(bytes) } })])

  for (const [what, bytes, loads] of [
    ['a few documents of 1 MB, which are few rows', 1_000_000, 20],
    ['documents of 100 kB', 100_000, 100],
    ['many small documents', 500, 1500],
  ] as const) {
    it(`stays short while ${what} are loaded`, async () => {
      let longest = 0
      for (let ms = 1; ms <= loads; ms++) {
        await load(ms, bytes)
        longest = Math.max(longest, logSize())
      }
      // what one commit adds: the document in two tables, and their indexes
      expect(longest).to.be.below(checkpointAt * 1.1 + 3 * bytes)
      expect(statSync(file).size).to.be.above(bytes)
    })
  }

  it('is short again after a commit that was longer than all others', async () => {
    await load(1, 8_000_000)
    expect(logSize()).to.be.above(2 * cutTo)
    // the log begins anew, and then is cut
    await load(2, 100)
    await load(3, 100)
    expect(logSize()).to.be.at.most(cutTo)
  })

  describe('that a reader holds back', () => {
    let reader: DatabaseSync
    beforeEach(async () => {
      await load(1, 1_000_000)
      reader = new DatabaseSync(file, { readOnly: true })
      reader.exec('begin')
      reader.prepare('select count(*) from entries').all()
      for (let ms = 2; ms <= 5; ms++) await load(ms, 1_000_000)
    })
    afterEach(() => {
      if (reader.isOpen) reader.close()
    })

    it('is written as far as the reader sees, and is short again when the reader has ended', async () => {
      for (let ms = 6; ms <= 10; ms++) await load(ms, 1_000_000)
      expect(logSize()).to.be.above(4 * cutTo)
      reader.close()
      for (let ms = 11; ms <= 15; ms++) await load(ms, 1_000_000)
      expect(logSize()).to.be.below(2 * cutTo)
    })

    it('is not left behind, either', async () => {
      reader.close()
      await load(6, 100)
      await store.close()
      expect(existsSync(`${file}-wal`)).to.equal(false)
      const again = await openStore(`sqlite:${file}`, systemClock)
      expect((await again.entries.since(0)).entries).to.have.length(1)
      await again.close()
    })
  })

  it('is not left behind', async () => {
    await load(1, 100_000)
    expect(existsSync(`${file}-wal`)).to.equal(true)
    await store.close()
    expect([existsSync(`${file}-wal`), existsSync(`${file}-shm`)]).to.deep.equal([false, false])
  })
})
