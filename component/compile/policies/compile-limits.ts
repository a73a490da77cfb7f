/** Compiles `rate_limit` as far as it is known at load. */
import { hash } from 'node:crypto'
import { pointer } from '#component/codec/json.ts'
import type { Issue } from '#component/errors.ts'
import { itemsOf, keysOf, member, type Node } from '#component/expression/compile.ts'
import type { Rate } from '#component/policy/gcra.ts'
import { type LimitPlan, policyItem, type Sharer } from '#component/policy/limit-plan.ts'
import { isMap } from '#component/syntax/values.ts'
import type { PolicySources } from './compile-policies.ts'

type Live = Exclude<Node, { readonly kind: 'broken' }>

const milliseconds = 1000

/** Of a digest in base64url: 132 bits. */
const placeCharacters = 22

/** undefined: none is declared. */
export function compileLimits({ find, issues }: PolicySources): readonly LimitPlan[] | undefined {
  const found = find('rate_limit')
  if (found === undefined || found.node.kind === 'broken') return undefined
  const { node, path } = found
  if (node.kind === 'constant' && node.value === null) return undefined
  const items = itemsOf(node)
  const limits = items
    ? items.map((item, index) => compileLimit(item, pointer(path, index), issues))
    : [compileLimit(node, path, issues)]
  const known = limits.filter((limit) => limit !== undefined)
  return known.length > 0 ? known : undefined
}

function compileLimit(node: Node, at: string, issues: Issue[]): LimitPlan | undefined {
  if (keysOf(node) === undefined) {
    const message =
      'rate_limit must be known when the specification is loaded: it may not depend on the request'
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
  if (typeof amount !== 'number' || typeof window !== 'number') return undefined
  const windowMs = window * milliseconds
  const name = String(readOf('name') ?? 'default')
  const burst = readOf('burst')
  const by = readOf('by')
  const per = liveOf('per') ?? (readOf('per') as Sharer | undefined) ?? 'user'
  const cost = liveOf('cost') ?? (readOf('cost') as number | undefined) ?? 1
  const rateOf = (amount: number): Rate => ({
    amount,
    windowMs,
    burst: typeof burst === 'number' ? burst : amount,
  })
  return {
    at,
    place: hash('sha256', at, 'base64url').slice(0, placeCharacters),
    name,
    told: by === undefined ? policyItem(name, amount, window) : undefined,
    rate: rateOf(amount),
    per,
    cost,
    by: isMap(by)
      ? new Map(Object.entries(by).map(([name, other]) => [name, rateOf(Number(other))]))
      : undefined,
    isSeparate: readOf('separate') === true,
    isShared: readOf('scope') !== 'process',
    hasHeaders: readOf('headers') !== false,
    mode: readOf('mode') === 'log' ? 'log' : 'enforce',
    isEarly: per === 'address' && typeof cost === 'number' && by === undefined,
  }
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
