/** The rows of all policies: what all that deal with policies loop over. `index.ts` has what serves them. */
import type { PolicyPlans } from '#component/gateway/api.ts'
import type { Rule } from '#component/spec/rules.ts'
import { cache } from './cache/kind.ts'
import { circuitBreaker } from './circuit-breaker/kind.ts'
import { compress } from './compress/kind.ts'
import { etag } from './etag/kind.ts'
import { idempotency } from './idempotency/kind.ts'
import type { Found, PolicyKind, PolicySources } from './kind.ts'
import { quota, rateLimit } from './limits/kind.ts'
import { ranges } from './ranges/kind.ts'

const rows = [rateLimit, quota, etag, ranges, cache, compress, circuitBreaker, idempotency] as const

/** The keys of policies. */
export type PolicyKey = (typeof rows)[number]['key']

/** In the order in which documents are told of them. */
export const policyKinds: readonly PolicyKind<never>[] = rows

/** In the same order. */
export const policyKeys: readonly PolicyKey[] = rows.map(({ key }) => key)

/** Those that hold for calls of procedures, too. */
export const invocationPolicyKinds = policyKinds.filter(({ isOfInvocations }) => isOfInvocations)

/** Key to rule. */
export const policyRules = Object.fromEntries(rows.map(({ key, rule }) => [key, rule])) as Record<
  PolicyKey,
  Rule
>

/** Key to the value that holds where a document sets none. @param gateway that section of the configuration */
export const configuredPolicies = (
  gateway: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    policyKinds.flatMap(({ key, configured }) => {
      const value = configured(gateway)
      return value === undefined ? [] : [[key, value]]
    }),
  )

/**
 * Compiles the policies that hold at one place of a document; undefined: none does.
 * @param values what is set there, by the keys of policies
 */
export function compilePolicies(
  values: ReadonlyMap<string, Found>,
  around: Pick<PolicySources, 'api' | 'issues'>,
): PolicyPlans | undefined {
  const plans: Record<string, unknown> = {}
  let isAny = false
  for (const { key, compile } of rows) {
    const found = values.get(key)
    plans[key] = found && compile({ ...around, key, found })
    isAny ||= plans[key] !== undefined
  }
  return isAny ? plans : undefined
}

/** The policies that hold, with their plans. */
export function inForce(
  plans: PolicyPlans | undefined,
): readonly (readonly [kind: PolicyKind<never>, plan: never])[] {
  if (plans === undefined) return []
  return policyKinds.flatMap((kind) => {
    const plan = plans[kind.key]
    return plan === undefined ? [] : [[kind, plan as never] as const]
  })
}
