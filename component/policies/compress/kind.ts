/** What compressing answers is: the row of `compress`. */
import { field, type PolicyAnswers } from '#component/policies/answers.ts'
import { constantOf, policyKind } from '#component/policies/kind.ts'
import { type CompressPlan, compileCompress } from './plan.ts'
import { compressRule } from './rule.ts'

const key = 'compress'

const encodingField = field(
  'Content-Encoding',
  'string',
  'The coding of the content, where the request accepts one.',
  'br',
)

/** Answers without content, and those that are a part of one. */
const uncoded = ['204', '205', '206', '304']

/** Bodies of answers are compressed for clients that accept it. */
export const compress = policyKind(key, {
  rule: compressRule,
  compile: (sources) => compileCompress(constantOf(sources)),
  configured: (gateway) => (gateway[key] === true ? true : undefined),
  show: ({ codings, minBytes, types, level }: CompressPlan) => ({
    ...{ codings, min_bytes: minBytes, types, level },
  }),
  describe(_plan, { streams }, method): PolicyAnswers {
    if (method === 'options' || streams?.kind === 'events') return {}
    return { fields: (status) => (uncoded.includes(status) ? [] : [encodingField]) }
  },
})
