/** What keeping answers is: the row of `cache`. */
import { pointer } from '#component/codec/json.ts'
import { field, isRead, type PolicyAnswers } from '#component/policies/answers.ts'
import { policyKind } from '#component/policies/kind.ts'
import { compileCache } from './compile.ts'
import type { CachePlan } from './plan.ts'
import { cacheRule } from './rule.ts'

const keptFields = [
  field('Age', 'integer', 'Seconds since the response was made, where it is a cached one.', 12),
  field(
    'Cache-Status',
    'string',
    'Whether the response is a cached one (RFC 9211).',
    'wamp-gateway; hit; ttl=48',
  ),
]

/** Answers to GET and HEAD are kept in memory, and served again. */
export const cache = policyKind('cache', {
  rule: cacheRule,
  compile: compileCache,
  keepsAnswers: true,
  isOfInvocations: true,
  refuseInvocations: ({ at, statuses, vary }) => [
    ...([...statuses].some((status) => status !== 200)
      ? [{ path: pointer(at, 'statuses'), message: 'of a procedure only results are kept' }]
      : []),
    ...(vary.length > 0
      ? [{ path: pointer(at, 'vary'), message: 'vary is of requests: a call has no headers' }]
      : []),
  ],
  show: ({ ttlMs, per, vary, statuses, purges, ...plan }: CachePlan) => ({
    ...(ttlMs !== undefined && { ttl: ttlMs / 1000 }),
    ...(per && { per }),
    ...{ vary, statuses: [...statuses], coalesce: plan.coalesces },
    stale_while_revalidate: plan.whileRevalidateMs / 1000,
    stale_if_error: plan.ifErrorMs / 1000,
    ...(purges.length > 0 && { purge_on: purges.map(({ topic, match }) => ({ topic, match })) }),
  }),
  evaluates: ({ tags }) => tags.map(({ at, node }) => ({ at, nodes: [node] })),
  hearsEvents: ({ purges }) => purges.length > 0,
  sharedAt: ({ per, at }) => (per === 'all' ? `${at}/per` : undefined),
  describe({ statuses }, { streams }, method): PolicyAnswers {
    if (!isRead(method) || streams !== undefined) return {}
    return {
      fields: (status) => (statuses.has(status === '2XX' ? 200 : Number(status)) ? keptFields : []),
      errors: ['504'],
    }
  },
})
