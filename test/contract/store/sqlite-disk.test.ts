/** SQLite and the disk: nothing is told before it is there, and what the disk refuses is the failure of a query. */
import { mkdtempSync, rmSync, unlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { Kysely, sql } from 'kysely'
import { systemClock } from '#component/clock.ts'
import { openStore } from '#component/store/database.ts'
import { sqlite } from '#component/store/sqlite/driver.ts'
import type { Sync } from '#component/store/sqlite/wal-file.ts'
import { version } from './documents.ts'

describe('SQLite and the disk', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'gateway-store-'))
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  /** A database of one table, and how often it has asked for the disk. */
  async function open(sync: Sync = async () => undefined) {
    const seen = { syncs: 0 }
    const engine = sqlite(join(folder, 'gateway.db'), (descriptor) => {
      seen.syncs++
      return sync(descriptor)
    })
    const db = new Kysely<{ list: { item: number } }>({ dialect: engine.connect() })
    await sql`create table list (item integer)`.execute(db)
    await engine.flush?.()
    const syncsOf = async (query: () => Promise<unknown>) => {
      const before = seen.syncs
      await query()
      await engine.flush?.()
      return seen.syncs - before
    }
    return { db, engine, syncsOf }
  }

  it('is asked for the disk by statements that write, alone, in a transaction, and returning rows', async () => {
    const { db, syncsOf } = await open()
    const insert = (item: number) => db.insertInto('list').values({ item })
    expect(await syncsOf(() => insert(1).execute())).to.equal(1)
    expect(await syncsOf(() => insert(2).returning('item').execute())).to.equal(1)
    const inTransaction = () =>
      db.transaction().execute((all) => all.deleteFrom('list').where('item', '=', 1).execute())
    expect(await syncsOf(inTransaction)).to.equal(1)
    const withNames = () =>
      sql`with found (item) as (values (2)) update list set item = 3 from found where list.item = found.item`.execute(
        db,
      )
    expect(await syncsOf(withNames)).to.equal(1)
    await db.destroy()
  })

  it('is not asked by statements that read, nor by a transaction that is rolled back', async () => {
    const { db, syncsOf } = await open()
    expect(await syncsOf(() => db.selectFrom('list').selectAll().execute())).to.equal(0)
    expect(await syncsOf(() => sql`pragma freelist_count`.execute(db))).to.equal(0)
    const rolledBack = () =>
      db
        .transaction()
        .execute(async (all) => {
          await all.insertInto('list').values({ item: 1 }).execute()
          throw new Error('no')
        })
        .catch(() => undefined)
    expect(await syncsOf(rolledBack)).to.equal(0)
    await db.destroy()
  })

  for (const [code, message, isFull] of [
    ['EIO', 'the disk of the store failed', undefined],
    ['ENOSPC', 'the disk of the store is full', true],
    ['EDQUOT', 'the disk of the store is full', true],
  ] as const) {
    it(`says what ${code} of the disk is`, async () => {
      let isBroken = false
      const { db, engine } = await open(async () => {
        if (isBroken) throw Object.assign(new Error(code), { code, syscall: 'fdatasync' })
      })
      isBroken = true
      await db.insertInto('list').values({ item: 1 }).execute()
      const cause: unknown = await engine.flush?.().catch((error: unknown) => error)
      expect(engine.conditionOf(cause)).to.include({ message, patience: 'never' })
      expect(engine.conditionOf(cause)?.isFull).to.equal(isFull)
      await db.destroy()
    })
  }

  it('acknowledges no change that it cannot bring to the disk', async () => {
    const file = join(folder, 'gateway.db')
    const store = await openStore(`sqlite:${file}`, systemClock)
    unlinkSync(`${file}-wal`)
    const refused: unknown = await store.entries.merge([version('a', 1)]).catch((cause) => cause)
    expect(refused).to.include({ uri: 'service.error.unavailable' })
    await store.close()
  })
})
