/** A change of documents, before it is made and after. */
import type { Document, Entry } from './entry.ts'

/** What a document is to become; null deletes it. */
export interface Draft {
  readonly id: string
  readonly document: Document | null
}

/** What a document has become. */
export interface Change {
  readonly entry: Entry
  /** What it took the place of here, tombstones included. */
  readonly before: Entry | undefined
}

/** Makes changes live. The replica waits for it, so it must not wait for the replica. */
export type Watcher = (changes: readonly Change[]) => void | Promise<void>
