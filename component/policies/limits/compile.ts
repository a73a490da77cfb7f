/** Compiles `rate_limit` and `quota` as far as they are known at load. */
import { pointer } from '#component/codec/json.ts'
import type { Issue } from '#component/errors.ts'
import { itemsOf, keysOf, member, type Node } from '#component/expression/compile.ts'
import type { Rate } from '#component/limits/gcra.ts'
import type { PolicySources } from '#component/policies/kind.ts'
import { placeOf } from '#component/policies/place.ts'
import { isMap } from '#component/syntax/values.ts'
import { type LimitPlan, policyItem, type QuotaPlan, type SharedPlan, type Sharer } from './plan.ts'
import type { QuotaWindow } from './quota-window.ts'

type Live = Exclude<Node, { readonly kind: 'broken' }>

const milliseconds = 1000

/** What one limit declares: the shared part, and the values of the other keys as far as they are known. */
interface Declared {
  readonly shared: SharedPlan
  /** JSON Pointer of the key: of the one limit, or of the list. */
  readonly path: string
  readonly amount: number
  readonly window: unknown
  /** Role or authid, and its amount; undefined: none is declared. */
  readonly by: readonly (readonly [name: string, amount: number])[] | undefined
  readonly readOf: (key: string) => unknown
}

const ruleAt = (api: string, place: string): string => `${api}\n${placeOf(place)}`

/** The rate limits; undefined: none is declared. */
export const compileLimits = (sources: PolicySources): readonly LimitPlan[] | undefined =>
  compileEach(sources, ({ shared, amount, window, by, readOf }) => {
    if (typeof window !== 'number') return undefined
    const { name, per, cost } = shared
    const windowMs = window * milliseconds
    const burst = readOf('burst')
    const rateOf = (amount: number): Rate => ({
      amount,
      windowMs,
      burst: typeof burst === 'number' ? burst : amount,
    })
    return {
      ...shared,
      told: by === undefined ? policyItem(name, amount, window) : undefined,
      rate: rateOf(amount),
      by: by && new Map(by.map(([name, other]) => [name, rateOf(other)])),
      isShared: readOf('scope') !== 'process',
      isEarly: per === 'address' && typeof cost === 'number' && by === undefined,
    }
  })

/** The quotas; undefined: none is declared. */
export const compileQuotas = (sources: PolicySources): readonly QuotaPlan[] | undefined =>
  compileEach(sources, ({ shared, path, amount, window, by, readOf }) => ({
    ...shared,
    // not by its position in a list: what is used is kept for long, and lists change
    rule: ruleAt(sources.api, `${path} ${shared.name}`),
    amount,
    by: by && new Map(by),
    window: typeof window === 'number' ? window * milliseconds : (window as QuotaWindow),
    counted: readOf('count') === 'success' ? 'success' : 'all',
  }))

function compileEach<Plan>(
  sources: PolicySources,
  planOf: (declared: Declared) => Plan | undefined,
): readonly Plan[] | undefined {
  const { node, path } = sources.found
  if (node.kind === 'constant' && node.value === null) return undefined
  const items = itemsOf(node)?.map((item, index) => [item, pointer(path, index)] as const)
  const plans: Plan[] = []
  for (const [item, at] of items ?? [[node, path] as const]) {
    const declared = declaredAt(item, at, sources)
    const plan = declared && planOf({ ...declared, path })
    if (plan) plans.push(plan)
  }
  return plans.length > 0 ? plans : undefined
}

function declaredAt(
  node: Node,
  at: string,
  { key: rule, api, issues }: PolicySources,
): Omit<Declared, 'path'> | undefined {
  if (keysOf(node) === undefined) {
    const message = `${rule} must be known when the specification is loaded: it may not depend on the request`
    if (node.kind !== 'broken' && node.kind !== 'constant') issues.push({ path: at, message })
    return undefined
  }
  const readOf = (key: string): unknown => {
    const value = member(node, key)
    if (value === undefined || value.kind === 'broken') return undefined
    if (value.kind === 'constant') return value.value
    if (key === 'per' || key === 'cost') return undefined
    const path = pointer(at, key)
    issues.push({
      path,
      message: `${key} of a limit must be known when the specification is loaded`,
    })
    return undefined
  }
  const liveOf = (key: string): { readonly node: Live } | undefined => {
    const value = member(node, key)
    if (value === undefined || value.kind === 'broken' || value.kind === 'constant')
      return undefined
    checkReads(value, pointer(at, key), issues)
    return { node: value }
  }
  const amount = readOf('amount')
  const window = readOf('window')
  // what is missing or of another type has been reported
  if (typeof amount !== 'number' || window === undefined) return undefined
  const [by, per, cost] = [readOf('by'), readOf('per'), readOf('cost')]
  const shared: SharedPlan = {
    at,
    rule: ruleAt(api, at),
    name: String(readOf('name') ?? 'default'),
    per: liveOf('per') ?? (typeof per === 'string' ? (per as Sharer) : 'user'),
    cost: liveOf('cost') ?? (typeof cost === 'number' ? cost : 1),
    isSeparate: readOf('separate') === true,
    hasHeaders: readOf('headers') !== false,
    mode: readOf('mode') === 'log' ? 'log' : 'enforce',
  }
  const amounts = isMap(by) ? Object.entries(by as Record<string, number>) : undefined
  return { shared, amount, window, by: amounts, readOf }
}

/** Limits hold before the body is read and before the action. */
function checkReads(node: Live, path: string, issues: Issue[]): void {
  for (const read of node.reads) {
    const [root, key] = read.split('.')
    if (root !== 'action' && !(root === 'request' && key?.startsWith('body'))) continue
    const message = `${read} is not known yet: a limit holds before the body is read and before the action`
    issues.push({ path, message })
  }
}
