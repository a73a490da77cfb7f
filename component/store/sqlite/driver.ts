/** node:sqlite in the shape that Kysely's SQLite dialect expects of a database, and what SQLite's failures say. */
import { closeSync, fdatasync, mkdirSync, openSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { promisify } from 'node:util'
import {
  type DatabaseConnection,
  type Kysely,
  SqliteAdapter,
  type SqliteDatabase,
  SqliteDriver,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type SqliteStatement,
  sql,
} from 'kysely'
import type { Condition, Engine } from '#component/store/engine.ts'
import type { Tables } from '#component/store/tables.ts'
import { pagesWithoutThread } from './checkpointer.ts'
import type { CommitLog } from './commit-log.ts'
import { type Sync, SyncFailure, WalFile } from './wal-file.ts'

/** How long a statement blocks the process while another process writes; longer waits are the store's, not blocking. */
const busyTimeoutMs = 20

/**
 * Freed pages can be given back (https://sqlite.org/pragma.html#pragma_auto_vacuum; it takes effect before the first table).
 * A commit ends when the operating system has the write-ahead log (https://sqlite.org/pragma.html#pragma_synchronous); what
 * `synchronous = full` does then, {@link CommitLog} does beside the event loop, before anybody is told of the commit.
 * Checkpoints run beside the event loop, too.
 */
const settings = `
  pragma auto_vacuum = incremental;
  pragma journal_mode = wal;
  pragma synchronous = normal;
  pragma wal_autocheckpoint = ${pagesWithoutThread};
  pragma foreign_keys = on;
`

/** Pages that are released at once: a short step, between which queries run. */
const pagesAtOnce = 1000

/** Advice for a file that cannot be read. */
const remedy =
  'stop the gateway and restore a backup (without -wal and -shm files), or remove all three files to begin with an empty store; a gateway among several fetches the documents of the others (docs/operations.md)'

/** Primary result codes that say something of the world, not of the query (https://sqlite.org/rescode.html). */
const conditions: Readonly<Record<number, Condition>> = {
  5: { message: 'the store is locked by another process', patience: 'always' },
  6: { message: 'the store is locked', patience: 'always' },
  8: { message: 'the store is read-only', patience: 'never' },
  10: { message: 'the disk of the store failed', patience: 'never' },
  11: { message: `the store is damaged: ${remedy}`, patience: 'never' },
  13: { message: 'the disk of the store is full', patience: 'never', isFull: true },
  14: { message: 'the store cannot be opened', patience: 'never' },
  26: { message: `the file of the store is not a database: ${remedy}`, patience: 'never' },
}

/** An empty file: another process is about to fill it, or it has lost its content. */
const empty: Condition = {
  message: `the file of the store is empty: ${remedy}`,
  patience: 'at start',
}

class EmptyFile extends Error {}

/** Failures of files and folders: `EACCES`, `ENOSPC`, `EROFS`, … */
const fileCondition: Condition = {
  message: 'the file of the store cannot be opened',
  patience: 'never',
}

/** Codes of a disk that has no room for what was written, as some file systems find out late. */
const fullCodes: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT'])

function conditionOf(cause: unknown): Condition | undefined {
  if (!(cause instanceof Error)) return undefined
  if (cause instanceof SyncFailure) return conditions[fullCodes.has(cause.code) ? 13 : 10]
  if (cause instanceof EmptyFile) return empty
  if ('errcode' in cause && typeof cause.errcode === 'number') {
    return conditions[cause.errcode & 0xff]
  }
  return 'syscall' in cause ? fileCondition : undefined
}

/**
 * Makes the file readable by its owner only before anything is in it; SQLite gives its other files the same mode.
 * @throws EmptyFile for an existing empty file: its documents must not be taken for deleted
 */
function createFile(file: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  try {
    closeSync(openSync(file, 'wx', 0o600))
  } catch (cause) {
    if (!(cause instanceof Error && 'code' in cause && cause.code === 'EEXIST')) throw cause
    if (statSync(file).size === 0) throw new EmptyFile('the file is empty')
  }
}

/** Statements that commit nothing. */
const notWriting = /^\s*(?:select|pragma|begin|rollback)\b/i

function prepare(
  { database, log }: { readonly database: DatabaseSync; readonly log: CommitLog | undefined },
  sql: string,
): SqliteStatement {
  const statement = database.prepare(sql)
  const noted =
    log === undefined || notWriting.test(sql)
      ? <T>(result: T): T => result
      : <T>(result: T): T => {
          if (!database.isTransaction) log.note()
          return result
        }
  return {
    // incremental_vacuum has no columns, and gives back one page each time that it is asked for a row
    reader: statement.columns().length > 0 || sql.startsWith('pragma incremental_vacuum'),
    all: (parameters) => noted(statement.all(...(parameters as SQLInputValue[]))),
    run: (parameters) => noted(statement.run(...(parameters as SQLInputValue[]))),
    iterate: (parameters) => statement.iterate(...(parameters as SQLInputValue[])),
  }
}

/** Statements of one text that are kept; others have as many values as rows, and come in many lengths. */
const mostPrepared = 100

/** Prepares each statement once: the same few make up almost all queries. */
function preparing(
  database: DatabaseSync,
  log: CommitLog | undefined,
): (sql: string) => SqliteStatement {
  const known = new Map<string, SqliteStatement>()
  return (sql) => {
    const found = known.get(sql)
    if (found) return found
    const statement = prepare({ database, log }, sql)
    if (known.size >= mostPrepared) known.clear()
    known.set(sql, statement)
    return statement
  }
}

async function releasePages(db: Kysely<Tables>, wal: WalFile | undefined): Promise<boolean> {
  const count = async () => {
    const { rows } = await sql<{ freelist_count: number }>`pragma freelist_count`.execute(db)
    return rows[0]?.freelist_count ?? 0
  }
  const before = await count()
  if (before === 0) return false
  await sql.raw(`pragma incremental_vacuum(${pagesAtOnce})`).execute(db)
  const after = await count()
  if (after > 0 && after < before) return true
  // the file itself shrinks when the log has been written into it, and two checkpoints cannot run at once
  await wal?.checkpointer.idle
  await sql`pragma wal_checkpoint(truncate)`.execute(db)
  return false
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
  readonly #wal: WalFile | undefined

  constructor(database: DatabaseSync, wal: WalFile | undefined) {
    const adapter: SqliteDatabase = {
      prepare: preparing(database, wal?.commits),
      close: () => database.close(),
    }
    super({ database: adapter })
    this.#database = database
    this.#wal = wal
  }

  override async acquireConnection(): Promise<DatabaseConnection> {
    await this.#wal?.checkpointer.pause
    return super.acquireConnection()
  }

  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (this.#database.isTransaction) await super.rollbackTransaction(connection)
  }

  override async destroy(): Promise<void> {
    await this.#wal?.close()
    await super.destroy()
  }
}

/** Migrations run in one transaction: all or none, and one after the other when several processes start at once. */
class Adapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true
  }
}

/** A file, made if need be, or `:memory:`. @param sync for tests */
export function sqlite(file: string, sync: Sync = promisify(fdatasync)): Engine {
  let wal: WalFile | undefined
  return {
    place: '',
    connect() {
      const database = openDatabase(file)
      const changes = database.prepare('select total_changes() as changes')
      wal =
        file === ':memory:'
          ? undefined
          : new WalFile(file, sync, () => Number(changes.get()?.changes))
      return {
        createDriver: () => new Driver(database, wal),
        createQueryCompiler: () => new SqliteQueryCompiler(),
        createAdapter: () => new Adapter(),
        createIntrospector: (db) => new SqliteIntrospector(db),
      }
    },
    conditionOf,
    flush: async () => wal?.commits.flush(),
    releasePages: (db) => releasePages(db, wal),
  }
}
