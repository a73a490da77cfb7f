/**
 * Writes the write-ahead log of SQLite into the database beside the event loop, which SQLite's own checkpoints hold up for
 * as long as the disk takes.
 */
import { Worker } from 'node:worker_threads'

const program = new URL('checkpoint-thread.mjs', import.meta.url)

/** Changed rows after which the log is written into the database; as many as SQLite's own limit has pages. */
const rowsBetween = 1000

/**
 * Pages of a log that begins anew: 16 MB. SQLite begins it anew when all of it is in the database, which never comes while
 * commits follow each other; so they wait for the last part.
 */
const pagesAtMost = 4000

/** The connection that commits checkpoints at this length by itself, where the thread does not; pages. */
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

  /** Resolves when statements may run; `undefined` while they may. */
  get pause(): Promise<unknown> | undefined {
    return this.#pause
  }

  /** Resolves when no checkpoint is under way; `undefined` while there is none. */
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
      // a process that may start no threads is left to the connection that commits
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
    // what the process was told to load at its start is not for the thread
    const thread = new Worker(program, { workerData: this.#file, execArgv: [] })
    // what ends it is left to the next checkpoint, which starts it again
    thread.on('error', () => undefined)
    thread.on('exit', () => {
      this.#thread = undefined
    })
    thread.unref()
    return thread
  }
}
