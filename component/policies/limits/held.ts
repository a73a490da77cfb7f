/** A limit as it holds for one request: a limit on the rate of requests, or a quota. */
import { type ErrorUri, ServiceError } from '#component/errors.ts'
import type { Decision } from '#component/limits/gcra.ts'
import { type LimitPlan, policyItem, type QuotaPlan } from './plan.ts'
import type { QuotaUse } from './quota-use.ts'
import type { Charge, RateLimits } from './rate-limits.ts'

/** What becomes of the request. */
export type Standing = Pick<Decision, 'isAllowed' | 'left' | 'fullInMs' | 'waitMs'>

/** One limit and one request. */
export interface Held {
  readonly plan: LimitPlan | QuotaPlan
  /** Units that may be taken at once. */
  readonly all: number
  readonly standing: Standing
  /** The item of `RateLimit-Policy`. */
  readonly policy: string
  /** Counts the request; once, and only where it is allowed. */
  take(): void
  /** Gives back what was taken, if the request was counted. @param now milliseconds */
  giveBack(now: number): void
  /** The error that refuses the request. @param retryAfter seconds */
  refusal(retryAfter: string): ServiceError
}

const refuse = (uri: ErrorUri, message: string, retryAfter: string) =>
  new ServiceError(uri, message, { headers: { 'retry-after': retryAfter } })

/** A limit on the rate of requests. */
export class HeldLimit implements Held {
  readonly plan: LimitPlan
  /** Who shares the limit: `user com.example ada`. */
  readonly sharer: string
  readonly charge: Charge
  readonly standing: Decision
  readonly #buckets: RateLimits
  readonly #now: number
  #isTaken = false

  /** Decides; nothing is counted. @param now milliseconds */
  constructor(plan: LimitPlan, sharer: string, charge: Charge, buckets: RateLimits, now: number) {
    this.plan = plan
    this.sharer = sharer
    this.charge = charge
    this.#buckets = buckets
    this.#now = now
    this.standing = buckets.decide(charge, now)
  }

  get all(): number {
    return this.charge.rate.burst
  }

  get policy(): string {
    const { told, name } = this.plan
    const { amount, windowMs } = this.charge.rate
    return told ?? policyItem(name, amount, windowMs / 1000)
  }

  take(): void {
    this.#buckets.take(this.charge, this.standing, this.#now)
    this.#isTaken = true
  }

  giveBack(now: number): void {
    if (this.#isTaken) this.#buckets.give(this.charge, now)
    this.#isTaken = false
  }

  refusal(retryAfter: string): ServiceError {
    const { amount, windowMs } = this.charge.rate
    const message = `the limit ${JSON.stringify(this.plan.name)} allows ${amount} in ${windowMs / 1000} s`
    return refuse('service.error.too_many_requests', message, retryAfter)
  }
}

/** A quota. */
export class HeldQuota implements Held {
  readonly plan: QuotaPlan
  /** The amount. */
  readonly all: number
  readonly #cost: number
  readonly #use: QuotaUse
  readonly #now: number
  readonly #isAllowed: boolean
  #isTaken = false

  /** @param cost units; more than the amount costs the amount */
  constructor(plan: QuotaPlan, amount: number, cost: number, use: QuotaUse, now: number) {
    this.plan = plan
    this.all = amount
    this.#cost = Math.min(cost, amount)
    this.#use = use
    this.#now = now
    this.#isAllowed = use.used + this.#cost <= amount
    // others may give back
    if (!this.#isAllowed) use.askAgain()
  }

  get standing(): Standing {
    const fullInMs = Math.max(this.#use.endMs - this.#now, 0)
    const left = Math.max(this.all - this.#use.used, 0)
    const isAllowed = this.#isAllowed
    return { isAllowed, left, fullInMs, waitMs: isAllowed ? 0 : fullInMs }
  }

  get policy(): string {
    const { startMs, endMs } = this.#use
    return policyItem(this.plan.name, this.all, (endMs - startMs) / 1000)
  }

  take(): void {
    this.#use.add(this.#cost)
    this.#isTaken = true
  }

  giveBack(): void {
    if (this.#isTaken) this.#use.add(-this.#cost)
    this.#isTaken = false
  }

  refusal(retryAfter: string): ServiceError {
    const { name, window } = this.plan
    const time = typeof window === 'number' ? `in ${window / 1000} s` : articles[window]
    const message = `the quota ${JSON.stringify(name)} allows ${this.all} ${time}`
    return refuse('service.error.quota_exceeded', message, retryAfter)
  }
}

const articles = { hour: 'an hour', day: 'a day', month: 'a month' } as const
