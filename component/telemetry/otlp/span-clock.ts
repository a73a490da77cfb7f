/** The time of spans: the wall clock, with the resolution of a clock that never goes back. */
import type { Clock } from '#component/clock.ts'

/** Milliseconds by which the two clocks may differ before they are compared anew: the wall clock has whole milliseconds only. */
const tolerance = 2

/** Turns readings of the monotonic clock into milliseconds since the epoch. */
export class SpanClock {
  readonly #wall: Pick<Clock, 'now'>
  readonly #monotonic: () => number
  #offset = Number.NaN

  /** @param monotonic milliseconds, as `performance.now()` counts them */
  constructor(wall: Pick<Clock, 'now'>, monotonic: () => number) {
    this.#wall = wall
    this.#monotonic = monotonic
  }

  /** What is to be added to the monotonic clock now. The spans of one request use one offset: so none begins before its parent. */
  offset(): number {
    const offset = this.#wall.now() - this.#monotonic()
    if (!(Math.abs(offset - this.#offset) <= tolerance)) this.#offset = offset
    return this.#offset
  }

  /** Milliseconds, as `performance.now()` counts them. */
  monotonic(): number {
    return this.#monotonic()
  }
}
