/** Time that passes when the test says so, and clocks that are off it. */
import type { Clock } from '#component/clock.ts'

/** When the tests begin. Milliseconds since the epoch. */
export const start = 1_763_740_800_000

interface Timer {
  readonly at: number
  readonly callback: () => void
}

/** Lets everything run that waits for nothing but promises. */
const settle = () => new Promise<void>((resolve) => setImmediate(resolve))

/** Numbers from 0 to 1 that are the same in each run (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** A clock whose error the test sets. */
export interface SimulatedClock extends Clock {
  /** Milliseconds that it is ahead. */
  offset: number
}

export class SimulatedTime {
  now = start
  /** The same numbers for the same seed. */
  readonly random: () => number
  readonly #timers = new Set<Timer>()

  constructor(seed: number) {
    this.random = seeded(seed)
  }

  /** Timers that wait. */
  get pending(): number {
    return this.#timers.size
  }

  after(ms: number, callback: () => void): () => void {
    const timer = { at: this.now + ms, callback }
    this.#timers.add(timer)
    return () => this.#timers.delete(timer)
  }

  clock(offset = 0): SimulatedClock {
    const time = this
    return {
      offset,
      now() {
        return Math.floor(time.now) + this.offset
      },
      after: (ms, callback) => time.after(ms, callback),
      random: time.random,
    }
  }

  /** Everything that is due within so many milliseconds happens, in order. */
  async advance(ms: number): Promise<void> {
    const end = this.now + ms
    await settle()
    for (let next = this.#next(end); next; next = this.#next(end)) {
      this.#timers.delete(next)
      this.now = next.at
      next.callback()
      await settle()
    }
    this.now = end
  }

  #next(end: number): Timer | undefined {
    let first: Timer | undefined
    for (const timer of this.#timers) {
      if (timer.at <= end && (first === undefined || timer.at < first.at)) first = timer
    }
    return first
  }
}
