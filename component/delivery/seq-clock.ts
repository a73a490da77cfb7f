/** Numbers in the order of acceptance that later processes go on with: they are of the time. */
import type { Clock } from '#component/clock.ts'

/** As many events have a number of their own in one millisecond; beyond that they take those of later ones. Below 2^53 until 2109. */
const ofOneMs = 2_048

/** Of one process. */
export class SeqClock {
  readonly #clock: Pick<Clock, 'now'>
  #last = 0

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock
  }

  /** Greater than any before it. */
  next(): number {
    this.#last = Math.max(this.#last + 1, this.at(this.#clock.now()))
    return this.#last
  }

  /** The lowest number of a time. @param ms milliseconds since the epoch */
  at(ms: number): number {
    return Math.floor(ms) * ofOneMs
  }
}
