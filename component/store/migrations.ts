/** The tables of the store, forward only: a migration that has been released is never changed. */
import { type Kysely, sql } from 'kysely'
import { type Migration, type MigrationProvider, Migrator } from 'kysely/migration'
import { hashOf, type Kind } from '#component/replica/entry.ts'
import type { Family } from './family-store.ts'
import { readDocument } from './stored-json.ts'

/** One version of one document. */
export interface VersionRow {
  kind: Kind
  id: string
  /** Its stamp. */
  ms: number
  counter: number
  node: string
  /** The stamp of the version before; null where there was none. */
  parent_ms: number | null
  parent_counter: number | null
  parent_node: string | null
  /** Stamps before that, newest first: JSON text of `[ms, counter, node]`s; null where they are not known. */
  ancestors: string | null
  /** SHA-256, hex, of the canonical JSON; null in a tombstone. */
  hash: string | null
  /** JSON text (of a realm: with passwords replaced by what checks them); null in a tombstone. */
  document: string | null
}

/** The newest known version of a document. */
export interface EntryRow extends VersionRow {
  /** The revision of the store that brought it. */
  revision: number
}

/** One row: how many transactions have changed entries. Who writes takes its lock first, so they commit in its order. */
interface RevisionRow {
  value: number
}

/** What was last loaded from a file. */
interface FileRow {
  /** Absolute. */
  path: string
  /** SHA-256, hex, of its bytes. */
  hash: string
}

/** A family of refresh tokens. */
export interface FamilyRow extends Omit<Family, 'scope'> {
  /** JSON text of a list. */
  scope: string
}

/** What the store says of itself. */
interface MetaRow {
  name: string
  value: string
}

/** The tables. */
export interface Tables {
  entries: EntryRow
  /** The last versions of each API Specification, the one in `entries` among them. */
  versions: VersionRow
  revision: RevisionRow
  files: FileRow
  refresh_families: FamilyRow
  meta: MetaRow
}

/** The tables that were before the second migration. */
interface FirstTables {
  api_specs: { id: string; ms: number; node: string; hash: string | null; document: string | null }
  realms: { uri: string; ms: number; node: string; document: string }
}

const migrations: Record<string, Migration> = {
  '001-specs-and-realms': {
    async up(db: Kysely<unknown>) {
      await db.schema
        .createTable('api_specs')
        .ifNotExists()
        .addColumn('id', 'text', (column) => column.primaryKey().notNull())
        .addColumn('ms', 'integer', (column) => column.notNull())
        .addColumn('node', 'text', (column) => column.notNull())
        .addColumn('hash', 'text')
        .addColumn('document', 'text')
        .execute()
      await db.schema
        .createTable('realms')
        .ifNotExists()
        .addColumn('uri', 'text', (column) => column.primaryKey().notNull())
        .addColumn('ms', 'integer', (column) => column.notNull())
        .addColumn('node', 'text', (column) => column.notNull())
        .addColumn('document', 'text', (column) => column.notNull())
        .execute()
      await db.schema
        .createTable('files')
        .ifNotExists()
        .addColumn('path', 'text', (column) => column.primaryKey().notNull())
        .addColumn('hash', 'text', (column) => column.notNull())
        .execute()
    },
  },
  '002-entries': {
    async up(db: Kysely<FirstTables & Tables>) {
      await createVersions(db, 'entries')
        .addColumn('revision', 'bigint', (column) => column.notNull())
        .addPrimaryKeyConstraint('entries_key', ['kind', 'id'])
        .execute()
      await db.schema
        .createIndex('entries_revision')
        .on('entries')
        .columns(['revision', 'kind', 'id'])
        .execute()
      await createVersions(db, 'versions')
        .addPrimaryKeyConstraint('versions_key', ['kind', 'id', 'ms', 'counter', 'node'])
        .execute()
      await db.schema
        .createTable('revision')
        .addColumn('value', 'bigint', (column) => column.notNull())
        .execute()
      await db.insertInto('revision').values({ value: 1 }).execute()

      const first = { counter: 0, parent_ms: null, parent_counter: null, parent_node: null }
      for (const row of await db.selectFrom('api_specs').selectAll().execute()) {
        const version = { ...row, ...first, kind: 'api_spec' } as const
        await db
          .insertInto('entries')
          .values({ ...version, revision: 1 })
          .execute()
        await db.insertInto('versions').values(version).execute()
      }
      for (const { uri, ...row } of await db.selectFrom('realms').selectAll().execute()) {
        const hash = hashOf(readDocument(row.document))
        const version = { ...row, ...first, id: uri, hash, kind: 'realm' } as const
        await db
          .insertInto('entries')
          .values({ ...version, revision: 1 })
          .execute()
      }
      await db.schema.dropTable('api_specs').execute()
      await db.schema.dropTable('realms').execute()
    },
  },
  '003-ancestors': {
    async up(db: Kysely<unknown>) {
      for (const table of ['entries', 'versions']) {
        await db.schema.alterTable(table).addColumn('ancestors', 'text').execute()
      }
    },
  },
  '004-refresh-families': {
    async up(db: Kysely<unknown>) {
      await db.schema
        .createTable('refresh_families')
        .addColumn('id', 'text', (column) => column.primaryKey().notNull())
        .addColumn('realm_uri', 'text', (column) => column.notNull())
        .addColumn('authid', 'text', (column) => column.notNull())
        .addColumn('client_id', 'text', (column) => column.notNull())
        .addColumn('device_id', 'text', (column) => column.notNull())
        .addColumn('scope', 'text', (column) => column.notNull())
        .addColumn('authmethod', 'text', (column) => column.notNull())
        .addColumn('generation', 'bigint', (column) => column.notNull())
        .addColumn('created_at', 'bigint', (column) => column.notNull())
        .addColumn('rotated_at', 'bigint', (column) => column.notNull())
        .addColumn('expires_at', 'bigint', (column) => column.notNull())
        .execute()
      for (const [name, columns] of [
        ['refresh_families_user', ['realm_uri', 'authid']],
        ['refresh_families_end', ['expires_at']],
      ] as const) {
        await db.schema
          .createIndex(name)
          .on('refresh_families')
          .columns([...columns])
          .execute()
      }
    },
  },
  '005-meta': {
    async up(db: Kysely<unknown>) {
      await db.schema
        .createTable('meta')
        .addColumn('name', 'text', (column) => column.primaryKey().notNull())
        .addColumn('value', 'text', (column) => column.notNull())
        .execute()
    },
  },
}

const createVersions = (db: Kysely<FirstTables & Tables>, name: string) =>
  db.schema
    .createTable(name)
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('id', 'text', (column) => column.notNull())
    .addColumn('ms', 'bigint', (column) => column.notNull())
    .addColumn('counter', 'bigint', (column) => column.notNull())
    .addColumn('node', 'text', (column) => column.notNull())
    .addColumn('parent_ms', 'bigint')
    .addColumn('parent_counter', 'bigint')
    .addColumn('parent_node', 'text')
    .addColumn('hash', 'text')
    .addColumn('document', 'text')

const provider: MigrationProvider = { getMigrations: async () => migrations }

/** A newer gateway has written to the store: what it made of the tables is not known here. */
class NewerStore extends Error {
  constructor(migration: string) {
    super(
      `a newer version of the gateway has migrated the tables (${migration}): start that version or a later one, or restore a backup from before the migration`,
    )
  }
}

/**
 * Brings the tables up to date.
 * @throws NewerStore
 */
export async function migrate(db: Kysely<Tables>): Promise<void> {
  const known = new Set(Object.keys(migrations))
  const unknown = (await appliedMigrations(db)).find((name) => !known.has(name))
  if (unknown !== undefined) throw new NewerStore(unknown)
  const { error } = await new Migrator({ db, provider }).migrateToLatest()
  if (error !== undefined) throw error
}

/** Names; none in a database that is new. */
async function appliedMigrations(db: Kysely<Tables>): Promise<string[]> {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true })
  if (!tables.some(({ name }) => name === 'kysely_migration')) return []
  const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(db)
  return rows.map(({ name }) => name)
}
