/** Time that passes when the test says so, and clocks that are off it. */
import type { Clock } from '#component/clock.ts'

/** When the tests begin. Milliseconds since the epoch. */
export const start = 1_763_740_800_000

interface Timer {
  /** Undefined: it was cancelled, or has fired. */
  callback: (() => void) | undefined
}

/** Timers by the moment when they are due: few moments are told apart, and those of one fire in the order in which they were set. */
class Timers {
  /** The next one first: a binary heap. */
  readonly #moments: number[] = []
  readonly #due = new Map<number, Timer[]>()

  /** The next moment at which one is due. */
  get next(): number | undefined {
    return this.#moments[0]
  }

  add(at: number, timer: Timer): void {
    const due = this.#due.get(at)
    if (due) {
      due.push(timer)
      return
    }
    this.#due.set(at, [timer])
    this.#insert(at)
  }

  /** Calls those of the next moment, those included that they set for it. @returns how many have fired */
  fire(): number {
    const at = this.#moments[0] as number
    const due = this.#due.get(at) ?? []
    let fired = 0
    for (const timer of due) {
      const { callback } = timer
      if (callback === undefined) continue
      timer.callback = undefined
      fired++
      callback()
    }
    this.#due.delete(at)
    this.#removeNext()
    return fired
  }

  #insert(moment: number): void {
    const heap = this.#moments
    let at = heap.length
    while (at > 0) {
      const parent = (at - 1) >> 1
      const other = heap[parent] as number
      if (other <= moment) break
      heap[at] = other
      at = parent
    }
    heap[at] = moment
  }

  #removeNext(): void {
    const heap = this.#moments
    const last = heap.pop()
    if (last === undefined || heap.length === 0) return
    let at = 0
    for (;;) {
      let child = 2 * at + 1
      if (child >= heap.length) break
      if (child + 1 < heap.length && (heap[child + 1] as number) < (heap[child] as number)) child++
      const other = heap[child] as number
      if (last <= other) break
      heap[at] = other
      at = child
    }
    heap[at] = last
  }
}

/** Lets everything run that waits for nothing but promises, and events that have arrived. */
const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve))

/** Lets everything run that waits for nothing but promises. To be called by what runs in one of them: ticks come after those. */
const settle = () => new Promise<void>((resolve) => process.nextTick(resolve))

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
  #pending = 0

  constructor(seed: number) {
    this.random = seeded(seed)
  }

  /** Timers that wait. */
  get pending(): number {
    return this.#pending
  }

  after(ms: number, callback: () => void): () => void {
    this.#pending++
    const timer: Timer = { callback }
    this.#timers.add(this.now + ms, timer)
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
    await nextTurn()
    const timers = this.#timers
    for (let next = timers.next; next !== undefined && next <= end; next = timers.next) {
      const before = this.now
      this.now = next
      const fired = timers.fire()
      this.#pending -= fired
      // what is due at one moment happens before what follows from it
      if (fired > 0) await settle()
      else this.now = before
    }
    this.now = end
  }
}
