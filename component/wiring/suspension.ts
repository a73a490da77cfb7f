/** Detects that this process was suspended while others ran: it was stopped, or its machine slept. */
import type { Clock } from '#component/clock.ts'

/** Milliseconds between two looks at the elapsed time. */
const lookMs = 500
/** A greater distance between two looks is a suspension. Milliseconds. */
const leastMs = 2_000
/** For this long after a suspension, requests may have waited through it; milliseconds. */
const memoryMs = 10_000

const ignore = () => undefined

/** One for each process. Measures elapsed time, so that setting the wall clock does not look like a suspension. */
export class Suspension {
  readonly #clock: Pick<Clock, 'now' | 'after'>
  readonly #elapsed: () => number
  /** These three are elapsed times. */
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
   * The beginning of the suspension that current requests may have waited through. Milliseconds since the epoch; undefined when
   * there was none in the last 10 seconds.
   */
  since(): number | undefined {
    // waiting requests are read before any timer fires
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
