/** The replicated map in the store: the newest version of every document, and the last versions of those that have a history. */
import { type RawBuilder, sql, type Transaction } from 'kysely'
import { compareEntries } from '#component/replica/conflict-resolution.ts'
import type { Damaged } from '#component/replica/damage.ts'
import { type Entry, type Kind, keyOf, type Summary, type Texts } from '#component/replica/entry.ts'
import type { Stamp } from '#component/replica/stamp.ts'
import { runAtOnce, runSteps, type YieldTurn } from '#component/yielding.ts'
import { endHistory, remember, versionsOf } from './history.ts'
import { divided, readRow, writingRow } from './rows.ts'
import type { EntryRow, Run, Tables, VersionRow } from './tables.ts'

/** How many documents are read in one statement: the start must not depend on how fast all of them can be sent. */
const pageSize = 100

/** A row without its document. */
type RowName = Pick<EntryRow, 'revision' | 'kind' | 'id' | 'ms' | 'counter' | 'node' | 'hash'>

const summaryOf = ({ kind, id, ms, counter, node, hash }: RowName): Summary => ({
  kind,
  id,
  stamp: { ms, counter, node },
  hash,
})

/** Where a page of rows ends. */
interface Place {
  readonly revision: number
  readonly kind: string
  readonly id: string
}

/** Which version of a document is the newest one known. */
async function currentOf(
  db: Pick<Transaction<Tables>, 'selectFrom'>,
  { kind, id }: Entry,
): Promise<Pick<Entry, 'stamp' | 'hash'> | undefined> {
  const row = await db
    .selectFrom('entries')
    .select(['ms', 'counter', 'node', 'hash'])
    .where('kind', '=', kind)
    .where('id', '=', id)
    .executeTakeFirst()
  if (row === undefined) return undefined
  const { hash, ...stamp } = row
  return { stamp, hash }
}

/** Which rows are these very versions. */
const areThese = (entries: readonly Entry[]) => {
  const names = entries.map(
    ({ kind, id, stamp }) =>
      sql`(${kind}, ${id}, cast(${stamp.ms} as bigint), cast(${stamp.counter} as bigint), ${stamp.node})`,
  )
  return sql<boolean>`(kind, id, ms, counter, node) in (values ${sql.join(names)})`
}

/** An entry, and how it is written. */
interface Change {
  readonly entry: Entry
  readonly row: VersionRow
}

/** Replaces the current version. @returns false when the current version is not `parent` (null: there is none) */
async function follow(
  db: Transaction<Tables>,
  version: VersionRow,
  parent: Stamp | null,
  revision: number,
): Promise<boolean> {
  // not an update: SQLite would keep the pages of the replaced document for each tombstone
  if (parent !== null) {
    const { kind, id } = version
    const { ms, counter, node } = parent
    const { numDeletedRows } = await db
      .deleteFrom('entries')
      .where((row) => row.and({ kind, id, ms, counter, node }))
      .executeTakeFirst()
    if (numDeletedRows === 0n) return false
  }
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('entries')
    .values({ ...version, revision })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows === 1n
}

/** The table of entries. Methods throw ServiceError `service.error.unavailable`. */
export class EntryStore {
  readonly #run: Run
  readonly #signal: RawBuilder<unknown>

  /** @param signal see {@link Engine.signal} */
  constructor(run: Run, signal: RawBuilder<unknown> = sql`null`) {
    this.#run = run
    this.#signal = signal
  }

  /**
   * The changes after a revision: the newest version of each document, tombstones included, oldest stamp first;
   * those of them that cannot be read; and the revision that they lead to. Changes of other processes are never missed.
   * @param revision 0 for everything; so is one that the store has never come to, as after a backup was put in its place
   * @param isKnown leaves versions out: the process that made a change need not read its document
   */
  async since(
    revision: number,
    isKnown: (version: Summary) => boolean = () => false,
  ): Promise<{ revision: number; entries: Entry[]; damaged?: Damaged[] }> {
    const { value: reached } = await this.#run((db) =>
      db.selectFrom('revision').select('value').executeTakeFirstOrThrow(),
    )
    const newest = new Map<string, Entry | Damaged>()
    let place: Place = { revision: reached < revision ? 0 : revision + 1, kind: '', id: '' }
    let page: readonly RowName[]
    do {
      page = await this.#page(place)
      const news = page.filter((row) => !isKnown(summaryOf(row)))
      // what changes between two statements moves ahead of them: it is found again; the texts of a page are not kept until the last one
      for (const row of await this.#rows(news)) newest.set(keyOf(row), readRow(row))
      place = page.at(-1) ?? place
    } while (page.length === pageSize)
    const { entries, damaged } = divided(newest.values())
    return {
      revision: Math.max(reached, place.kind === '' ? 0 : place.revision),
      entries: entries.sort(compareEntries),
      ...(damaged.length > 0 && { damaged }),
    }
  }

  /** The next rows in the order of their revisions. */
  #page({ revision, kind, id }: Place): Promise<RowName[]> {
    return this.#run((db) =>
      db
        .selectFrom('entries')
        .select(['revision', 'kind', 'id', 'ms', 'counter', 'node', 'hash'])
        .where(sql<boolean>`(revision, kind, id) > (${revision}, ${kind}, ${id})`)
        .orderBy('revision')
        .orderBy('kind')
        .orderBy('id')
        .limit(pageSize)
        .execute(),
    )
  }

  /** These documents as they are now, with their texts. */
  async #rows(names: readonly RowName[]): Promise<EntryRow[]> {
    if (names.length === 0) return []
    const these = names.map(({ kind, id }) => sql`(${kind}, ${id})`)
    const areThese = sql<boolean>`(kind, id) in (values ${sql.join(these)})`
    return this.#run((db) => db.selectFrom('entries').selectAll().where(areThese).execute())
  }

  /**
   * Keeps all or none, each only in the place of the version that it names as its parent (null: of none); on the disk
   * when it resolves. After a failure, {@link since} tells whether they were kept.
   * @param yieldTurn called between the parts of a long document
   * @param texts of documents, which need not be written then
   * @returns false when another process was faster: then nothing was kept
   */
  async replace(entries: readonly Entry[], yieldTurn?: YieldTurn, texts?: Texts): Promise<boolean> {
    const changes: Change[] = []
    for (const entry of entries) {
      changes.push({ entry, row: await runSteps(writingRow(entry, texts?.get(entry)), yieldTurn) })
    }
    return this.#write(async (db, lock) => {
      for (const { row } of changes) {
        await remember(db, row)
        await yieldTurn?.()
      }
      const revision = await lock()
      for (const { entry, row } of changes) {
        if (!(await follow(db, row, entry.parent, revision))) throw new Overtaken()
      }
      return true
    }).catch((cause: unknown) => {
      if (cause instanceof Overtaken) return false
      throw cause
    })
  }

  /**
   * Keeps each that wins against what is there, all or none; losers only among the versions. On the disk when it
   * resolves.
   */
  async merge(entries: readonly Entry[]): Promise<void> {
    const news = await this.#run(async (db) => {
      const found: Entry[] = []
      for (const entry of entries) {
        const current = await currentOf(db, entry)
        if (current === undefined || compareEntries(entry, current) !== 0) found.push(entry)
      }
      return found
    })
    // several nodes that share the store receive the same change
    if (news.length === 0) return
    await this.#write(async (db, lock) => {
      const changes: Change[] = []
      for (const entry of news) {
        const row = runAtOnce(writingRow(entry))
        changes.push({ entry, row })
        await remember(db, row)
      }
      const revision = await lock()
      for (const { entry, row } of changes) {
        const current = await currentOf(db, entry)
        const wins = current === undefined || compareEntries(entry, current) > 0
        if (wins) await follow(db, row, current?.stamp ?? null, revision)
      }
    })
  }

  /** Removes those that were not replaced, without tombstones. On the disk when it resolves. */
  async forget(entries: readonly Entry[]): Promise<void> {
    for (let at = 0; at < entries.length; at += pageSize) {
      const these = areThese(entries.slice(at, at + pageSize))
      const found = await this.#run((db) =>
        db.selectFrom('entries').select('id').where(these).limit(1).executeTakeFirst(),
      )
      // several processes remove the same entries
      if (found === undefined) continue
      // as a writer among the others: what one of them replaces must not go away meanwhile
      await this.#write(async (db, lock) => {
        await lock()
        await db.deleteFrom('entries').where(these).execute()
      })
    }
  }

  /** {@link versionsOf} a document. */
  versions(kind: Kind, id: string): Promise<Entry[]> {
    return versionsOf(this.#run, kind, id)
  }

  /** See {@link endHistory}. */
  endHistory(beforeMs: number): Promise<void> {
    return endHistory(this.#run, beforeMs)
  }

  /**
   * Writers commit in the order of their revisions, because `lock` locks the row of the revision until the end of the transaction.
   * @param change calls `lock` for its revision before it changes entries, and as late as it can: other writers wait from then on
   */
  #write<T>(
    change: (db: Transaction<Tables>, lock: () => Promise<number>) => Promise<T>,
  ): Promise<T> {
    return this.#run((db) =>
      db.transaction().execute((transaction) =>
        change(transaction, async () => {
          const { value } = await transaction
            .updateTable('revision')
            .set((row) => ({ value: row('value', '+', 1) }))
            .returning(['value', this.#signal.as('signal')])
            .executeTakeFirstOrThrow()
          return value
        }),
      ),
    )
  }
}

/** Another process has changed the document meanwhile: the transaction is rolled back. */
class Overtaken extends Error {}
