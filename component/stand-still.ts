/** Notices that this process stood still while others went on: it was stopped, or its machine was suspended. */
import type { Clock } from './clock.ts'

/** Milliseconds between two looks at the clock. */
const lookMs = 500
/** Two looks further apart than this are no ordinary delay. Milliseconds. */
const leastMs = 2_000
/** What waited meanwhile has been worked through so many milliseconds after the process went on. */
const memoryMs = 10_000

const ignore = () => undefined

/** One for each process. A clock that is set forward looks the same, and does no harm. */
export class StandStill {
  readonly #clock: Pick<Clock, 'now' | 'after'>
  #lookedAt: number
  #last: { readonly from: number; readonly until: number } | undefined
  #stopTimer: () => void = ignore

  constructor(clock: Pick<Clock, 'now' | 'after'>) {
    this.#clock = clock
    this.#lookedAt = clock.now()
  }

  /** Looks at the clock again and again, until {@link stop}. */
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
    this.#look()
    return this.#recent?.from
  }

  get #recent() {
    const last = this.#last
    return last && this.#clock.now() - last.until <= memoryMs ? last : undefined
  }

  #look(): void {
    const now = this.#clock.now()
    if (now - this.#lookedAt > leastMs) {
      this.#last = { from: this.#recent?.from ?? this.#lookedAt, until: now }
    }
    this.#lookedAt = now
  }
}
