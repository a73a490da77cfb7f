/** The tables of the store, forward only: a migration that has been released is never changed. */
import { type ColumnDefinitionBuilder, type Kysely, sql } from 'kysely'
import { type Migration, type MigrationProvider, Migrator } from 'kysely/migration'
import type { Tables } from './tables.ts'

const migrations: Record<string, Migration> = {
  '001-tables': {
    async up(db: Kysely<Tables>) {
      await createVersions(db, 'entries')
        .addColumn('revision', 'bigint', required)
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
      await db.schema.createTable('revision').addColumn('value', 'bigint', required).execute()
      await db.insertInto('revision').values({ value: 1 }).execute()
      await db.schema
        .createTable('files')
        .addColumn('path', 'text', key)
        .addColumn('hash', 'text', required)
        .execute()
      await db.schema
        .createTable('refresh_families')
        .addColumn('id', 'text', key)
        .addColumn('realm_uri', 'text', required)
        .addColumn('authid', 'text', required)
        .addColumn('client_id', 'text', required)
        .addColumn('device_id', 'text', required)
        .addColumn('scope', 'text', required)
        .addColumn('authmethod', 'text', required)
        .addColumn('generation', 'bigint', required)
        .addColumn('created_at', 'bigint', required)
        .addColumn('rotated_at', 'bigint', required)
        .addColumn('expires_at', 'bigint', required)
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
      await db.schema
        .createTable('meta')
        .addColumn('name', 'text', key)
        .addColumn('value', 'text', required)
        .execute()
    },
  },
}

function required(column: ColumnDefinitionBuilder): ColumnDefinitionBuilder {
  return column.notNull()
}

function key(column: ColumnDefinitionBuilder): ColumnDefinitionBuilder {
  return column.primaryKey().notNull()
}

const createVersions = (db: Kysely<Tables>, name: string) =>
  db.schema
    .createTable(name)
    .addColumn('kind', 'text', required)
    .addColumn('id', 'text', required)
    .addColumn('ms', 'bigint', required)
    .addColumn('counter', 'bigint', required)
    .addColumn('node', 'text', required)
    .addColumn('parent_ms', 'bigint')
    .addColumn('parent_counter', 'bigint')
    .addColumn('parent_node', 'text')
    .addColumn('ancestors', 'text')
    .addColumn('hash', 'text')
    .addColumn('document', 'text')

const provider: MigrationProvider = { getMigrations: async () => migrations }

/** The store has a migration that this version does not know: a newer gateway has opened it. */
class UnknownMigration extends Error {
  constructor(migration: string) {
    super(
      `another version of the gateway has migrated the tables (${migration}): start a version that knows this migration, or restore a backup from before it`,
    )
  }
}

/**
 * Brings the tables up to date.
 * @throws UnknownMigration
 */
export async function migrate(db: Kysely<Tables>): Promise<void> {
  const known = new Set(Object.keys(migrations))
  const unknown = (await appliedMigrations(db)).find((name) => !known.has(name))
  if (unknown !== undefined) throw new UnknownMigration(unknown)
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
