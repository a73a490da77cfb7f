/** Counts and times the requests that wait for a slot of their version (`pool_size`). */
import type { WaitWatch } from '#component/limits/semaphore.ts'
import { durationBounds } from '#component/metrics/bounds.ts'
import { Family, type SeriesStock } from '#component/metrics/family.ts'
import type { ServedVersion } from '#component/metrics/place.ts'
import type { Series } from '#component/metrics/series.ts'

/** Watches requests that find no free slot. */
export interface PoolWatch {
  /** What is told of one request. */
  of(version: ServedVersion): WaitWatch
}

/** Keeps the metrics of waiting requests. */
export class PoolMetrics implements PoolWatch {
  readonly #waiting: Family
  readonly #refused: Family
  readonly #wait: Family
  readonly #now: () => number

  /** @param now milliseconds of a clock that never goes back */
  constructor(stock: SeriesStock, now: () => number) {
    const of = 'for a slot of their version (pool_size), by API and version.'
    this.#waiting = new Family(
      { name: 'gateway_pool_waiting', help: `Requests that wait ${of}`, isGauge: true },
      stock,
    )
    const refused = {
      name: 'gateway_pool_refused_total',
      help: `Requests refused with 503 for want of a place, or of time, to wait ${of}`,
    }
    this.#refused = new Family(refused, stock)
    const wait = {
      name: 'gateway_pool_wait_seconds',
      help: `Time of the requests that had to wait ${of}`,
      bounds: durationBounds,
    }
    this.#wait = new Family(wait, stock)
    this.#now = now
  }

  of(version: ServedVersion): WaitWatch {
    let start = 0
    let waiting: Series | undefined
    return {
      waits: () => {
        start = this.#now()
        waiting = this.#waiting.at(version, '')
        waiting.add(1)
      },
      over: (isRefused) => {
        if (waiting) {
          waiting.add(-1)
          this.#wait.at(version, '').observe((this.#now() - start) / 1000)
        }
        if (isRefused) this.#refused.at(version, '').add()
      },
    }
  }
}
