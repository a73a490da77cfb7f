/** The history in the store: the last versions of each API Specification and realm document, which end some time after it was deleted. */
import { sql, type Transaction } from 'kysely'
import { compareEntries } from '#component/replica/conflict-resolution.ts'
import type { Entry, Kind } from '#component/replica/entry.ts'
import { divided, readRow } from './rows.ts'
import type { Run, Tables, VersionRow } from './tables.ts'

/** How many versions of a document are kept. */
const maxVersions = 10

/** Documents whose history is removed in one statement. */
const documentsAtOnce = 100

/** The others are keys and credentials, or expire: an old version must not outlive its replacement. */
const hasHistory = (kind: Kind): boolean => kind === 'api_spec' || kind === 'realm'

/**
 * Adds a version to the history of its document, and removes the one before it if that is the same document, and those before
 * the last {@link maxVersions}.
 */
export async function remember(db: Transaction<Tables>, version: VersionRow): Promise<void> {
  const { kind, id, hash } = version
  if (!hasHistory(kind)) return
  await db
    .insertInto('versions')
    .values(version)
    .onConflict((conflict) =>
      conflict
        .columns(['kind', 'id', 'ms', 'counter', 'node'])
        .doUpdateSet((row) => ({
          hash: row.ref('excluded.hash'),
          document: row.ref('excluded.document'),
        }))
        // of two versions of one stamp, the same one as in compareEntries
        .where(sql<boolean>`coalesce(versions.hash, '') < ${hash ?? ''}`),
    )
    .execute()
  // the same document loaded again takes the place of the version before it, so that it pushes no other one out
  const { ms, counter, node } = version
  await sql`
    delete from versions where kind = ${kind} and id = ${id} and hash = ${hash} and (ms, counter, node) = (
      select ms, counter, node from versions where kind = ${kind} and id = ${id} and
        (ms, counter, node) < (${ms}, ${counter}, ${node}) order by ms desc, counter desc, node desc limit 1
    )`.execute(db)
  await sql`
    delete from versions where kind = ${kind} and id = ${id} and (
      select count(*) from versions as newer where newer.kind = ${kind} and newer.id = ${id} and
        (newer.ms, newer.counter, newer.node) > (versions.ms, versions.counter, versions.node)
    ) >= ${maxVersions}`.execute(db)
}

/** The last 10 versions of a document, newest first, the current one among them; none of kinds without a history. */
export async function versionsOf(run: Run, kind: Kind, id: string): Promise<Entry[]> {
  const rows = await run((db) =>
    db.selectFrom('versions').selectAll().where('kind', '=', kind).where('id', '=', id).execute(),
  )
  return divided(rows.map(readRow)).entries.sort((a, b) => compareEntries(b, a))
}

/**
 * Ends the history of documents that were deleted; their tombstones stay.
 * @param beforeMs those deleted before it; milliseconds since the epoch
 */
export async function endHistory(run: Run, beforeMs: number): Promise<void> {
  let removed: bigint | undefined
  do {
    // one statement: a document may be loaded again between two
    const { numAffectedRows } = await run((db) =>
      sql`
        delete from versions where (kind, id) in (
          select entries.kind, entries.id from entries
          where entries.hash is null and entries.ms < ${beforeMs} and exists (
            select 1 from versions as old where old.kind = entries.kind and old.id = entries.id
          )
          limit ${documentsAtOnce}
        )`.execute(db),
    )
    removed = numAffectedRows
  } while (removed !== undefined && removed > 0n)
}
