/** The write-ahead log of a SQLite database: brought to the disk, and written into the database. */
import { closeSync, openSync } from 'node:fs'
import { Checkpointer } from './checkpointer.ts'
import { CommitLog } from './commit-log.ts'

/** The disk did not take what was committed. */
export class SyncFailure extends Error {
  readonly code: string | undefined

  constructor(cause: NodeJS.ErrnoException) {
    super(cause.message, { cause })
    this.code = cause.code
  }
}

/** Brings a file to the disk; rejects with the error of the operating system. */
export type Sync = (descriptor: number) => Promise<void>

/** The log of a database, which exists once something was committed, and as long as a connection is open. */
export class WalFile {
  readonly commits: CommitLog
  readonly checkpointer: Checkpointer
  readonly #file: string
  #descriptor: number | undefined

  /** @param changes rows that the connection that commits has changed since it was opened */
  constructor(file: string, sync: Sync, changes: () => number) {
    this.#file = `${file}-wal`
    this.checkpointer = new Checkpointer(file, changes)
    this.commits = new CommitLog(async () => {
      this.#descriptor ??= openSync(this.#file, 'r+')
      await sync(this.#descriptor).catch((cause: NodeJS.ErrnoException) => {
        throw new SyncFailure(cause)
      })
      this.checkpointer.note()
    })
  }

  async close(): Promise<void> {
    await this.checkpointer.close()
    if (this.#descriptor !== undefined) closeSync(this.#descriptor)
  }
}
