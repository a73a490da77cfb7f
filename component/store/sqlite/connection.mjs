/**
 * A connection to a SQLite database: it prepares each statement once, and runs several as one commit. It is JavaScript, because a
 * thread that compiles TypeScript takes 10 MB more.
 */
import { DatabaseSync } from 'node:sqlite'

/**
 * A commit has ended when the disk has it (https://sqlite.org/pragma.html#pragma_synchronous): a commit that the disk refuses is not
 * in the log, and the next one writes over it. So a failure of the disk leaves no hole in the log. SQLite writes the log into the
 * database after so many pages, and cuts a log that was longer.
 */
const settings = `
  pragma journal_mode = wal;
  pragma synchronous = full;
  pragma wal_autocheckpoint = 1000;
  pragma journal_size_limit = 4194304;
  pragma foreign_keys = on;
`

/** Statements of one text that are kept; others have as many values as rows, and come in many lengths. */
const mostPrepared = 100

/**
 * @typedef {object} Statement
 * @property {string} sql
 * @property {readonly unknown[]} parameters
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

/** What a statement of several has refused: not the beginning, nor the end of their transaction. */
class StatementFailure extends Error {}

/** @type {Result} */
const nothing = { rows: [], changes: 0 }

/** One connection. */
export class Connection {
  #database
  /** @type {Map<string, import('node:sqlite').StatementSync>} */
  #known = new Map()

  /**
   * @param {string} file there already; or `:memory:`
   * @param {number} timeout how long a statement blocks the thread while another connection writes; milliseconds
   */
  constructor(file, timeout) {
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
  execute({ sql, parameters }) {
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

  close() {
    this.#database.close()
  }

  /** @param {Statement} statement @returns {Result | Refusal} */
  #executeAlone(statement) {
    // with a full disk, SQLite has rolled back by itself
    if (statement.sql === 'rollback' && !this.#database.isTransaction) return nothing
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
