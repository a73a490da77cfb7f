/** What conditions are: the row of `etag`. */
import type { CompiledOperation } from '#component/gateway/api.ts'
import { field, isRead, type PolicyAnswers } from '#component/policies/answers.ts'
import { constantOf, policyKind } from '#component/policies/kind.ts'
import type { Method } from '#component/request.ts'
import { boolean, described, dynamic, type Rule } from '#component/spec/rules.ts'

const etagRule: Rule = dynamic(
  described(
    boolean,
    'Whether responses to GET and HEAD with 200 have an ETag, and If-None-Match gets 304.',
    { default: false },
  ),
)

const etagField = field(
  'ETag',
  'string',
  'Names the content of the response. A request that sends it as If-None-Match gets 304 for equal content.',
  '"i8FVjrN2mG4kYwT7VbQ1Zg"',
)

/** The statuses of answers that have an ETag. */
const tagged = ['200', '2XX']

/** Answers to GET and HEAD have an ETag, and conditional requests are answered. */
export const etag = policyKind('etag', {
  rule: etagRule,
  compile: (sources) => (constantOf(sources)?.value === true ? true : undefined),
  comparesAnswers: true,
  show: (plan: true) => plan,
  describe(_plan, { streams }: CompiledOperation, method: Method): PolicyAnswers {
    if (!isRead(method) || streams?.kind === 'events') return {}
    return {
      fields: (status) => (tagged.includes(status) ? [etagField] : []),
      inPlace: { status: '304', of: tagged },
      request: { 'if-none-match': undefined },
    }
  },
})
