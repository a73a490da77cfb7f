/** Compiles `idempotency`: it is known at load as a whole. */
import type { IdempotencyPlan } from '#component/policies/idempotency/plan.ts'
import { idempotencyDefaults } from '#component/policies/idempotency/rule.ts'
import type { Known } from '#component/policies/kind.ts'
import { isMap } from '#component/syntax/values.ts'

const milliseconds = 1000

/** @param known whose faults have been reported; undefined without one, and where `null` takes it away */
export function compileIdempotency(known: Known | undefined): IdempotencyPlan | undefined {
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
