/** What must hold after the soak, as rows: what was found, what is allowed, and whether it holds. */

/** What was measured. */
export interface Findings {
  /** MB; live: after a collection. */
  readonly heapBefore: number
  readonly heapAfter: number
  readonly mostRss: number
  readonly series: number
  readonly statuses: number
  readonly liveRoutes: number
  /** Milliseconds. */
  readonly scrapeStall: number
  /** Bytes of the ids that were loaded and deleted again and again. */
  readonly storeBefore: number
  readonly storeAfter: number
  readonly errors: number
}

/** One row of the report. */
export interface Verdict {
  readonly what: string
  readonly found: string
  readonly allowed: string
  readonly holds: boolean
}

/** Two versions of a small document: how many there are in the history depends on when it is looked at. */
const storeSpare = 2_000

const atMost = (what: string, found: number, most: number, unit: string): Verdict => ({
  what,
  found: `${found.toFixed(1)} ${unit}`,
  allowed: `≤ ${most} ${unit}`,
  holds: found <= most,
})

/** Judges. The limits are the same however long it ran. */
export function judge(found: Findings): readonly Verdict[] {
  const { heapAfter, heapBefore, storeAfter, storeBefore } = found
  return [
    atMost(
      'live heap after the rest, more than at the first look',
      heapAfter - heapBefore,
      5,
      'MB',
    ),
    atMost('series of requests', found.series, 3 * found.liveRoutes * found.statuses, ''),
    atMost('a scrape, loop held at a time (median)', found.scrapeStall, 50, 'ms'),
    atMost('most RSS', found.mostRss, 300, 'MB'),
    atMost('growth of the store by the same ids', storeAfter - storeBefore, storeSpare, 'bytes'),
    atMost('wrong answers, failed actions', found.errors, 0, ''),
  ]
}
