/** Compiles `circuit_breaker`: it is known at load as a whole. */
import type { BreakerPlan } from '#component/policies/circuit-breaker/plan.ts'
import { breakerDefaults } from '#component/policies/circuit-breaker/rule.ts'
import type { Known } from '#component/policies/kind.ts'
import { placeOf } from '#component/policies/place.ts'
import { isMap } from '#component/syntax/values.ts'

const milliseconds = 1000

/** @param known whose faults have been reported; undefined without one, and where `null` takes it away */
export function compileBreaker(known: Known | undefined): BreakerPlan | undefined {
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
