/**
 * Writes the write-ahead log of SQLite into the database beside the event loop, which SQLite's own checkpoints hold up for
 * as long as the disk takes.
 */
import { Worker } from 'node:worker_threads'

const program = new URL('checkpoint-thread.mjs', import.meta.url)

/** Changed rows after which the log is written into the database; as many as SQLite's own limit has pages. */
const rowsBetween = 1000

/**
 * From this length on, 16 MB, commits wait for a checkpoint; pages. SQLite writes to the start of the log again only when all
 * of the log is in the database, and a checkpoint beside commits never reaches the last of them.
 */
const pagesAtMost = 4000

/** At this length the connection that commits runs the checkpoint itself, because the thread has not; pages. */
export const pagesWithoutThread = 16_000

/** `close`: closes the connection and ends the thread. */
type ToThread = 'checkpoint' | 'close'

/** The checkpoints of one database. The thread is started when it is needed first. */
export class Checkpointer {
  readonly #file: string
  readonly #changes: () => number
  #thread: Worker | undefined
  #written = 0
  #running: Promise<void> | undefined
  #pause: Promise<unknown> | undefined

  /** @param changes rows that the connection that commits has changed since it was opened */
  constructor(file: string, changes: () => number) {
    this.#file = file
    this.#changes = changes
  }

  /** Resolves when statements may run again; `undefined` when they may run now. */
  get pause(): Promise<unknown> | undefined {
    return this.#pause
  }

  /** Resolves when the current checkpoint has ended; `undefined` when none is running. */
  get idle(): Promise<void> | undefined {
    return this.#running
  }

  /** Begins a checkpoint when there is enough for one; called when commits are on the disk. */
  note(): void {
    if (this.#running !== undefined) return
    const changes = this.#changes()
    if (changes - this.#written < rowsBetween) return
    this.#written = changes
    this.#running = this.#checkpoint()
      // the process may not start threads: the connection that commits runs the checkpoints
      .catch(() => undefined)
      .finally(() => {
        this.#running = undefined
      })
  }

  /** Ends the thread, when it has done what it does. */
  async close(): Promise<void> {
    this.#thread?.ref()
    await this.#running
    const thread = this.#thread
    if (thread === undefined) return
    thread.postMessage('close' satisfies ToThread)
    await new Promise((resolve) => thread.once('exit', resolve))
  }

  async #checkpoint(): Promise<void> {
    const pages = await this.#ask()
    if (pages < pagesAtMost) return
    this.#pause = this.#ask()
    await this.#pause
    this.#pause = undefined
  }

  /** Resolves with the pages in the log; 0 when the thread has ended. */
  #ask(): Promise<number> {
    this.#thread ??= this.#start()
    const thread = this.#thread
    return new Promise((resolve) => {
      const done = (pages: number) => {
        thread.off('message', done).off('exit', ended)
        resolve(pages)
      }
      const ended = () => done(0)
      thread.once('message', done).once('exit', ended)
      thread.postMessage('checkpoint' satisfies ToThread)
    })
  }

  #start(): Worker {
    // without the flags of the process, such as --import: the thread needs none of what they load
    const thread = new Worker(program, { workerData: this.#file, execArgv: [] })
    // the next checkpoint starts the thread again
    thread.on('error', () => undefined)
    thread.on('exit', () => {
      this.#thread = undefined
    })
    thread.unref()
    return thread
  }
}
