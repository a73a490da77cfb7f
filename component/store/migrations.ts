/** The tables of the store, forward only: a migration that has been released is never changed. */
import type { Kysely } from 'kysely'
import { type Migration, type MigrationProvider, Migrator } from 'kysely/migration'

/** One version of one API Specification: the newest known, or the fact that it was deleted. */
interface ApiSpecRow {
  id: string
  /** `ts` of the document: milliseconds since the epoch. */
  ms: number
  /** Where it was loaded. */
  node: string
  /** SHA-256, hex, of the canonical JSON; null in a tombstone. */
  hash: string | null
  /** JSON text; null in a tombstone. */
  document: string | null
}

interface RealmRow {
  uri: string
  /** Milliseconds since the epoch. */
  ms: number
  node: string
  /** JSON text: the document with passwords replaced by what checks them. */
  document: string
}

/** What was last loaded from a file. */
interface FileRow {
  /** Absolute. */
  path: string
  /** SHA-256, hex, of its bytes. */
  hash: string
}

/** The tables. */
export interface Tables {
  api_specs: ApiSpecRow
  realms: RealmRow
  files: FileRow
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
}

const provider: MigrationProvider = { getMigrations: async () => migrations }

/** Brings the tables up to date. */
export async function migrate(db: Kysely<Tables>): Promise<void> {
  const { error } = await new Migrator({ db, provider }).migrateToLatest()
  if (error !== undefined) throw error
}
