/** SQLite behind Kysely: reads on the event loop, writes on a thread; and what SQLite's failures say. */
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fdatasyncSync,
  openSync,
  readSync,
  statSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type Kysely,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  sql,
} from 'kysely'
import { flush, makeFile, makeFolder } from '#component/durable-file.ts'
import type { Condition, Engine } from '#component/store/engine.ts'
import type { Tables } from '#component/store/tables.ts'
import type { BatchSize } from '#component/store/write-batch.ts'
import { Connection, checkpoint, type Result } from './connection.mjs'
import { Writer } from './writer.ts'

/** How long a read blocks the event loop while another process restores the log; longer waits are the store's. */
const busyTimeoutMs = 20

/** Pages that are released at once: a short step, between which queries run. */
const pagesAtOnce = 1000

/** How much of a log is written again at once; a reader may have made it long. */
const bytesAtOnce = 1 << 20

/** Advice for a file that cannot be read. */
const remedy =
  'stop the gateway and restore a backup (without -wal and -shm files), or remove all three files to begin with an empty store; a gateway among several fetches the documents of the others (docs/operations.md)'

/** Primary result codes that say something of the world, not of the query (https://sqlite.org/rescode.html). */
const conditions: Readonly<Record<number, Condition>> = {
  5: { message: 'the store is locked by another process', patience: 'always' },
  6: { message: 'the store is locked', patience: 'always' },
  8: { message: 'the store is read-only', patience: 'never', fault: 'read_only' },
  9: { message: 'the store was interrupted', patience: 'never' },
  10: { message: 'the disk of the store failed', patience: 'never', fault: 'failed' },
  11: { message: `the store is damaged: ${remedy}`, patience: 'never' },
  13: { message: 'the disk of the store is full', patience: 'never', fault: 'full' },
  14: { message: 'the store cannot be opened', patience: 'never' },
  26: { message: `the file of the store is not a database: ${remedy}`, patience: 'never' },
}

/** A file of 0 bytes has lost its content: no gateway makes one. */
const empty: Condition = { message: `the file of the store is empty: ${remedy}`, patience: 'never' }

class EmptyFile extends Error {}

/** The error of the operating system without its path: the message goes to clients. */
const fileCondition = ({ message }: Error): Condition => ({
  message: `the file of the store cannot be opened (${message.split(',', 1)[0]})`,
  patience: 'never',
})

function conditionOf(cause: unknown): Condition | undefined {
  if (!(cause instanceof Error)) return undefined
  if (cause instanceof EmptyFile) return empty
  if ('errcode' in cause && typeof cause.errcode === 'number') {
    return conditions[cause.errcode & 0xff]
  }
  return 'syscall' in cause ? fileCondition(cause) : undefined
}

/**
 * Makes the file with its tables, unless it is there. Its name comes to be when it is whole: a full disk or a power failure leaves
 * no file that the next start cannot open.
 */
async function create(file: string, fill: (dialect: Dialect) => Promise<void>): Promise<void> {
  if (existsSync(file)) return
  makeFolder(dirname(file), 0o700)
  const memory = new Connection(':memory:', 0)
  try {
    // freed pages can be given back; before the first table (https://sqlite.org/pragma.html#pragma_auto_vacuum)
    memory.execute({ sql: 'pragma auto_vacuum = incremental', parameters: [] })
    await fill(dialectOf(memory, new Writer(undefined, memory, () => undefined)))
    makeFile(file, (draft) => {
      memory.execute({ sql: 'vacuum into ?', parameters: [draft] })
      // with a write-ahead log from the beginning: no later start changes how it is written
      new Connection(draft, 0).close()
    })
  } finally {
    memory.close()
  }
}

/** @throws EmptyFile; the error of the operating system where the file, or others beside it, cannot be written */
function open(file: string): Connection {
  if (file !== ':memory:') {
    accessSync(file, constants.R_OK | constants.W_OK)
    accessSync(dirname(file), constants.W_OK)
    if (statSync(file).size === 0) throw new EmptyFile('the file is empty')
  }
  const connection = new Connection(file, busyTimeoutMs)
  try {
    if (file !== ':memory:') writeLogAgain(file, connection)
    return connection
  } catch (cause) {
    connection.close()
    throw cause
  }
}

/**
 * Brings the log of an earlier process to the disk, and its name: it may have what the disk has refused. Linux shows that as if it were
 * there and never writes it, so that a log that goes on after it would end before it when the power fails. SQLite does not mind whether
 * the name is on the disk.
 */
function writeLogAgain(file: string, connection: Connection): void {
  const execute = (sql: string) => connection.execute({ sql, parameters: [] })
  // nobody else writes to the log meanwhile
  execute('begin immediate')
  const log = openSync(`${file}-wal`, 'r+')
  const bytes = Buffer.alloc(bytesAtOnce)
  try {
    for (let at = 0; ; ) {
      const length = readSync(log, bytes, 0, bytes.length, at)
      if (length === 0) break
      at += writeSync(log, bytes, 0, length, at)
    }
    fdatasyncSync(log)
    flush(dirname(file))
  } finally {
    closeSync(log)
    execute('rollback')
  }
}

async function releasePages(db: Kysely<Tables>): Promise<boolean> {
  const count = async () => {
    const { rows } = await sql<{ freelist_count: number }>`pragma freelist_count`.execute(db)
    return rows[0]?.freelist_count ?? 0
  }
  const before = await count()
  if (before === 0) return false
  await sql.raw(`pragma incremental_vacuum(${pagesAtOnce})`).execute(db)
  const after = await count()
  if (after > 0 && after < before) return true
  // the file itself shrinks when the log has been written into it
  await sql`pragma wal_checkpoint(truncate)`.execute(db)
  return false
}

/** The thread joins what waits for it, so that it begins with the first rows while requests bring more. */
const batch: BatchSize = { items: 16, writes: 8 }

/** Statements that change nothing, outside of transactions. */
const reading = /^\s*(?:select|pragma freelist_count)\b/i

const answerOf = <R>({ rows, changes }: Result): QueryResult<R> => ({
  rows: rows as R[],
  numAffectedRows: BigInt(changes),
})

/** What one query or one transaction runs on. */
class SqliteConnection implements DatabaseConnection {
  readonly #reader: Connection | undefined
  readonly #writer: Writer
  #endTurn: (() => void) | undefined

  constructor(reader: Connection | undefined, writer: Writer) {
    this.#reader = reader
    this.#writer = writer
  }

  async executeQuery<R>({ sql, parameters }: Pick<CompiledQuery, 'sql' | 'parameters'>) {
    const statement = { sql, parameters }
    if (this.#endTurn) {
      return answerOf<R>(await this.#writer.execute({ ...statement, isWithin: true }))
    }
    if (this.#reader && reading.test(sql)) return answerOf<R>(this.#reader.execute(statement))
    return answerOf<R>(await this.#writer.write(statement))
  }

  // biome-ignore lint/correctness/useYield: nothing is streamed
  async *streamQuery(): AsyncGenerator<never> {
    throw new Error('a query of SQLite is not streamed')
  }

  async begin(): Promise<void> {
    this.#endTurn = await this.#writer.turn()
    try {
      await this.#writer.execute({ sql: 'begin immediate', parameters: [] })
    } catch (cause) {
      this.#end()
      throw cause
    }
  }

  /** Where the commit fails, {@link rollback} follows. */
  async commit(): Promise<void> {
    await this.executeQuery({ sql: 'commit', parameters: [] })
    this.#end()
  }

  async rollback(): Promise<void> {
    try {
      await this.executeQuery({ sql: 'rollback', parameters: [] })
    } finally {
      this.#end()
    }
  }

  #end(): void {
    this.#endTurn?.()
    this.#endTurn = undefined
  }
}

/** Kysely calls `rollbackTransaction` after any failure of a transaction that has begun. */
class SqliteDriver implements Driver {
  readonly #connection: Connection
  readonly #writer: Writer

  constructor(connection: Connection, writer: Writer) {
    this.#connection = connection
    this.#writer = writer
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<SqliteConnection> {
    // without a thread, a read must not see what a transaction has not committed
    const reader = this.#writer.hasThread ? this.#connection : undefined
    return new SqliteConnection(reader, this.#writer)
  }

  beginTransaction = (connection: SqliteConnection) => connection.begin()
  commitTransaction = (connection: SqliteConnection) => connection.commit()
  rollbackTransaction = (connection: SqliteConnection) => connection.rollback()

  async releaseConnection(): Promise<void> {}

  async destroy(): Promise<void> {
    await this.#writer.close()
    this.#connection.close()
  }
}

/** Migrations run in one transaction: all or none, and one after the other when several processes start at once. */
class Adapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true
  }

  override get supportsMultipleConnections(): boolean {
    return true
  }
}

const dialectOf = (connection: Connection, writer: Writer): Dialect => ({
  createDriver: () => new SqliteDriver(connection, writer),
  createQueryCompiler: () => new SqliteQueryCompiler(),
  createAdapter: () => new Adapter(),
  createIntrospector: (db) => new SqliteIntrospector(db),
})

/** A file, or `:memory:`. */
export function sqlite(file: string): Engine {
  const isInMemory = file === ':memory:'
  return {
    place: '',
    create: async (fill) => isInMemory || create(file, fill),
    connect(onFailure) {
      const connection = open(file)
      const writer = new Writer(isInMemory ? undefined : file, connection, onFailure)
      return dialectOf(connection, writer)
    },
    batch,
    conditionOf,
    async checkpoint(db) {
      await sql.raw(checkpoint.sql).execute(db)
    },
    releasePages,
  }
}
