/** What limits on requests are: the rows of `rate_limit` and `quota`. */
import { pointer } from '#component/codec/json.ts'
import type { Issue } from '#component/errors.ts'
import { type Field, field, type PolicyAnswers, retryAfter } from '#component/policies/answers.ts'
import { type EvaluatedPart, policyKind } from '#component/policies/kind.ts'
import { described, dynamic, integer, must, oneOf, type Rule } from '#component/spec/rules.ts'
import { compileLimits, compileQuotas } from './compile.ts'
import type { LimitPlan, QuotaPlan, SharedPlan } from './plan.ts'
import { limits, maxAmount } from './rules.ts'

const rateLimitRule: Rule = limits(
  {
    window: described(dynamic(integer(1, 86_400, ' of seconds')), 'Seconds.'),
    burst: described(
      dynamic(integer(1, maxAmount, ' of requests')),
      'How many requests may come at once. Absent: as many as the amount.',
    ),
    scope: described(
      oneOf(['all', 'process']),
      'all: all processes and nodes share the limit, as far as they receive messages of each other. process: each counts for itself.',
      { default: 'all' },
    ),
  },
  'limits',
  'How many requests are served in a time. Further ones are refused with 429. null: any number.',
)

/** Windows of the calendar, in UTC. */
const calendar = ['hour', 'day', 'month']
/** Seconds: a minute, below which the use is not exchanged often enough, to 31 days. */
const [shortest, longest] = [60, 2_678_400]

const isWindow = (value: unknown) =>
  calendar.includes(value as string) ||
  (Number.isInteger(value) && Number(value) >= shortest && Number(value) <= longest)

const window = must(
  `one of ${calendar.join(', ')}, or an integer of seconds from ${shortest} to ${longest}`,
  isWindow,
  { anyOf: [{ enum: calendar }, { type: 'integer', minimum: shortest, maximum: longest }] },
)

const quotaRule: Rule = limits(
  {
    window: described(
      dynamic(window),
      'hour, day or month of the calendar (UTC), or seconds: windows of seconds are counted from 1970-01-01T00:00:00Z.',
    ),
    count: described(
      dynamic(oneOf(['all', 'success'])),
      'success: only requests whose response has a status below 400 stay counted.',
      { default: 'all' },
    ),
  },
  'quotas',
  'How many requests are served in a window of the calendar. Further ones are refused with 429. null: any number.',
)

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

/** A caller has neither. */
const refuseInvocations = (limits: readonly SharedPlan[]): readonly Issue[] =>
  limits.flatMap(({ at, per }) =>
    per === 'address' || per === 'client'
      ? [{ path: pointer(at, 'per'), message: `per: ${per} is of requests: a caller has none` }]
      : [],
  )

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
  isOfInvocations: true,
  refuseInvocations,
  show: (limits) => limits.map(showLimit),
  ...{ evaluates, describe },
})

/** How many requests are served in a window of the calendar. */
export const quota = policyKind<'quota', readonly QuotaPlan[]>('quota', {
  rule: quotaRule,
  compile: compileQuotas,
  feature: 'quota',
  isOfInvocations: true,
  refuseInvocations,
  show: (quotas) => quotas.map(showQuota),
  ...{ evaluates, describe },
})
