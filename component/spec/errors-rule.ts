/** The rules of `errors` and `problem_base`: what the errors of the gateway look like. */

import { encodeReference } from '#component/syntax/percent-encoding.ts'
import { described, dynamic, oneOf, type Rule, text } from './rules.ts'

/** `plain` is the gateway's own form, `problem` that of RFC 9457. */
export const errors: Rule = dynamic(
  described(
    oneOf(['plain', 'problem']),
    'What errors look like: {code, message, description}, or problem details (RFC 9457).',
    { default: 'plain' },
  ),
)

const baseProblem = (value: string): string | undefined =>
  URL.canParse(value) && encodeReference(value) === value
    ? undefined
    : 'it is no absolute URI of ASCII characters'

/** The URI of an error follows it in `type` of a problem. */
export const problemBase: Rule = described(
  text('a URI such as "https://errors.example.com/"', baseProblem),
  'The URI before the code of an error in `type` of problem details.',
)
