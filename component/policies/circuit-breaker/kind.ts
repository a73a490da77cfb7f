/** What a circuit breaker is: the row of `circuit_breaker`. */
import { kindsOf } from '#component/gateway/api.ts'
import { type PolicyAnswers, retryAfter } from '#component/policies/answers.ts'
import { constantOf, type Known, policyKind } from '#component/policies/kind.ts'
import { placeOf } from '#component/policies/place.ts'
import { isMap } from '#component/syntax/values.ts'
import type { BreakerPlan } from './plan.ts'
import { breakerDefaults, breakerRule } from './rule.ts'

const milliseconds = 1000

/** @param known whose faults have been reported; undefined without one, and where `null` takes it away */
function compileBreaker(known: Known | undefined): BreakerPlan | undefined {
  if (!isMap(known?.value)) return undefined
  const { threshold, minimum, window, open, errors } = { ...breakerDefaults, ...known.value }
  return {
    place: placeOf(`${known.path} ${window}`),
    threshold,
    minimum,
    windowMs: window * milliseconds,
    openMs: open * milliseconds,
    errors: new Set(Array.isArray(errors) ? errors : []),
  }
}

const error = 'service.error.circuit_open'

/** An upstream or procedure that fails is not tried any more, for a while. */
export const circuitBreaker = policyKind('circuit_breaker', {
  rule: breakerRule,
  compile: (sources) => compileBreaker(constantOf(sources)),
  actionErrors: [error],
  isOfInvocations: true,
  show: ({ threshold, minimum, windowMs, openMs, errors }: BreakerPlan) => ({
    ...{ threshold, minimum, window: windowMs / 1000, open: openMs / 1000, errors: [...errors] },
  }),
  // while the circuit of an action is open, where the status is known
  describe(_plan, operation): PolicyAnswers {
    const { on_error, status_codes } = operation
    const hasCircuit = kindsOf(operation).some(({ reaches }) => reaches?.isGuarded)
    const status = on_error.status ?? status_codes.get(error) ?? 503
    if (!hasCircuit || typeof status !== 'number' || status < 400) return {}
    return { refusals: { [status]: [retryAfter] } }
  },
})
