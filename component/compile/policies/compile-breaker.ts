/** Compiles `circuit_breaker`: it is known at load as a whole. */
import type { BreakerPlan } from '#component/policy/breaker-plan.ts'
import { breakerDefaults } from '#component/spec/policies/circuit-breaker.ts'
import { isMap } from '#component/syntax/values.ts'
import type { Known } from './compile-policies.ts'
import { placeOf } from './place.ts'

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
