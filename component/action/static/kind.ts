/** What a fixed answer is: the row of `static`. */
import { actionKind, anyInvocation } from '#component/action/kind.ts'
import { headers } from '#component/spec/http-rules.ts'
import { anything } from '#component/spec/rules.ts'

/** The document declares the answer. */
export const fixed = actionKind({
  type: 'static',
  shape: { keys: { headers, body: anything } },
  ofInvocations: anyInvocation,
  fields: { headers: 'value', body: 'value' },
  answers: 'fixed',
  result: ['body', 'headers'],
})
