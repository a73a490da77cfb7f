/** The rate limits of this process: what each key has used. */
import { LRUCache } from 'lru-cache'
import { atMost } from '#component/limits/at-most.ts'
import { burstMsOf, type Decision, decide, type Rate, useMsOf } from '#component/limits/gcra.ts'
import { shortKey } from '#component/policies/short-key.ts'
import type { Bucket, UsageExchange } from './usage-exchange.ts'

/** The arrival time of a key that nothing was used of. */
const never = Number.NEGATIVE_INFINITY

/** One request under one limit. */
export interface Charge {
  /** Equal for all requests that share the limit: document, place, and who shares it. */
  readonly key: string
  /** Units. */
  readonly cost: number
  readonly rate: Rate
  /** Whether the other processes share the limit. */
  readonly isShared: boolean
}

/** Keeps the theoretical arrival times; the key that was not used for longest is forgotten first. */
export class RateLimits {
  readonly #buckets: LRUCache<string, Bucket>
  readonly #exchange: UsageExchange | undefined

  /**
   * @param maxKeys that are known at once
   * @param exchange what the other processes use; undefined: there are none
   */
  constructor(maxKeys: number, exchange?: UsageExchange) {
    this.#buckets = new LRUCache(atMost(maxKeys))
    this.#exchange = exchange
    exchange?.follow({
      find: (key) => this.#buckets.get(key),
      make: (key) => this.#make(key),
    })
  }

  /** How many keys are known. */
  get size(): number {
    return this.#buckets.size
  }

  /** What would become of a request; nothing is counted. */
  decide(charge: Charge, now: number): Decision {
    const bucket = this.#buckets.get(shortKey(charge.key))
    const decision = this.#decide(bucket, charge, now)
    if (bucket !== undefined && !decision.isAllowed) {
      // after a clock that went back: what is told to the client is what it waits
      const full = now + decision.fullInMs
      bucket.arrival = Math.min(bucket.arrival, full)
      bucket.own = Math.min(bucket.own, full)
    }
    return decision
  }

  #decide(bucket: Bucket | undefined, { cost, rate, isShared }: Charge, now: number): Decision {
    const slack = isShared ? this.#exchange?.slackOf(rate) : undefined
    const ofAll = decide(bucket?.arrival, now, cost, rate, slack)
    // a burst that takes longer than the slack holds for all as it does for this process
    if (slack === undefined || burstMsOf(rate) >= slack.burstMs) return ofAll
    return stricter(decide(bucket?.own, now, cost, rate), ofAll)
  }

  /** Counts a request that is served. */
  take({ key, cost, rate, isShared }: Charge, { next }: Decision, now: number): void {
    const name = shortKey(key)
    const bucket = this.#buckets.get(name) ?? this.#make(name)
    const ms = useMsOf(rate, cost)
    bucket.arrival = next
    bucket.own = Math.max(bucket.own, now) + ms
    if (isShared) this.#exchange?.use(name, bucket, ms, rate, now)
  }

  /** Gives back what a request has taken. */
  give({ key, cost, rate, isShared }: Charge, now: number): void {
    const name = shortKey(key)
    const bucket = this.#buckets.get(name)
    if (bucket === undefined) return
    const ms = useMsOf(rate, cost)
    bucket.arrival -= ms
    bucket.own -= ms
    if (isShared) this.#exchange?.use(name, bucket, -ms, rate, now)
  }

  #make(key: string): Bucket {
    const bucket: Bucket = { arrival: never, own: never, use: undefined, heardAt: undefined }
    this.#buckets.set(key, bucket)
    return bucket
  }
}

/** What two limits allow together. `next` is that of the second. */
const stricter = (one: Decision, other: Decision): Decision => ({
  isAllowed: one.isAllowed && other.isAllowed,
  next: other.next,
  left: Math.min(one.left, other.left),
  fullInMs: Math.max(one.fullInMs, other.fullInMs),
  waitMs: Math.max(one.waitMs, other.waitMs),
})
