/** What idempotency is: the row of `idempotency`. */
import { pointer } from '#component/codec/json.ts'
import { type PolicyAnswers, retryAfter } from '#component/policies/answers.ts'
import { constantOf, type Known, policyKind } from '#component/policies/kind.ts'
import { isMap } from '#component/syntax/values.ts'
import { type IdempotencyPlan, keyMethods } from './plan.ts'
import { idempotencyDefaults, idempotencyRule } from './rule.ts'

const milliseconds = 1000

/** @param known whose faults have been reported; undefined without one, and where `null` takes it away */
function compileIdempotency(known: Known | undefined): IdempotencyPlan | undefined {
  if (!isMap(known?.value)) return undefined
  const { required, ttl, on_unknown, max_bytes } = { ...idempotencyDefaults, ...known.value }
  return {
    at: known.path,
    isRequired: required === true,
    keptMs: ttl * milliseconds,
    onUnknown: on_unknown === 'retry' ? 'retry' : 'refuse',
    maxBytes: max_bytes,
  }
}

const key = 'idempotency'

const keySchema = {
  type: 'string',
  description:
    'A text that no other request of the client has, such as a UUID. A repeat with the same key is not performed again: it gets the response of the first request.',
}

/** Requests with an Idempotency-Key are performed once. */
export const idempotency = policyKind(key, {
  rule: idempotencyRule,
  compile: (sources) => compileIdempotency(constantOf(sources)),
  feature: 'idempotency',
  keepsAnswers: true,
  comparesBodies: true,
  show: ({ isRequired, keptMs, onUnknown, maxBytes }: IdempotencyPlan) => ({
    ...{ required: isRequired, ttl: keptMs / 1000, on_unknown: onUnknown, max_bytes: maxBytes },
  }),
  warn({ at: path }, method, at) {
    if (path !== pointer(at, key) || keyMethods.has(method)) return undefined
    const name = method.toUpperCase()
    return { path, message: `idempotency means nothing for ${name}: it holds for POST and PATCH` }
  },
  warnOfStore(url, others) {
    if (url === 'sqlite::memory:') {
      return 'idempotency: the store is in memory, so the responses under an Idempotency-Key are lost when the process ends'
    }
    if (!url.startsWith('sqlite:') || others === 0) return undefined
    return 'idempotency: other gateways do not know the keys in the SQLite store of this one; behind a balancer use PostgreSQL'
  },
  // a malformed key, one that another request has, and one whose answer is not there
  describe({ isRequired }, _operation, method): PolicyAnswers {
    if (!keyMethods.has(method)) return {}
    return {
      errors: ['400', '422', '503'],
      refusals: { 409: [retryAfter] },
      request: { 'idempotency-key': { schema: keySchema, isRequired } },
    }
  },
})
