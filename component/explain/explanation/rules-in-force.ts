/** The inheritable values that hold for an operation, each with where it is written. */

import type { Evaluated } from '#component/explain/recorder.ts'
import type { CompiledOperation } from '#component/gateway/api.ts'
import type { BreakerPlan } from '#component/policy/breaker-plan.ts'
import type { CachePlan } from '#component/policy/cache-plan.ts'
import type { IdempotencyPlan } from '#component/policy/idempotency.ts'
import type { LimitPlan, QuotaPlan } from '#component/policy/limit-plan.ts'
import type { RuleValue } from './explanation.ts'

/** @param expressions of the request: times and counts may be computed from it */
export function rulesInForce(
  { inherited, action }: CompiledOperation,
  expressions: readonly Evaluated[],
): Record<string, RuleValue> {
  const {
    accepts,
    provides,
    admitsHttp,
    allowFrom,
    protection,
    limits,
    traceKwargs,
    sendsProblems,
    policies,
    writtenAt = {},
  } = inherited
  const { fixed, computed } = action.attempts
  const values: Record<string, unknown> = {
    ...fixed,
    ...limits,
    accepts,
    provides,
    schemes: admitsHttp ? ['http', 'https'] : ['https'],
    security: protection?.object ?? {},
    // that of a security object stands in it
    ...(writtenAt.allow_from !== undefined && { allow_from: allowFrom?.[0]?.texts }),
    ...(traceKwargs !== undefined && { trace: { kwargs: traceKwargs } }),
    ...(sendsProblems && { errors: 'problem' }),
    ...(policies?.limits && { rate_limit: policies.limits.map(toldLimit) }),
    ...(policies?.quotas && { quota: policies.quotas.map(toldQuota) }),
    ...(policies?.etag && { etag: true }),
    ...(policies?.idempotency && { idempotency: toldIdempotency(policies.idempotency) }),
    ...(policies?.breaker && { circuit_breaker: toldBreaker(policies.breaker) }),
    ...(policies?.cache && { cache: toldCache(policies.cache) }),
  }
  for (const [name, { path }] of computed) {
    values[name] = expressions.findLast(({ at }) => at === path)?.value ?? null
  }
  const rules: Record<string, RuleValue> = {}
  for (const [name, value] of Object.entries(values)) {
    const written = computed.find(([key]) => key === name)?.[1].path ?? writtenAt[name]
    rules[name] = { value, at: written ?? null }
  }
  return rules
}

const toldLimit = ({ name, rate: { amount, windowMs }, isShared, mode }: LimitPlan) => ({
  ...{ name, amount, window: windowMs / 1000, scope: isShared ? 'all' : 'process', mode },
})

const toldBreaker = ({ threshold, minimum, windowMs, openMs, errors }: BreakerPlan) => ({
  ...{ threshold, minimum, window: windowMs / 1000, open: openMs / 1000, errors: [...errors] },
})

const toldCache = ({ ttlMs, per, vary, statuses, purges, ...plan }: CachePlan) => ({
  ...(ttlMs !== undefined && { ttl: ttlMs / 1000 }),
  ...(per && { per }),
  ...{ vary, statuses: [...statuses], coalesce: plan.coalesces },
  stale_while_revalidate: plan.whileRevalidateMs / 1000,
  stale_if_error: plan.ifErrorMs / 1000,
  ...(purges.length > 0 && { purge_on: purges.map(({ topic, match }) => ({ topic, match })) }),
})

const toldIdempotency = ({ isRequired, keptMs, onUnknown, maxBytes }: IdempotencyPlan) => ({
  ...{ required: isRequired, ttl: keptMs / 1000, on_unknown: onUnknown, max_bytes: maxBytes },
})

const toldQuota = ({ name, amount, window, mode }: QuotaPlan) => ({
  ...{ name, amount, window: typeof window === 'number' ? window / 1000 : window, mode },
})
