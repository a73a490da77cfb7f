/** How many requests a process may have in hand, by what it has served lately (Little's law: in hand = pace × time of one). */

/** What was done since the last measurement. */
export interface Done {
  /** Requests that were served, neither refused nor given up. */
  readonly served: number
  /** How long they were in hand, together; milliseconds. */
  readonly spent: number
  /** How long ago the last measurement was; seconds. */
  readonly seconds: number
}

/** The best pace counts half after so long; seconds. The pace of a process that refuses, or has no processor for a moment, is not what it can serve. */
const paceHalfLife = 30
/** What part of the usual time the last measurement is. */
const newest = 0.2

/**
 * A limit as those of adaptive concurrency are (Netflix concurrency-limits, Envoy): what is beyond the requests that are usual at this pace
 * waits for the process itself.
 */
export class ConcurrencyLimit {
  readonly #least: number
  /** Requests a second. */
  #pace = 0
  /** Means of measurements while the event loop was in time. */
  #served = 0
  #spent = 0

  /** @param least the limit is never below it */
  constructor(least: number) {
    this.#least = least
  }

  /** @param isLate whether the event loop was late: what requests take then is not usual */
  add({ served, spent, seconds }: Done, isLate: boolean): void {
    this.#pace = Math.max(served / seconds, this.#pace * 0.5 ** (seconds / paceHalfLife))
    if (isLate) return
    this.#served += newest * (served - this.#served)
    this.#spent += newest * (spent - this.#spent)
  }

  /** The requests in hand of which a further one is served within the usual time and `ms` more. */
  within(ms: number): number {
    const usual = this.#served > 0 ? this.#spent / this.#served : 0
    return Math.max(this.#least, (this.#pace * (usual + ms)) / 1000)
  }
}
