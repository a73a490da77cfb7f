/** The delays of the event loop since the last reading; the longest stall is never missed, even one that the reading causes. */
import { createHistogram } from 'node:perf_hooks'

/** How often the loop is measured; milliseconds. */
const interval = 20

/**
 * The delays that are told apart: to two digits, from a microsecond to an hour. A reading looks at each count; those of three digits of
 * all nanoseconds, ten times as many, took half a millisecond of the event loop each second.
 */
const counts = { lowest: 1000, highest: 3_600_000_000_000, figures: 2 } as const

/** Delays in seconds. */
export interface LoopDelays {
  readonly last: number
  readonly min: number
  readonly max: number
  readonly mean: number
  readonly stddev: number
  readonly p50: number
  readonly p90: number
  readonly p99: number
}

/**
 * Watches the event loop by a timer. The histogram of `monitorEventLoopDelay` forgets the interval in which it is reset: a
 * scrape that resets it never shows the stall that a scrape makes.
 */
export class LoopDelay {
  readonly #histogram = createHistogram(counts)
  readonly #now: () => number
  #timer: NodeJS.Timeout | undefined
  #lastTick: number
  #last = 0

  /** @param now milliseconds, with fractions */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now
    this.#lastTick = now()
  }

  /** Begins to watch; does not keep the process alive. */
  start(): void {
    this.#lastTick = this.#now()
    this.#timer = setInterval(() => this.tick(), interval).unref()
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  /** Records the delay of one tick of the timer. */
  tick(): void {
    const now = this.#now()
    this.#record(now - this.#lastTick - interval)
    this.#lastTick = now
  }

  /** The delays since the last call; a delay that still lasts counts with its length until now. */
  read(): LoopDelays {
    const late = this.#now() - this.#lastTick - interval
    if (late > 0 || this.#histogram.count === 0) this.#record(late)
    const { min, max, mean, stddev } = this.#histogram
    const seconds = (nanoseconds: number) => nanoseconds / 1e9
    const percentile = (rank: number) => seconds(this.#histogram.percentile(rank))
    const delays = {
      last: seconds(this.#last),
      min: seconds(min),
      max: seconds(max),
      mean: seconds(mean),
      stddev: seconds(stddev),
      p50: percentile(50),
      p90: percentile(90),
      p99: percentile(99),
    }
    this.#histogram.reset()
    return delays
  }

  #record(milliseconds: number): void {
    this.#last = Math.max(counts.lowest, Math.round(milliseconds * 1e6))
    this.#histogram.record(Math.min(this.#last, counts.highest))
  }
}
