/** The port to a database engine: connections behind Kysely, and the meaning of its failures. */
import type { Dialect, Kysely, RawBuilder } from 'kysely'
import type { Watched } from './health.ts'
import type { Tables } from './tables.ts'

/** When a failed query is repeated: never, while the gateway starts, or always. */
export type Patience = 'never' | 'at start' | 'always'

/** A failure of the world (disk, network, server), not of the query. */
export interface Condition {
  /** A clause for people, such as `the store is read-only`; holds no secrets. */
  readonly message: string
  readonly patience: Patience
  /** The disk is full. */
  readonly isFull?: true
}

/** SQLite or PostgreSQL. */
export interface Engine {
  /** Goes before every message of a store that cannot be opened, such as `database app at db:5432: `; may be empty. */
  readonly place: string
  /** Opens what queries run on. Throws what {@link conditionOf} understands. */
  connect(): Dialect
  /**
   * Opens a connection by which a server is watched; absent for a database in this process.
   * @param onSignal called when a transaction with {@link signal} was committed, and when some may have been missed
   */
  readonly watch?: (onSignal: () => void) => Watched
  /** An expression that tells all who watch the server that its transaction has changed entries. Absent: nobody watches. */
  readonly signal?: RawBuilder<unknown>
  /** The condition behind a failure; undefined for an error of the gateway itself. */
  conditionOf(cause: unknown): Condition | undefined
  /** Resolves when every earlier commit is on the disk; throws what {@link conditionOf} understands. Absent: a commit itself waits for the disk. */
  readonly flush?: () => Promise<void>
  /**
   * Gives some of the pages that nothing uses back to the file system, in a few milliseconds.
   * @returns whether there are more. Absent: the database does so by itself
   */
  readonly releasePages?: (db: Kysely<Tables>) => Promise<boolean>
}
