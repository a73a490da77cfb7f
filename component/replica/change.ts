/** A change of documents, before it is made and after. */
import type { Document, Entry } from './entry.ts'

/** The next version of a document; null deletes it. */
export interface Draft {
  readonly id: string
  readonly document: Document | null
}

/** A change that was made. */
export interface Change {
  readonly entry: Entry
  /** The version that it replaced here, tombstones included. */
  readonly before: Entry | undefined
}

/** Makes changes live. The replica waits for it, so it must not wait for the replica. */
export type Watcher = (changes: readonly Change[]) => void | Promise<void>
