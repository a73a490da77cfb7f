/** SQLite's write-ahead log: written into the database by a thread, short, and gone when the store is closed. */
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { Kysely, sql } from 'kysely'
import { Checkpointer, pagesWithoutThread } from '#component/store/sqlite/checkpointer.ts'
import { sqlite } from '#component/store/sqlite/driver.ts'
import { until } from '#test/support/running/until.ts'

const pageSize = 4096

describe('the checkpoints of SQLite', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'gateway-store-'))
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  async function open() {
    const file = join(folder, 'gateway.db')
    const engine = sqlite(file)
    const db = new Kysely<{ list: { item: string } }>({ dialect: engine.connect() })
    await sql`create table list (item text)`.execute(db)
    /** Commits rows of one page each. */
    const add = async (rows: number) => {
      const values = Array.from({ length: rows }, () => ({ item: 'x'.repeat(pageSize) }))
      await db.insertInto('list').values(values).execute()
      await engine.flush?.()
    }
    const pagesOf = (name: string) => statSync(name).size / pageSize
    return { file, db, add, pagesOf }
  }

  it('come after a thousand rows, while the store is used', async () => {
    const { file, db, add, pagesOf } = await open()
    for (let round = 0; round < 10; round++) await add(100)
    await until('1000 pages in the database', () => pagesOf(file) >= 1000)
    await db.destroy()
  })

  it('keep the log short while commits follow each other', async () => {
    const { file, db, add, pagesOf } = await open()
    for (let round = 0; round < 400; round++) await add(100)
    expect(pagesOf(file)).to.be.above(20_000)
    // the connection that commits has never had to checkpoint by itself
    expect(pagesOf(`${file}-wal`)).to.be.below(pagesWithoutThread)
    const { rows } = await sql<{ count: number }>`select count(*) as count from list`.execute(db)
    expect(rows).to.deep.equal([{ count: 40_000 }])
    await db.destroy()
  })

  it('leave no log behind', async () => {
    const { file, db, add, pagesOf } = await open()
    await add(1500)
    await db.destroy()
    expect([existsSync(`${file}-wal`), existsSync(`${file}-shm`)]).to.deep.equal([false, false])
    expect(pagesOf(file)).to.be.above(1500)
  })

  it('are tried again where the thread has failed', async () => {
    let rows = 0
    const checkpointer = new Checkpointer(join(folder, 'no', 'gateway.db'), () => rows)
    for (rows of [1000, 2000]) {
      checkpointer.note()
      expect(checkpointer.idle, `${rows} rows`).to.be.instanceOf(Promise)
      await checkpointer.idle
    }
    expect(checkpointer.pause).to.equal(undefined)
    await checkpointer.close()
  })
})
