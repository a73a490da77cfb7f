/** What counts and times the requests of all listeners. */
import type { ServedPath } from './place.ts'

/** The counts of requests. */
export interface RequestCounts {
  /**
   * Counts a request that is over.
   * @param traceId of a sampled trace
   * @param endMs when it ended, of `performance.now`; absent: not noted
   */
  count(
    path: ServedPath,
    method: string,
    status: number,
    durationMs: number,
    traceId?: string,
    endMs?: number,
  ): void
}
