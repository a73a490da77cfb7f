/** What changes a SQLite database, in turn: transactions, and between them statements, of which all that wait for the thread are one commit. */
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { programRoot } from '#component/program-root.ts'
import {
  type Connection,
  checkpoint,
  interruption,
  mostTogether,
  type Refusal,
  type Result,
  type Statement,
} from './connection.mjs'
import type { Told } from './write-thread.mjs'

const program = join(programRoot, 'component/store/sqlite/write-thread.mjs')

type Outcomes = readonly (Result | Refusal)[]

/** What SQLite refused, with the code by which its own errors tell it. */
class SqliteRefusal extends Error {
  readonly errcode: number | undefined

  constructor({ message, errcode }: Refusal, cause?: unknown) {
    super(message, { cause })
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
  readonly #onFailure: (cause: unknown) => void
  #thread: Worker | undefined
  /** The messages of which it has not told the outcomes, in their order. */
  #sent: PromiseWithResolvers<Outcomes>[] = []

  constructor(file: string, onFailure: (cause: unknown) => void) {
    this.#file = file
    this.#onFailure = onFailure
  }

  /**
   * Runs statements after those of earlier calls; outside of a transaction they may be one commit with those of later ones.
   * Throws when the process may not start threads; rejects when the thread ends.
   */
  execute(statements: readonly Statement[]): Promise<Outcomes> {
    this.#thread ??= this.#start()
    this.#thread.postMessage(statements)
    const sent = Promise.withResolvers<Outcomes>()
    if (this.#sent.push(sent) === 1) this.#thread.ref()
    return sent.promise
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
    let cause: unknown
    thread.on('message', ({ outcomes, failure }: Told) => {
      for (const each of outcomes) this.#sent.shift()?.resolve(each)
      if (this.#sent.length === 0) thread.unref()
      if (failure) this.#onFailure(new SqliteRefusal(failure))
    })
    thread.on('error', (error) => {
      cause = error
    })
    thread.on('exit', () => {
      // the next statement starts it again; what it had not committed is not there
      this.#thread = undefined
      for (const { reject } of this.#sent.splice(0)) reject(refusalBy(cause))
    })
    return thread
  }
}

/** Why statements are refused whose thread has ended: SQLite has refused to open the database, or anything else. */
const refusalBy = (cause: unknown): unknown =>
  cause instanceof Error && 'errcode' in cause
    ? cause
    : new SqliteRefusal(interruption('the thread that writes has ended'), cause)

interface Waiting {
  readonly statement: Statement
  readonly resolve: (result: Result) => void
  readonly reject: (reason: unknown) => void
}

/** The transactions of one process. */
export class Writer {
  readonly #connection: Connection
  readonly #onFailure: (cause: unknown) => void
  #thread: WriteThread | undefined
  #waiting: Waiting[] = []
  /** Settles when what was asked for last has ended, and so has all before it. */
  #last: Promise<void> = Promise.resolve()
  /** Transactions that wait for their turn, or have it. */
  #turns = 0

  /**
   * @param file undefined: no other connection sees the database, so that it has no thread
   * @param connection what runs the statements where there is no thread
   * @param onFailure called with the failure of a checkpoint, for which no caller waits
   */
  constructor(
    file: string | undefined,
    connection: Connection,
    onFailure: (cause: unknown) => void,
  ) {
    this.#connection = connection
    this.#onFailure = onFailure
    this.#thread = file === undefined ? undefined : new WriteThread(file, onFailure)
  }

  /** Whether another connection than that of the process writes. */
  get hasThread(): boolean {
    return this.#thread !== undefined
  }

  /** Resolves when it is the caller's turn, with what ends the turn. */
  async turn(): Promise<() => void> {
    const before = this.#last
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#last = promise
    this.#turns += 1
    await before
    return () => {
      this.#turns -= 1
      resolve()
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
      if (this.#waiting.length > 1) return
      // where no transaction is before it, it does not wait for the results of others
      const before = this.#turns === 0 ? Promise.resolve() : this.#last
      this.#last = before.then(() => this.#writeWaiting())
    })
  }

  /** Ends the thread, once what it does is done. */
  async close(): Promise<void> {
    const end = await this.turn()
    // the rest of what a reader has held back: the log goes with the store
    if (this.#connection.isPartlyWritten) await this.execute(checkpoint).catch(this.#onFailure)
    await this.#thread?.close()
    end()
  }

  async #writeWaiting(): Promise<void> {
    const writes: Promise<void>[] = []
    while (this.#waiting.length > 0) writes.push(this.#write(this.#waiting.splice(0, mostTogether)))
    await Promise.all(writes)
  }

  async #write(batch: readonly Waiting[]): Promise<void> {
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
    }
  }

  async #execute(statements: readonly Statement[]): Promise<Outcomes> {
    try {
      if (this.#thread) return this.#thread.execute(statements)
    } catch {
      // the process may not start threads
      this.#thread = undefined
    }
    const outcomes = this.#connection.executeAll(statements)
    const failure = this.#connection.checkpointIfDue()
    if (failure) this.#onFailure(new SqliteRefusal(failure))
    return outcomes
  }
}
