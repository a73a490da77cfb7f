/** node:sqlite in the shape that Kysely's SQLite dialect expects of a database. */
import { closeSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { type SqliteDatabase, SqliteDialect, type SqliteStatement } from 'kysely'

/** How long a statement blocks the process while another process writes; longer waits are the store's, not blocking. */
const busyTimeoutMs = 20

/** A commit is acknowledged when it is on the disk, whatever happens to the process or the machine after it. */
const settings = `
  pragma journal_mode = wal;
  pragma synchronous = full;
  pragma foreign_keys = on;
`

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

/** Opens a file, made if need be, or `:memory:`, behind Kysely's dialect. */
export function openSqlite(file: string): SqliteDialect {
  if (file !== ':memory:') createFile(file)
  const database = new DatabaseSync(file, { timeout: busyTimeoutMs })
  try {
    database.exec(settings)
  } catch (cause) {
    database.close()
    throw cause
  }
  const adapter: SqliteDatabase = {
    prepare: (sql) => prepare(database, sql),
    close: () => {
      database.close()
    },
  }
  return new SqliteDialect({ database: adapter })
}
