/** The tables of the store, forward only: a migration that has been released is never changed. */
import { type Kysely, sql } from 'kysely'
import { type Migration, type MigrationProvider, Migrator } from 'kysely/migration'
import type { Tables } from './tables.ts'

/** The columns of a version, in `entries` and in `versions`. */
const version = `
  kind text not null,
  id text not null,
  ms bigint not null,
  counter bigint not null,
  node text not null,
  parent_ms bigint,
  parent_counter bigint,
  parent_node text,
  ancestors text,
  hash text,
  document text,
  author text`

/** Statements by the name of their migration; SQLite and PostgreSQL understand them alike. */
const statements: Readonly<Record<string, readonly string[]>> = {
  '001-store': [
    `create table entries (${version}, revision bigint not null, primary key (kind, id))`,
    'create index entries_revision on entries (revision, kind, id)',
    `create table versions (${version}, primary key (kind, id, ms, counter, node))`,
    'create table revision (value bigint not null)',
    'insert into revision values (1)',
    'create table files (path text not null primary key, hash text not null, ms bigint not null)',
    `create table refresh_families (
      id text not null primary key,
      realm_uri text not null,
      authid text not null,
      client_id text not null,
      device_id text not null,
      scope text not null,
      authmethod text not null,
      generation bigint not null,
      created_at bigint not null,
      rotated_at bigint not null,
      expires_at bigint not null
    )`,
    'create index refresh_families_user on refresh_families (realm_uri, authid)',
    'create index refresh_families_end on refresh_families (expires_at)',
    'create table meta (name text not null primary key, value text not null)',
    `create table idempotent_answers (
      scope_hash text not null primary key,
      fingerprint text not null,
      state text not null,
      token text not null,
      answer text,
      bytes bigint not null,
      lease_until bigint not null,
      expires_at bigint not null
    )`,
    // rows and bytes are counted without a look at the answers
    'create index idempotent_answers_end on idempotent_answers (expires_at, bytes)',
    `create table quota_usage (
      rule text not null,
      window_start bigint not null,
      key text not null,
      node text not null,
      window_end bigint not null,
      sharer text not null,
      used bigint not null,
      primary key (rule, window_start, key, node)
    )`,
    'create index quota_usage_end on quota_usage (window_end)',
    `create table provider_logins (
      ticket text not null primary key,
      sealed text not null,
      created_at bigint not null,
      checked_at bigint not null,
      lease_until bigint not null,
      expires_at bigint not null,
      user_id text,
      subject_id text,
      session_id text
    )`,
    'create index provider_logins_age on provider_logins (created_at, ticket)',
    'create index provider_logins_end on provider_logins (expires_at)',
    ...['user_id', 'subject_id', 'session_id'].map(
      (column) => `create index provider_logins_${column} on provider_logins (${column})`,
    ),
    `create table ticket_uses (
      ticket text not null primary key,
      used_at bigint not null,
      exp bigint not null
    )`,
    'create index ticket_uses_end on ticket_uses (exp)',
    `create table spec_indexes (
      id text not null primary key,
      hash text not null,
      maker text not null,
      text text not null
    )`,
  ],
  '002-deliveries': [
    `create table deliveries (
      delivery text not null,
      endpoint text not null,
      webhook_id text not null,
      publication text not null,
      topic text not null,
      seq bigint not null,
      key text,
      state text not null,
      due_at bigint not null,
      attempts bigint not null,
      lease_until bigint not null,
      epoch bigint not null,
      status bigint,
      error text,
      reason text,
      accepted_at bigint not null,
      bytes bigint not null,
      sealed text not null,
      primary key (delivery, webhook_id, endpoint)
    )`,
    // rows and bytes are counted without a look at the events
    'create index deliveries_due on deliveries (delivery, state, due_at, seq, bytes)',
    'create index deliveries_order on deliveries (delivery, state, seq, accepted_at)',
    'create index deliveries_key on deliveries (delivery, key, state, seq) where key is not null',
    `create table delivery_owners (
      realm_uri text not null,
      role text not null,
      holder text not null,
      node text not null,
      epoch bigint not null,
      lease_until bigint not null,
      primary key (realm_uri, role)
    )`,
    `create table delivery_states (
      delivery text not null primary key,
      realm_uri text not null,
      api_spec text not null,
      name text not null,
      state text not null,
      reason text,
      failing_since bigint,
      covered_until bigint
    )`,
    `create table delivery_gaps (
      delivery text not null,
      id text not null,
      reason text not null,
      since bigint not null,
      until bigint not null,
      count bigint,
      due_at bigint,
      attempts bigint not null,
      primary key (delivery, id)
    )`,
    'create index delivery_gaps_time on delivery_gaps (delivery, until)',
  ],
  '003-declared-deliveries': ['alter table delivery_states add column declared_at bigint'],
  '004-endpoints-of-users': [
    "alter table delivery_states add column endpoint text not null default ''",
  ],
}

const migrations: Readonly<Record<string, Migration>> = Object.fromEntries(
  Object.entries(statements).map(([name, texts]) => [
    name,
    {
      async up(db) {
        for (const text of texts) await sql.raw(text).execute(db)
      },
    } satisfies Migration,
  ]),
)

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
  const applied = await appliedMigrations(db)
  const unknown = applied.find((name) => !known.has(name))
  if (unknown !== undefined) throw new UnknownMigration(unknown)
  // the migrator writes even so
  if (applied.length === known.size) return
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
