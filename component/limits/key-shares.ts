/** How many Idempotency-Keys each user may have on each route, so that a stranger's keys cause no refusal of others. */
import { LRUCache } from 'lru-cache'
import type { Clock } from '#component/clock.ts'
import { atMost } from './at-most.ts'

/** Keys, and the bytes of the answers that are kept under them. */
export interface Held {
  readonly rows: number
  readonly bytes: number
}

/** The limits, as configured. */
export interface KeyLimits extends Held {
  /** Of {@link rows}, those of one user on one route; of the bytes as large a part. */
  readonly rowsOfUser: number
}

/** Users on routes that are known at once; those that were silent for longest are forgotten. */
const maxShares = 100_000

/** What one user has on one route, as far as this process has taken it, until the keys end that it took first. */
export class KeyShare {
  rows = 0
  bytes = 0
  readonly endMs: number

  constructor(endMs: number) {
    this.endMs = endMs
  }
}

/** One for each process. */
export class KeyShares {
  readonly #limits: KeyLimits
  readonly #held: Held
  readonly #clock: Pick<Clock, 'now'>
  readonly #shares = new LRUCache<string, KeyShare>(atMost(maxShares))

  /** @param held what the store has in all */
  constructor(limits: KeyLimits, clock: Pick<Clock, 'now'>, held: Held) {
    this.#limits = limits
    this.#held = held
    this.#clock = clock
  }

  /** @param name of the user and route; @param keptMs how long keys are kept */
  of(name: string, keptMs: number): KeyShare {
    const now = this.#clock.now()
    const known = this.#shares.get(name)
    if (known && now < known.endMs) return known
    const share = new KeyShare(now + keptMs)
    this.#shares.set(name, share)
    return share
  }

  /** Whether a new key may be taken. @param held by the store in all */
  hasRoom({ rows, bytes }: KeyShare): boolean {
    const held = this.#held
    const limits = this.#limits
    const bytesOfUser = limits.bytes * (limits.rowsOfUser / limits.rows)
    const isWithinShare = rows < limits.rowsOfUser && bytes < bytesOfUser
    return isWithinShare && held.rows < limits.rows && held.bytes < limits.bytes
  }
}
