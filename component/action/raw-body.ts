/** A body that is passed on unread, from the client to an upstream. */
import type { Readable } from 'node:stream'

export interface RawBody {
  /** Errors with ServiceError (413, 408) when a limit of the path is passed. */
  readonly stream: Readable
  /** Bytes; undefined when the client sends chunks. */
  readonly length: number | undefined
}
