/** Writes of SQLite: those that come at the same time are one commit, transactions take turns, and reads see what was committed. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { expect } from 'chai'
import { Kysely, sql } from 'kysely'
import type { Engine } from '#component/store/engine.ts'
import { sqlite } from '#component/store/sqlite/driver.ts'

const script = fileURLToPath(new URL('./writer.ts', import.meta.url))

/** A limit of the system on threads, as Node tells it. */
const withoutThreads = `
  import threads from 'node:worker_threads'
  import { syncBuiltinESMExports } from 'node:module'
  threads.Worker = class { constructor() { throw new Error('ERR_WORKER_INIT_FAILED') } }
  syncBuiltinESMExports()`

interface List {
  list: { item: number }
}

/** The condition of a write that may have been committed, so that the store does not repeat it. */
const interrupted = { message: 'the store was interrupted', patience: 'never' }

const nextTurn = () => new Promise((resolve) => setImmediate(resolve))

/** The thread that is sent what this writes. */
async function threadOf(write: () => unknown): Promise<Worker> {
  const { postMessage } = Worker.prototype
  try {
    return await new Promise((resolve) => {
      Worker.prototype.postMessage = function (this: Worker, ...message) {
        resolve(this)
        return postMessage.apply(this, message)
      }
      write()
    })
  } finally {
    Worker.prototype.postMessage = postMessage
  }
}

/** Where the database is; in memory it has one connection, and no thread. */
const places: Readonly<Record<string, (folder: string) => string>> = {
  'in a file': (folder) => join(folder, 'gateway.db'),
  'in memory': () => ':memory:',
}

describe('SQLite', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'gateway-store-'))
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  for (const [where, placeIn] of Object.entries(places)) {
    describe(where, () => {
      let db: Kysely<List>
      let engine: Engine
      beforeEach(async () => {
        engine = sqlite(placeIn(folder))
        await engine.create?.(async (dialect) => {
          await sql`create table list (item integer primary key)`.execute(new Kysely({ dialect }))
        })
        db = new Kysely<List>({ dialect: engine.connect(() => undefined) })
        await sql`create table if not exists list (item integer primary key)`.execute(db)
      })
      afterEach(() => db.destroy())

      const insert = (item: number) => db.insertInto('list').values({ item }).execute()
      const items = async () => {
        const rows = await db.selectFrom('list').select('item').orderBy('item').execute()
        return rows.map(({ item }) => item)
      }

      it('keeps the other writes of a commit of which one is refused', async () => {
        await insert(2)
        const ends = await Promise.allSettled([insert(1), insert(2), insert(3)])
        expect(ends.map(({ status }) => status)).to.deep.equal([
          'fulfilled',
          'rejected',
          'fulfilled',
        ])
        expect(await items()).to.deep.equal([1, 2, 3])
      })

      it('gives each of the writes of a commit its own result', async () => {
        await Promise.all([1, 2, 3].map(insert))
        const [updated, returned, removed] = await Promise.all([
          db.updateTable('list').set({ item: 7 }).where('item', '=', 1).executeTakeFirst(),
          db.insertInto('list').values({ item: 9 }).returning('item').execute(),
          db.deleteFrom('list').where('item', 'in', [2, 3]).executeTakeFirst(),
        ])
        expect(updated.numUpdatedRows).to.equal(1n)
        expect(returned).to.deep.equal([{ item: 9 }])
        expect(removed.numDeletedRows).to.equal(2n)
        expect(await items()).to.deep.equal([7, 9])
      })

      it('shows nothing of a transaction before its commit, and nothing of one that was rolled back', async () => {
        let seen: Promise<number[]> | undefined
        await db.transaction().execute(async (all) => {
          await all.insertInto('list').values({ item: 1 }).execute()
          seen = items()
          if (where === 'in a file') expect(await seen).to.deep.equal([])
          await all.deleteFrom('list').execute()
        })
        expect(await seen).to.deep.equal([])
        const rolledBack = db.transaction().execute(async (all) => {
          await all.insertInto('list').values({ item: 2 }).execute()
          throw new Error('no')
        })
        expect(await rolledBack.catch((cause: Error) => cause.message)).to.equal('no')
        expect(await items()).to.deep.equal([])
      })

      it('runs one transaction after the other, and writes between them', async () => {
        const twice = (item: number) =>
          db.transaction().execute(async (all) => {
            await all.insertInto('list').values({ item }).execute()
            const { count } = await all
              .selectFrom('list')
              .select((row) => row.fn.countAll<number>().as('count'))
              .executeTakeFirstOrThrow()
            await all
              .insertInto('list')
              .values({ item: item + 1 })
              .execute()
            return count
          })
        const counts = await Promise.all([twice(10), insert(1), twice(20), twice(30)])
        expect(counts.filter((count) => typeof count === 'number')).to.deep.equal([1, 4, 6])
        expect(await items()).to.deep.equal([1, 10, 11, 20, 21, 30, 31])
      })

      it('goes on after a transaction that SQLite refused', async () => {
        await insert(1)
        const refused = db.transaction().execute(async (all) => {
          await all.insertInto('list').values({ item: 2 }).execute()
          await all.insertInto('list').values({ item: 1 }).execute()
        })
        expect(await refused.catch((cause: Error) => cause.message)).to.match(/UNIQUE/)
        await insert(3)
        expect(await items()).to.deep.equal([1, 3])
      })

      if (where === 'in memory') return

      it('brings writes of one moment to the disk together', async () => {
        const before = statSync(join(folder, 'gateway.db-wal')).size
        await Promise.all(Array.from({ length: 300 }, (_, item) => insert(item)))
        const frames = (statSync(join(folder, 'gateway.db-wal')).size - before) / (4096 + 24)
        expect(frames).to.be.at.most(10)
        expect(await items()).to.have.length(300)
      })

      describe('while another process writes', () => {
        let other: DatabaseSync
        beforeEach(async () => {
          await insert(1_000)
          other = new DatabaseSync(join(folder, 'gateway.db'))
          other.exec('begin immediate')
        })
        afterEach(() => other.close())

        it('gathers writes of many turns, and brings them to the disk together', async () => {
          const before = statSync(join(folder, 'gateway.db-wal')).size
          const written: Promise<unknown>[] = []
          for (let item = 0; item < 50; item++) {
            written.push(insert(item))
            await nextTurn()
          }
          other.exec('rollback')
          await Promise.all(written)
          const frames = (statSync(join(folder, 'gateway.db-wal')).size - before) / (4096 + 24)
          expect(frames).to.be.at.most(5)
          expect(await items()).to.have.length(51)
        })

        it('refuses what waits when its thread ends, and starts another one', async () => {
          const refused = [insert(1), insert(2)]
          const thread = await threadOf(() => refused.push(insert(3)))
          await thread.terminate()
          const ends = await Promise.allSettled(refused)
          other.exec('rollback')
          const conditions = ends.map((end) => 'reason' in end && engine.conditionOf(end.reason))
          expect(conditions).to.deep.equal(Array(3).fill(interrupted))
          await insert(4)
          expect(await items()).to.deep.equal([4, 1_000])
        })
      })

      it('keeps nothing of a transaction whose thread has ended amid it', async () => {
        const ended = db.transaction().execute(async (all) => {
          const thread = await threadOf(() => all.insertInto('list').values({ item: 1 }).execute())
          await all.insertInto('list').values({ item: 2 }).execute()
          await thread.terminate()
          await all.insertInto('list').values({ item: 3 }).execute()
        })
        expect(await ended.catch(engine.conditionOf)).to.deep.equal(interrupted)
        expect(await items()).to.deep.equal([])
        await insert(4)
        expect(await items()).to.deep.equal([4])
      })

      it('shows a write that has resolved to the next read', async () => {
        for (let item = 0; item < 50; item++) {
          await insert(item)
          expect((await items()).at(-1)).to.equal(item)
        }
      })
    })
  }

  it('writes by the event loop where the process may start no threads', () => {
    const preload = `data:text/javascript,${encodeURIComponent(withoutThreads)}`
    const url = `sqlite:${join(folder, 'gateway.db')}`
    const args = ['--import', preload, script, url, 'n1', '1', '20']
    const lines = execFileSync(process.execPath, args)
    expect(lines.toString().trim().split('\n').at(-1)).to.equal('20')
  })
})
