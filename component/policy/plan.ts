/** What routes declare beside their action: rate limits, conditions, kept answers, circuit breakers and idempotency. One object for all operations that inherit it. */
import type { BreakerPlan } from './breaker-plan.ts'
import type { CachePlan } from './cache-plan.ts'
import type { IdempotencyPlan } from './idempotency.ts'
import type { LimitPlan } from './limit-plan.ts'

/** The policies that hold at one place of a document. */
export interface PolicyPlan {
  /** undefined: none is declared. */
  readonly limits: readonly LimitPlan[] | undefined
  /** Whether answers have an ETag, and conditional requests are answered. */
  readonly etag: boolean
  /** undefined: none is declared. */
  readonly breaker: BreakerPlan | undefined
  /** undefined: answers are not kept. */
  readonly cache: CachePlan | undefined
  /** undefined: an Idempotency-Key means nothing. */
  readonly idempotency: IdempotencyPlan | undefined
}
