/** Notices that this process stood still while others went on: it was stopped, or its machine was suspended. */
import type { Clock } from '#component/clock.ts'

/** Milliseconds between two looks at the elapsed time. */
const lookMs = 500
/** Two looks further apart than this are no ordinary delay. Milliseconds. */
const leastMs = 2_000
/** How long after the process has gone on its requests may still be ones that waited; milliseconds. */
const memoryMs = 10_000

const ignore = () => undefined

/** One for each process. It goes by elapsed time: a wall clock that is set does not look like a process that stood still. */
export class Suspension {
  readonly #clock: Pick<Clock, 'now' | 'after'>
  readonly #elapsed: () => number
  /** The next three: as of elapsed time. */
  #lookedAt: number
  #from = Number.NEGATIVE_INFINITY
  #until = Number.NEGATIVE_INFINITY
  #stopTimer: () => void = ignore

  /** @param elapsed milliseconds since some moment, which go on while the process is stopped */
  constructor(clock: Pick<Clock, 'now' | 'after'>, elapsed = () => performance.now()) {
    this.#clock = clock
    this.#elapsed = elapsed
    this.#lookedAt = elapsed()
  }

  /** Looks at the elapsed time again and again, until {@link stop}. */
  start(): void {
    this.#look()
    this.#stopTimer = this.#clock.after(lookMs, () => this.start())
  }

  stop(): void {
    this.#stopTimer()
  }

  /**
   * Since when what is worked on now may have waited for this process to go on. Milliseconds since the epoch; undefined when it
   * has not stood still in the last 10 seconds.
   */
  since(): number | undefined {
    // what waited is read before any timer goes off
    const elapsed = this.#look()
    return this.#isRecent(elapsed) ? this.#clock.now() - (elapsed - this.#from) : undefined
  }

  #isRecent(elapsed: number): boolean {
    return elapsed - this.#until <= memoryMs
  }

  #look(): number {
    const elapsed = this.#elapsed()
    if (elapsed - this.#lookedAt > leastMs) {
      if (!this.#isRecent(elapsed)) this.#from = this.#lookedAt
      this.#until = elapsed
    }
    this.#lookedAt = elapsed
    return elapsed
  }
}
