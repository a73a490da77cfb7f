/** Compiles `idempotency`: it is known at load as a whole. */
import { pointer } from '#component/codec/json.ts'
import type { Issue } from '#component/errors.ts'
import { type IdempotencyPlan, keyMethods } from '#component/policy/idempotency.ts'
import type { PolicyPlan } from '#component/policy/plan.ts'
import type { Method } from '#component/request.ts'
import { idempotencyDefaults } from '#component/spec/policies/idempotency.ts'
import { isMap } from '#component/syntax/values.ts'
import type { Known } from './compile-policies.ts'

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

/** A warning of an operation that asks for a key which its method does not know; undefined: there is none. */
export function keyWarning(
  plan: PolicyPlan | undefined,
  method: Method,
  at: string,
): Issue | undefined {
  const path = plan?.idempotency?.at
  if (path !== pointer(at, 'idempotency') || keyMethods.has(method)) return undefined
  const name = method.toUpperCase()
  return { path, message: `idempotency means nothing for ${name}: it holds for POST and PATCH` }
}
