/** node:sqlite in the shape that Kysely's SQLite dialect expects of a database, and what SQLite's failures say. */
import { closeSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import {
  type DatabaseConnection,
  type Dialect,
  SqliteAdapter,
  type SqliteDatabase,
  SqliteDriver,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type SqliteStatement,
} from 'kysely'
import type { Condition, Engine } from './engine.ts'

/** How long a statement blocks the process while another process writes; longer waits are the store's, not blocking. */
const busyTimeoutMs = 20

/** A commit is acknowledged when it is on the disk, whatever happens to the process or the machine after it. */
const settings = `
  pragma journal_mode = wal;
  pragma synchronous = full;
  pragma foreign_keys = on;
`

/** Primary result codes that say something of the world, not of the query (https://sqlite.org/rescode.html). */
const conditions: Readonly<Record<number, Condition>> = {
  5: { message: 'the store is locked by another process', patience: 'always' },
  6: { message: 'the store is locked', patience: 'always' },
  8: { message: 'the store is read-only', patience: 'never' },
  10: { message: 'the disk of the store failed', patience: 'never' },
  11: { message: 'the store is corrupt', patience: 'never' },
  13: { message: 'the disk of the store is full', patience: 'never' },
  14: { message: 'the store cannot be opened', patience: 'never' },
  26: { message: 'the file of the store is no database', patience: 'never' },
}

/** What may be wrong with files and folders: `EACCES`, `ENOSPC`, `EROFS`, … */
const fileCondition: Condition = {
  message: 'the file of the store cannot be opened',
  patience: 'never',
}

function conditionOf(cause: unknown): Condition | undefined {
  if (!(cause instanceof Error)) return undefined
  if ('errcode' in cause && typeof cause.errcode === 'number') {
    return conditions[cause.errcode & 0xff]
  }
  return 'syscall' in cause ? fileCondition : undefined
}

/** Makes the file readable by its owner only before anything is in it; SQLite gives its other files the same mode. */
function createFile(file: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  closeSync(openSync(file, 'a', 0o600))
}

function prepare(database: DatabaseSync, sql: string): SqliteStatement {
  const statement = database.prepare(sql)
  return {
    reader: statement.columns().length > 0,
    all: (parameters) => statement.all(...(parameters as SQLInputValue[])),
    run: (parameters) => statement.run(...(parameters as SQLInputValue[])),
    iterate: (parameters) => statement.iterate(...(parameters as SQLInputValue[])),
  }
}

function openDatabase(file: string): DatabaseSync {
  if (file !== ':memory:') createFile(file)
  const database = new DatabaseSync(file, { timeout: busyTimeoutMs })
  try {
    database.exec(settings)
    return database
  } catch (cause) {
    database.close()
    throw cause
  }
}

/** SQLite rolls back by itself when the disk is full: there may be nothing left to roll back. */
class Driver extends SqliteDriver {
  readonly #database: DatabaseSync

  constructor(database: DatabaseSync) {
    const adapter: SqliteDatabase = {
      prepare: (sql) => prepare(database, sql),
      close: () => {
        database.close()
      },
    }
    super({ database: adapter })
    this.#database = database
  }

  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (this.#database.isTransaction) await super.rollbackTransaction(connection)
  }
}

/** Migrations run in one transaction: all or none, and one after the other when several processes start at once. */
class Adapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true
  }
}

function connect(file: string): Dialect {
  const database = openDatabase(file)
  return {
    createDriver: () => new Driver(database),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createAdapter: () => new Adapter(),
    createIntrospector: (db) => new SqliteIntrospector(db),
  }
}

/** A file, made if need be, or `:memory:`. */
export const sqlite = (file: string): Engine => ({
  place: '',
  isServer: false,
  connect: () => connect(file),
  conditionOf,
})
