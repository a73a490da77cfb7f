/** The port to a database engine: connections behind Kysely, and the meaning of its failures. */
import type { Dialect, Kysely, RawBuilder } from 'kysely'
import type { Watched } from './health.ts'
import type { Tables } from './tables.ts'
import type { BatchSize } from './write-batch.ts'

/** When a failed query is repeated: never, while the gateway starts, or always. */
export type Patience = 'never' | 'at start' | 'always'

/** Why a store takes no writes: its disk is full or fails, or it is read-only. */
export type StoreFault = 'full' | 'failed' | 'read_only'

/** A failure of the world (disk, network, server), not of the query. */
export interface Condition {
  /** A clause for people, such as `the store is read-only`; holds no secrets. */
  readonly message: string
  readonly patience: Patience
  /** Absent: it says nothing of later writes. */
  readonly fault?: StoreFault
}

/** SQLite or PostgreSQL. */
export interface Engine {
  /** Goes before every message of a store that cannot be opened, such as `database app at db:5432: `; may be empty. */
  readonly place: string
  /**
   * Makes the database, unless it is there; it exists when its tables do. Absent: somebody else makes it.
   * @param fill makes the tables
   */
  readonly create?: (fill: (dialect: Dialect) => Promise<void>) => Promise<unknown>
  /**
   * Opens what queries run on. Throws what {@link conditionOf} understands.
   * @param onFailure called with what has failed when its queries had their results
   */
  connect(onFailure: (cause: unknown) => void): Dialect
  /**
   * Opens a connection by which a server is watched; absent for a database in this process.
   * @param onSignal called when a transaction with {@link signal} was committed, and when some may have been missed
   */
  readonly watch?: (onSignal: () => void) => Watched
  /** An expression that tells all who watch the server that its transaction has changed entries. Absent: nobody watches. */
  readonly signal?: RawBuilder<unknown>
  /** The time of the server as an expression; milliseconds since the epoch. Absent: the database has the clock of this process. */
  readonly now?: RawBuilder<number>
  /** How rows of many requests are written. */
  readonly batch: BatchSize
  /** The condition behind a failure; undefined for an error of the gateway itself. */
  conditionOf(cause: unknown): Condition | undefined
  /** Brings what was committed to its place on the disk. Absent: the database does so by itself, and tells of its failures. */
  readonly checkpoint?: (db: Kysely<Tables>) => Promise<void>
  /**
   * Gives some of the pages that nothing uses back to the file system, in a few milliseconds.
   * @returns whether there are more. Absent: the database does so by itself
   */
  readonly releasePages?: (db: Kysely<Tables>) => Promise<boolean>
}
