/** What changes a SQLite database, in turn: transactions, between them all statements that wait, as one commit, and checkpoints. */
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { programRoot } from '#component/program-root.ts'
import type { Connection, Refusal, Result, Statement } from './connection.mjs'

const program = join(programRoot, 'component/store/sqlite/write-thread.mjs')

/** Statements of one commit. */
const mostTogether = 1000

/** By so many pages the log grows between two attempts to write it into the database. */
const checkpointPages = 1000

/** Other processes write nothing meanwhile, so that the log can begin anew. */
const checkpoint: Statement = { sql: 'pragma wal_checkpoint(full)', parameters: [] }

/** Runs statements: in a transaction each by itself, otherwise as one commit. @returns of each */
type Execute = (statements: readonly Statement[]) => Promise<readonly (Result | Refusal)[]>

/** What SQLite refused, with the code by which its own errors tell it. */
class SqliteRefusal extends Error {
  readonly errcode: number | undefined

  constructor({ message, errcode }: Refusal) {
    super(message)
    this.errcode = errcode
  }
}

function resultOf(outcome: Result | Refusal): Result {
  if ('message' in outcome) throw new SqliteRefusal(outcome)
  return outcome
}

/** The thread that writes; started when it is needed first. */
class WriteThread {
  readonly #file: string
  #thread: Worker | undefined

  constructor(file: string) {
    this.#file = file
  }

  /** Throws when the process may not start threads; rejects when the thread ends. One at a time. */
  execute(statements: readonly Statement[]): Promise<readonly (Result | Refusal)[]> {
    this.#thread ??= this.#start()
    const thread = this.#thread
    const { promise, resolve, reject } = Promise.withResolvers<readonly (Result | Refusal)[]>()
    const ended = () => reject(new Error('the thread that writes has ended'))
    thread.ref()
    thread.once('message', resolve).once('error', reject).once('exit', ended)
    thread.postMessage(statements)
    return promise.finally(() => {
      thread.off('message', resolve).off('error', reject).off('exit', ended)
      thread.unref()
    })
  }

  async close(): Promise<void> {
    const thread = this.#thread
    if (thread === undefined) return
    thread.ref()
    const ended = new Promise((resolve) => thread.once('exit', resolve))
    thread.postMessage('close')
    await ended
  }

  #start(): Worker {
    // without the flags of the process, such as --import: the thread needs none of what they load
    const thread = new Worker(program, { workerData: this.#file, execArgv: [] })
    thread.on('error', () => undefined)
    thread.on('exit', () => {
      // the next statement starts it again; what it had not committed is not there
      this.#thread = undefined
    })
    return thread
  }
}

interface Waiting {
  readonly statement: Statement
  readonly resolve: (result: Result) => void
  readonly reject: (reason: unknown) => void
}

/** The transactions of one process. */
export class Writer {
  readonly #connection: Connection
  readonly #thread: WriteThread | undefined
  readonly #execute: Execute
  readonly #onFailure: (cause: unknown) => void
  #hasThread: boolean
  #waiting: Waiting[] = []
  #lastTurn: Promise<void> = Promise.resolve()
  /** Pages of the log at the last attempt to write it into the database. */
  #tried = 0
  #isClosed = false

  /**
   * @param file undefined: no other connection sees the database, so that it has no thread
   * @param connection what runs the statements where there is no thread
   * @param onFailure called with what has failed after statements had their results
   */
  constructor(
    file: string | undefined,
    connection: Connection,
    onFailure: (cause: unknown) => void,
  ) {
    this.#connection = connection
    this.#onFailure = onFailure
    const here: Execute = async (statements) => connection.executeAll(statements)
    const thread = file === undefined ? undefined : new WriteThread(file)
    this.#thread = thread
    this.#hasThread = thread !== undefined
    this.#execute = (statements) => {
      if (!this.#hasThread || thread === undefined) return here(statements)
      try {
        return thread.execute(statements)
      } catch {
        // the process may not start threads
        this.#hasThread = false
        return here(statements)
      }
    }
  }

  /** Whether another connection than that of the process writes. */
  get hasThread(): boolean {
    return this.#hasThread
  }

  /** Resolves when it is the caller's turn, with what ends the turn. */
  async turn(): Promise<() => void> {
    const last = this.#lastTurn
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#lastTurn = promise
    await last
    return () => {
      resolve()
      if (!this.#isClosed) this.#checkpointIfDue()
    }
  }

  /** Runs a statement of the transaction whose turn it is. */
  async execute(statement: Statement): Promise<Result> {
    const [outcome] = await this.#execute([statement])
    return resultOf(outcome as Result | Refusal)
  }

  /** Runs a statement in a transaction with those that wait at the same time; it is on the disk when it resolves. */
  write(statement: Statement): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ statement, resolve, reject })
      if (this.#waiting.length === 1) void this.#writeWaiting()
    })
  }

  /** Ends the thread, once what it does is done. */
  async close(): Promise<void> {
    const end = await this.turn()
    this.#isClosed = true
    // the rest of what a reader has held back: the log goes with the store
    if (this.#connection.isPartlyWritten) await this.execute(checkpoint).catch(this.#onFailure)
    await this.#thread?.close()
    end()
  }

  #checkpointIfDue(): void {
    try {
      const { pages } = this.#connection.log()
      // the log has begun anew
      if (pages < this.#tried) this.#tried = 0
      if (pages - this.#tried < checkpointPages) return
      this.#tried = pages
    } catch (cause) {
      this.#onFailure(cause)
      return
    }
    void this.turn().then((end) => this.execute(checkpoint).catch(this.#onFailure).finally(end))
  }

  async #writeWaiting(): Promise<void> {
    const end = await this.turn()
    const batch = this.#waiting.slice(0, mostTogether)
    this.#waiting = this.#waiting.slice(mostTogether)
    // those who come from now on wait for the next turn
    if (this.#waiting.length > 0) void this.#writeWaiting()
    try {
      const outcomes = await this.#execute(batch.map(({ statement }) => statement))
      for (const [index, { resolve, reject }] of batch.entries()) {
        try {
          resolve(resultOf(outcomes[index] as Result | Refusal))
        } catch (cause) {
          reject(cause)
        }
      }
    } catch (cause) {
      for (const { reject } of batch) reject(cause)
    } finally {
      end()
    }
  }
}
