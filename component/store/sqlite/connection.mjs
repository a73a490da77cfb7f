/**
 * A connection to a SQLite database: it prepares each statement once, runs several as one commit, and writes the log into the database
 * so that a failure of the disk takes nothing. It is JavaScript, because a thread that compiles TypeScript takes 10 MB more.
 */
import { closeSync, openSync, readSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'

/**
 * A commit has ended when the disk has it (https://sqlite.org/pragma.html#pragma_synchronous): a commit that the disk refuses is not
 * in the log, and the next one writes over it. So a failure of the disk leaves no hole in the log. SQLite makes no checkpoint by itself,
 * because it tells nobody of one that fails. It cuts a log that was longer. What `vacuum` needs is in memory: there may be no other
 * place for it.
 */
const settings = `
  pragma journal_mode = wal;
  pragma synchronous = full;
  pragma wal_autocheckpoint = 0;
  pragma journal_size_limit = 4194304;
  pragma foreign_keys = on;
  pragma temp_store = memory;
`

/** The primary result code of a full disk (https://sqlite.org/rescode.html#full). */
const full = 13

/** Statements of one message to the thread that writes; it joins further messages while it has fewer. */
export const mostTogether = 1000

/** By so many pages the log grows between two attempts to write it into the database. */
const checkpointPages = 1000

/** Other processes write nothing meanwhile, so that the log can begin anew. @type {Statement} */
export const checkpoint = { sql: 'pragma wal_checkpoint(full)', parameters: [] }

/** Statements of one text that are kept; others have as many values as rows, and come in many lengths. */
const mostPrepared = 100

/**
 * @typedef {object} Statement
 * @property {string} sql
 * @property {readonly unknown[]} parameters
 * @property {boolean} [isWithin] refused outside of a transaction
 */

/**
 * @typedef {object} Result
 * @property {object[]} rows
 * @property {number} changes rows that were changed; 0 for a statement that gives rows
 */

/**
 * What SQLite has refused, as it passes between threads.
 * @typedef {object} Refusal
 * @property {string} message
 * @property {number | undefined} errcode https://sqlite.org/rescode.html
 */

/** As SQLite refuses what was interrupted (https://sqlite.org/rescode.html#interrupt). @type {(message: string) => Refusal} */
export const interruption = (message) => ({ message, errcode: 9 })

/** What a statement of several has refused: not the beginning, nor the end of their transaction. */
class StatementFailure extends Error {}

/** @type {Result} */
const nothing = { rows: [], changes: 0 }

/**
 * The log, and how much of it the database has.
 * @typedef {object} LogState
 * @property {number} pages of the log; -1 in memory
 * @property {number} written of them into the database; the disk has them there when these are all
 */

/**
 * One connection.
 *
 * A checkpoint that a reader holds back writes the beginning of the log into the database, and SQLite counts it as written before any
 * sync. When the sync at its end fails, Linux has marked these pages clean, so that no later sync writes them
 * (https://wiki.postgresql.org/wiki/Fsync_Errors); and no later checkpoint does, because they are counted. The log must not begin anew
 * until they are behind the counted part again, which `vacuum` makes of all pages. Linux tells a failure to every descriptor that was
 * open, so that each process learns of it by its own sync; a connection that was opened later takes it as failed where a part is counted.
 */
export class Connection {
  #file
  #database
  /** @type {Map<string, import('node:sqlite').StatementSync>} */
  #known = new Map()
  /** Pages of the log at the last attempt to write it into the database. */
  #tried = 0
  /** Whether a sync of the database may have failed since its last good one. */
  #isDoubtful = true
  /** The part that was counted when all pages were written behind it. @type {string | undefined} */
  #rewritten

  /**
   * @param {string} file there already; or `:memory:`
   * @param {number} timeout how long a statement blocks the thread while another connection writes; milliseconds
   */
  constructor(file, timeout) {
    this.#file = file
    this.#database = new DatabaseSync(file, { timeout })
    try {
      this.#database.exec(settings)
    } catch (cause) {
      this.#database.close()
      throw cause
    }
  }

  /**
   * Runs one statement. Throws the error of SQLite.
   * @param {Statement} statement
   * @returns {Result}
   */
  execute(statement) {
    const isCheckpoint = statement.sql.startsWith('pragma wal_checkpoint')
    return isCheckpoint ? this.#checkpoint(statement) : this.#run(statement)
  }

  /** @returns {LogState} */
  log() {
    const row = this.#prepared('pragma wal_checkpoint(noop)').get()
    return { pages: Number(row?.log), written: Number(row?.checkpointed) }
  }

  /** Whether the database has the beginning of the log, which the disk need not have there. */
  get isPartlyWritten() {
    const { pages, written } = this.log()
    return written > 0 && written < pages
  }

  /**
   * Writes the log into the database where it has grown enough; called after each commit.
   * @returns {Refusal | undefined} why it could not
   */
  checkpointIfDue() {
    if (this.#database.isTransaction) return undefined
    try {
      const { pages } = this.log()
      // the log has begun anew
      if (pages < this.#tried) this.#tried = 0
      if (pages - this.#tried < checkpointPages) return undefined
      this.#tried = pages
      this.execute(checkpoint)
      return undefined
    } catch (cause) {
      return refusalOf(cause)
    }
  }

  /** @param {Statement} statement @returns {Result} */
  #checkpoint(statement) {
    try {
      if (this.#isDoubtful) this.#rewrite()
      const result = this.#run(statement)
      this.#isDoubtful = false
      return result
    } catch (cause) {
      // without room nothing was written, and nothing is lost
      if ((Number(refusalOf(cause).errcode) & 0xff) !== full) this.#isDoubtful = true
      throw cause
    }
  }

  /** Writes all pages behind the part of the log that is counted, unless they are there. */
  #rewrite() {
    if (!this.isPartlyWritten) return
    const part = this.#countedPart()
    if (part === this.#rewritten) return
    this.#run({ sql: 'vacuum', parameters: [] })
    this.#rewritten = part
  }

  /** Names this log, and how much of it is counted as written. */
  #countedPart() {
    const { written } = this.log()
    // the salt of a log is its own (https://sqlite.org/fileformat2.html#walformat)
    const salt = Buffer.alloc(8)
    const log = openSync(`${this.#file}-wal`, 'r')
    try {
      readSync(log, salt, 0, 8, 16)
    } finally {
      closeSync(log)
    }
    return `${salt.toString('hex')} ${written}`
  }

  /** @param {Statement} statement @returns {Result} */
  #run({ sql, parameters }) {
    const statement = this.#prepared(sql)
    const values = /** @type {import('node:sqlite').SQLInputValue[]} */ (parameters)
    // incremental_vacuum has no columns, and gives back one page each time that it is asked for a row
    if (statement.columns().length > 0 || sql.startsWith('pragma incremental_vacuum')) {
      return { rows: statement.all(...values), changes: 0 }
    }
    return { rows: [], changes: Number(statement.run(...values).changes) }
  }

  /**
   * Runs statements that do not depend on each other; those that change something are one commit.
   * @param {readonly Statement[]} statements
   * @returns {(Result | Refusal)[]} of each
   */
  executeAll(statements) {
    const [, second] = statements
    const isOne = second === undefined || this.#database.isTransaction
    if (isOne || statements.some(({ sql }) => sql.startsWith('pragma'))) {
      return statements.map((statement) => this.#executeAlone(statement))
    }
    try {
      return this.#executeTogether(statements)
    } catch (cause) {
      this.#executeAlone({ sql: 'rollback', parameters: [] })
      // the others do not suffer from one that is refused
      if (cause instanceof StatementFailure)
        return statements.map((each) => this.#executeAlone(each))
      return statements.map(() => refusalOf(cause))
    }
  }

  /** Where a part of the log is counted, the log stays: the next start counts anew. */
  close() {
    // the last connection would make a checkpoint, and remove the log; one that only reads cannot
    const last = this.isPartlyWritten ? new DatabaseSync(this.#file, { readOnly: true }) : undefined
    try {
      last?.prepare('select count(*) from sqlite_schema').all()
      this.#database.close()
    } finally {
      last?.close()
    }
  }

  /** @param {Statement} statement @returns {Result | Refusal} */
  #executeAlone(statement) {
    // with a full disk, SQLite has rolled back by itself
    if (statement.sql === 'rollback' && !this.#database.isTransaction) return nothing
    // the thread that has begun it is gone
    if (statement.isWithin && !this.#database.isTransaction) {
      return interruption('the transaction has ended')
    }
    try {
      return this.execute(statement)
    } catch (cause) {
      return refusalOf(cause)
    }
  }

  /** @param {readonly Statement[]} statements @returns {Result[]} */
  #executeTogether(statements) {
    this.execute({ sql: 'begin immediate', parameters: [] })
    const results = statements.map((statement) => {
      try {
        return this.execute(statement)
      } catch {
        throw new StatementFailure()
      }
    })
    this.execute({ sql: 'commit', parameters: [] })
    return results
  }

  /** @param {string} sql */
  #prepared(sql) {
    const found = this.#known.get(sql)
    if (found) return found
    const statement = this.#database.prepare(sql)
    if (this.#known.size >= mostPrepared) this.#known.clear()
    this.#known.set(sql, statement)
    return statement
  }
}

/** @param {unknown} cause @returns {Refusal} */
function refusalOf(cause) {
  if (!(cause instanceof Error)) return { message: String(cause), errcode: undefined }
  const errcode = 'errcode' in cause ? Number(cause.errcode) : undefined
  return { message: cause.message, errcode }
}
