/** Bounds the memory of all rings together. */
import type { Clock } from '#component/clock.ts'
import type { Ring } from './ring.ts'

/** Beyond the limit, memory is freed until this part of it is used: the largest ring is not searched for each event. */
const freed = 0.95

/** Events that are too old are removed this often; milliseconds. */
const sweepMs = 10_000

/** One for each process. It has a timer while a ring has entries. */
export class ReplayMemory {
  /** The size of all entries of all rings. */
  bytes = 0
  readonly #limit: number
  readonly #clock: Clock
  /** Each ring, with the bytes that it had when it was looked at last. */
  readonly #rings = new Map<Ring, number>()
  #stopSweep: (() => void) | undefined

  /** @param limit bytes */
  constructor(limit: number, clock: Clock) {
    this.#limit = limit
    this.#clock = clock
  }

  /** Takes note of a ring that has changed; frees memory where all rings have too much. */
  keep(ring: Ring): void {
    this.#count(ring)
    if (this.bytes > this.#limit) this.#free()
    if (this.#rings.size > 0) {
      this.#stopSweep ??= this.#clock.after(sweepMs, () => this.#sweep())
    }
  }

  /** The ring is over. */
  forget(ring: Ring): void {
    this.bytes -= this.#rings.get(ring) ?? 0
    this.#rings.delete(ring)
    if (this.#rings.size > 0) return
    this.#stopSweep?.()
    this.#stopSweep = undefined
  }

  #count(ring: Ring): void {
    this.bytes += ring.bytes - (this.#rings.get(ring) ?? 0)
    if (ring.length > 0) this.#rings.set(ring, ring.bytes)
    else this.#rings.delete(ring)
  }

  /** The oldest events of the largest ring go first. */
  #free(): void {
    while (this.bytes > this.#limit * freed) {
      let largest: Ring | undefined
      for (const ring of this.#rings.keys()) {
        if (largest === undefined || ring.bytes > largest.bytes) largest = ring
      }
      if (largest === undefined) return
      largest.removeOldest()
      this.#count(largest)
    }
  }

  #sweep(): void {
    this.#stopSweep = undefined
    const now = this.#clock.now()
    for (const ring of [...this.#rings.keys()]) {
      ring.expire(now)
      this.#count(ring)
    }
    if (this.#rings.size > 0) this.#stopSweep = this.#clock.after(sweepMs, () => this.#sweep())
  }
}
