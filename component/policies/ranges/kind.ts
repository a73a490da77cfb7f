/** What parts of answers are: the row of `ranges`. */
import type { CompiledOperation } from '#component/gateway/api.ts'
import { field, type PolicyAnswers } from '#component/policies/answers.ts'
import { constantOf, policyKind } from '#component/policies/kind.ts'
import type { Method } from '#component/request.ts'
import { boolean, described, dynamic, type Rule } from '#component/spec/rules.ts'

const rangesRule: Rule = dynamic(
  described(
    boolean,
    'Whether GET with one range of Range gets that part of the body (206), beyond its end with 416.',
    { default: false },
  ),
)

const acceptRanges = field(
  'Accept-Ranges',
  'string',
  'Parts of the body can be asked for.',
  'bytes',
)

const range = (example: string) =>
  field('Content-Range', 'string', 'Which bytes of the whole body these are.', example)

/** The statuses of answers that have parts. */
const whole = ['200', '2XX']

/** Clients may ask for a part of an answer. */
export const ranges = policyKind('ranges', {
  rule: rangesRule,
  feature: 'ranges',
  compile: (sources) => (constantOf(sources)?.value === true ? true : undefined),
  cutsAnswers: true,
  show: (plan: true) => plan,
  describe(_plan, { streams }: CompiledOperation, method: Method): PolicyAnswers {
    if (method !== 'get' || streams?.kind === 'events') return {}
    return {
      fields: (status) => {
        if (status === '206') return [range('bytes 0-65535/2000000')]
        return whole.includes(status) ? [acceptRanges] : []
      },
      inPlace: { status: '206', of: whole, hasContent: true },
      refusals: { '416': [range('bytes */2000000')] },
      request: { range: undefined, 'if-range': undefined },
    }
  },
})
