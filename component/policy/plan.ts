/** What routes declare beside their action: rate limits, quotas, conditions, kept answers, circuit breakers and idempotency. One object for all operations that inherit it. */
import type { BreakerPlan } from './breaker-plan.ts'
import type { CachePlan } from './cache-plan.ts'
import type { IdempotencyPlan } from './idempotency.ts'
import type { LimitPlan, QuotaPlan } from './limit-plan.ts'

/** The policies that hold at one place of a document. */
export interface PolicyPlan {
  /** undefined: none is declared. */
  readonly limits: readonly LimitPlan[] | undefined
  /** undefined: none is declared. */
  readonly quotas: readonly QuotaPlan[] | undefined
  /** Whether answers have an ETag, and conditional requests are answered. */
  readonly etag: boolean
  /** undefined: none is declared. */
  readonly breaker: BreakerPlan | undefined
  /** undefined: answers are not kept. */
  readonly cache: CachePlan | undefined
  /** undefined: an Idempotency-Key means nothing. */
  readonly idempotency: IdempotencyPlan | undefined
}
