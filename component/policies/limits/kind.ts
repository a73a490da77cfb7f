/** What limits on requests are: the rows of `rate_limit` and `quota`. */
import { type Field, field, type PolicyAnswers, retryAfter } from '#component/policies/answers.ts'
import { type EvaluatedPart, policyKind } from '#component/policies/kind.ts'
import { compileLimits, compileQuotas } from './compile.ts'
import type { LimitPlan, QuotaPlan, SharedPlan } from './plan.ts'
import { quotaRule } from './quota-rule.ts'
import { rateLimitRule } from './rate-limit-rule.ts'

const stands: readonly Field[] = [
  field(
    'RateLimit-Policy',
    'string',
    'The limits of the operation: q requests in w seconds (draft-ietf-httpapi-ratelimit-headers).',
    '"burst";q=20;w=1, "minute";q=300;w=60',
  ),
  field(
    'RateLimit',
    'string',
    'The limit that is nearest to its end: r requests are left, and in t seconds all are there again.',
    '"minute";r=120;t=36',
  ),
]

/** The answers of limits that refuse, and of those whose expressions fail. */
function describe(limits: readonly SharedPlan[]): PolicyAnswers {
  const isComputed = limits.some(
    ({ per, cost }) => typeof per === 'object' || typeof cost === 'object',
  )
  const refuses = limits.some(({ mode }) => mode === 'enforce')
  const isTold = limits.some(({ mode, hasHeaders }) => mode === 'enforce' && hasHeaders)
  const told = isTold ? stands : []
  return {
    fields: (status) => (/^[23]/.test(status) ? told : []),
    ...(isComputed && { errors: ['400', '500'] }),
    ...(refuses && { refusals: { 429: [retryAfter, ...told] } }),
  }
}

const evaluates = (limits: readonly SharedPlan[]): readonly EvaluatedPart[] =>
  limits.map(({ at, per, cost }) => ({
    at,
    nodes: [per, cost].flatMap((one) => (typeof one === 'object' ? [one.node] : [])),
  }))

const showLimit = ({ name, rate: { amount, windowMs }, isShared, mode }: LimitPlan) => ({
  ...{ name, amount, window: windowMs / 1000, scope: isShared ? 'all' : 'process', mode },
})

const showQuota = ({ name, amount, window, mode }: QuotaPlan) => ({
  ...{ name, amount, window: typeof window === 'number' ? window / 1000 : window, mode },
})

/** How many requests are served in a time. */
export const rateLimit = policyKind<'rate_limit', readonly LimitPlan[]>('rate_limit', {
  rule: rateLimitRule,
  compile: compileLimits,
  feature: 'limits',
  show: (limits) => limits.map(showLimit),
  ...{ evaluates, describe },
})

/** How many requests are served in a window of the calendar. */
export const quota = policyKind<'quota', readonly QuotaPlan[]>('quota', {
  rule: quotaRule,
  compile: compileQuotas,
  feature: 'quota',
  show: (quotas) => quotas.map(showQuota),
  ...{ evaluates, describe },
})
