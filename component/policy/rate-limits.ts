/** The rate limits of this process: what each key has used. */
import { LRUCache } from 'lru-cache'
import { type Decision, decide, type Rate } from './gcra.ts'
import { shortKey } from './short-key.ts'

/** Keeps the theoretical arrival times; the key that was not used for longest is forgotten first. */
export class RateLimits {
  readonly #arrivals: LRUCache<string, number>

  /** @param maxKeys that are known at once */
  constructor(maxKeys: number) {
    this.#arrivals = new LRUCache({ max: maxKeys })
  }

  /** How many keys are known. */
  get size(): number {
    return this.#arrivals.size
  }

  /** What would become of a request; nothing is counted. */
  decide(key: string, now: number, cost: number, rate: Rate): Decision {
    return decide(this.#arrivals.get(shortKey(key)), now, cost, rate)
  }

  /** Counts a request that is served. */
  take(key: string, { next }: Decision): void {
    this.#arrivals.set(shortKey(key), next)
  }

  /** Gives units back. @param ms what they had moved the arrival time by */
  give(key: string, ms: number): void {
    const known = this.#arrivals.get(shortKey(key))
    if (known !== undefined) this.#arrivals.set(shortKey(key), known - ms)
  }
}
