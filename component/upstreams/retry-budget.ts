/** How many requests to an upstream may be sent twice: a share of those of the last ten seconds, so that repeats never double its load. */

/** Seconds that count, a slice each. */
const seconds = 10

/** Beyond the share: an upstream with few requests has as many repeats as it needs. */
const least = 10

/** Of one upstream. */
export class RetryBudget {
  readonly #share: number
  readonly #requests = new Array<number>(seconds).fill(0)
  readonly #repeats = new Array<number>(seconds).fill(0)
  /** The newest slice; seconds since the epoch. */
  #newest = 0

  /** @param share of the requests, from 0 to 1 */
  constructor(share: number) {
    this.#share = share
  }

  /** A request begins. @param now milliseconds since the epoch, here and below */
  begin(now: number): void {
    const slice = this.#sliceAt(now)
    this.#requests[slice] = (this.#requests[slice] ?? 0) + 1
  }

  /** Whether a request may be sent once more; then it counts as sent. */
  take(now: number): boolean {
    const slice = this.#sliceAt(now)
    if (sum(this.#repeats) >= this.#share * sum(this.#requests) + least) return false
    this.#repeats[slice] = (this.#repeats[slice] ?? 0) + 1
    return true
  }

  /** The index of the slice of a time; slices that are too old are emptied. A clock that was set back counts in the newest. */
  #sliceAt(now: number): number {
    const newest = Math.floor(now / 1000)
    const passed = Math.min(newest - this.#newest, seconds)
    for (let step = 0; step < passed; step += 1) {
      const slice = (newest - step) % seconds
      this.#requests[slice] = 0
      this.#repeats[slice] = 0
    }
    this.#newest = Math.max(newest, this.#newest)
    return this.#newest % seconds
  }
}

const sum = (counts: readonly number[]): number => counts.reduce((all, count) => all + count, 0)
