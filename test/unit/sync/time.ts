/** Time that passes when the test says so, and clocks that are off it. */
import type { Clock } from '#component/clock.ts'

/** When the tests begin. Milliseconds since the epoch. */
export const start = 1_763_740_800_000

interface Timer {
  readonly at: number
  /** Timers of one moment fire in the order in which they were set. */
  readonly order: number
  /** Undefined: it was cancelled, or has fired. */
  callback: (() => void) | undefined
}

const isBefore = (a: Timer, b: Timer) => a.at < b.at || (a.at === b.at && a.order < b.order)

/** Timers, the next one first: a binary heap. */
class Timers {
  readonly #heap: Timer[] = []

  get next(): Timer | undefined {
    return this.#heap[0]
  }

  add(timer: Timer): void {
    const heap = this.#heap
    let at = heap.length
    while (at > 0) {
      const parent = (at - 1) >> 1
      const other = heap[parent] as Timer
      if (isBefore(other, timer)) break
      heap[at] = other
      at = parent
    }
    heap[at] = timer
  }

  removeNext(): void {
    const heap = this.#heap
    const last = heap.pop()
    if (last === undefined || heap.length === 0) return
    let at = 0
    for (;;) {
      let child = 2 * at + 1
      if (child >= heap.length) break
      if (child + 1 < heap.length && isBefore(heap[child + 1] as Timer, heap[child] as Timer))
        child++
      if (isBefore(last, heap[child] as Timer)) break
      heap[at] = heap[child] as Timer
      at = child
    }
    heap[at] = last
  }
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
  readonly #timers = new Timers()
  #count = 0
  #pending = 0

  constructor(seed: number) {
    this.random = seeded(seed)
  }

  /** Timers that wait. */
  get pending(): number {
    return this.#pending
  }

  after(ms: number, callback: () => void): () => void {
    this.#count++
    this.#pending++
    const timer: Timer = { at: this.now + ms, order: this.#count, callback }
    this.#timers.add(timer)
    return () => {
      if (timer.callback) this.#pending--
      timer.callback = undefined
    }
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
    for (let next = this.#timers.next; next && next.at <= end; next = this.#timers.next) {
      this.#timers.removeNext()
      const { callback } = next
      if (callback === undefined) continue
      next.callback = undefined
      this.#pending--
      this.now = next.at
      callback()
      // what is due at one moment happens before what follows from it
      if (this.#timers.next?.at !== next.at) await settle()
    }
    this.now = end
  }
}
