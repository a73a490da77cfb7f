/** Compiles the policies that hold at one place of a document; their rules are checked by `component/spec/policies`. */
import type { Issue } from '#component/errors.ts'
import type { Node } from '#component/expression/compile.ts'
import type { PolicyPlan } from '#component/policy/plan.ts'
import { compileBreaker } from './compile-breaker.ts'
import { compileCache } from './compile-cache.ts'
import { compileIdempotency } from './compile-idempotency.ts'
import { compileLimits, compileQuotas } from './compile-limits.ts'

/** The keys of policies. */
export const policyKeys = [
  'rate_limit',
  'quota',
  'etag',
  'cache',
  'circuit_breaker',
  'idempotency',
] as const

/** Where the policies of one place are looked for. */
export interface PolicySources {
  /** The compiled value of a key, and where it is written. */
  readonly find: (
    key: (typeof policyKeys)[number],
  ) => { readonly node: Node; readonly path: string } | undefined
  /** The id of the specification. */
  readonly api: string
  readonly issues: Issue[]
}

/** undefined: no policy is declared. */
export function compilePolicies(sources: PolicySources): PolicyPlan | undefined {
  const plan: PolicyPlan = {
    limits: compileLimits(sources),
    quotas: compileQuotas(sources),
    etag: constantOf('etag', sources)?.value === true,
    cache: compileCache(sources),
    breaker: compileBreaker(constantOf('circuit_breaker', sources)),
    idempotency: compileIdempotency(constantOf('idempotency', sources)),
  }
  const { limits, quotas, etag, cache, breaker, idempotency } = plan
  return limits || quotas || etag || cache || breaker || idempotency ? plan : undefined
}

/** A value that is known at load, and the JSON Pointer of where it is written. */
export interface Known {
  readonly value: unknown
  readonly path: string
}

/** A value that may not depend on the request; undefined when it is absent or has been reported. */
function constantOf(
  key: (typeof policyKeys)[number],
  { find, issues }: PolicySources,
): Known | undefined {
  const found = find(key)
  if (found === undefined || found.node.kind === 'broken') return undefined
  if (found.node.kind === 'constant') return { value: found.node.value, path: found.path }
  const message = `${key} must be known when the specification is loaded: it may not depend on the request`
  issues.push({ path: found.path, message })
  return undefined
}

/** What gateways of an earlier version do not know. */
type Feature = 'limits' | 'quota' | 'idempotency'

/** What a gateway must know in order to keep them: one that does not would serve without a limit, or twice. */
export function featuresOf(plan: PolicyPlan | undefined): readonly Feature[] {
  const { limits, quotas, idempotency } = plan ?? {}
  const needed = { limits, quota: quotas, idempotency } satisfies Record<Feature, unknown>
  return (Object.keys(needed) as Feature[]).filter((name) => needed[name] !== undefined)
}
