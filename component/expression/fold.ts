/** Functions on partly known maps and lists, evaluated at load without their deferred members. */
import type { Issue } from '#component/errors.ts'
import { booleanOf, wantedBoolean } from '#component/expression/functions/conversions.ts'
import { isMap } from '#component/syntax/values.ts'
import { charge, nodeCost } from './budget.ts'
import {
  broken,
  constant,
  deferred,
  isBroken,
  listNode,
  mapNode,
  type Node,
  runOf,
  settle,
} from './nodes.ts'
import { originOfParts } from './origin.ts'
import type { Site } from './site.ts'
import { didYouMean } from './suggest.ts'
import { unexpected } from './values.ts'

/** Takes its arguments as nodes; constant ones have been read by their parameters. */
type Fold = (
  piped: Node,
  args: readonly Node[],
  site: Site,
  issues: readonly Issue[],
) => Node | undefined

/** The members of a map whose keys are known; undefined for any other node. */
function membersOf(node: Node | undefined, site: Site): ReadonlyMap<string, Node> | undefined {
  if (node?.kind === 'map') return node.entries
  if (node?.kind !== 'constant' || !isMap(node.value)) return undefined
  const keys = Object.keys(node.value)
  charge(keys.length * nodeCost, site)
  const { value } = node
  return new Map(keys.map((key) => [key, constant(value[key])]))
}

function itemsOf(node: Node): readonly Node[] | undefined {
  return node.kind === 'list' ? node.items : undefined
}

/** The value of a constant argument. */
function known<T>(node: Node | undefined): T | undefined {
  return node?.kind === 'constant' ? (node.value as T) : undefined
}

/** The member that a key of the request chooses; the others are not evaluated. */
function choose(
  members: ReadonlyMap<string, Node>,
  key: Node,
  fallback: Node | undefined,
  site: Site,
): Node {
  charge(members.size * nodeCost, site)
  const runs = new Map([...members].map(([name, member]) => [name, runOf(member)]))
  const chooser = runOf(key)
  const place = site.of(key)
  const noSuchKey = ': there is no such key'
  const otherwise = fallback ? runOf(fallback) : () => place.fail(`get${noSuchKey}`, noSuchKey)
  const chosen = fallback ? [...members.values(), fallback] : [...members.values()]
  return deferred(
    (context) => (runs.get(chooser(context) as string) ?? otherwise)(context),
    [...chosen, key],
    {
      source: { isKnown: false, origin: () => originOfParts(chosen) },
    },
  )
}

function mergeMembers(
  under: Node | undefined,
  over: Node | undefined,
  site: Site,
): Node | undefined {
  const first = membersOf(under, site)
  const second = membersOf(over, site)
  if (!first || !second) return undefined
  charge((first.size + second.size) * nodeCost, site)
  return mapNode(new Map([...first, ...second]))
}

function pick(piped: Node, site: Site, isWanted: (key: string) => boolean): Node | undefined {
  const members = membersOf(piped, site)
  if (!members) return undefined
  charge(members.size * nodeCost, site)
  return mapNode(new Map([...members].filter(([key]) => isWanted(key))))
}

/** By function name; undefined when the function must wait for the request. */
export const folds: Readonly<Record<string, Fold>> = {
  head: (piped) => itemsOf(piped)?.[0],
  last: (piped) => itemsOf(piped)?.at(-1),
  tail: (piped) => {
    const items = itemsOf(piped)
    return items && listNode(items.slice(1))
  },
  nth: (piped, [position], site) => {
    const items = itemsOf(piped)
    const n = known<number>(position)
    if (!items || n === undefined) return undefined
    return items[n - 1] ?? site.fail('nth: the list has fewer items')
  },
  length: (piped) => {
    const items = itemsOf(piped)
    return items && constant(items.length)
  },
  size: (piped) => (piped.kind === 'map' ? constant(piped.entries.size) : undefined),
  get: (piped, [key, fallback], site, issues) => {
    const name = known<string>(key)
    if (piped.kind === 'constant' && name !== undefined && isMap(piped.value)) {
      if (Object.hasOwn(piped.value, name)) return constant(piped.value[name])
      return (
        fallback ??
        site.fail(`get: there is no "${name}"${didYouMean(name, Object.keys(piped.value), issues)}`)
      )
    }
    if (piped.kind !== 'map' || !key) return undefined
    if (name === undefined) {
      const whole = settle(piped)
      if (isBroken(whole)) return broken
      // a map that turns out to be known is looked up when the key is
      return whole.kind === 'map' ? choose(whole.entries, key, fallback, site) : undefined
    }
    const member = piped.entries.get(name) ?? fallback
    return (
      member ??
      site.fail(`get: there is no "${name}"${didYouMean(name, piped.entries.keys(), issues)}`)
    )
  },
  // the path or the look-up before it has yielded undefined where a member is missing
  default: (piped, [replacement]) =>
    piped.kind === 'constant' && (piped.value ?? undefined) === undefined ? replacement : piped,
  if: (piped, [yes, no], site) => {
    const value = piped.kind === 'constant' ? piped.value : undefined
    const choice = booleanOf(value)
    if (choice === undefined) unexpected(site, 'if', wantedBoolean, value)
    return choice ? yes : no
  },
  put: (piped, [key, member], site) => {
    const name = known<string>(key)
    const members = membersOf(piped, site)
    if (!members || !member || name === undefined) return undefined
    charge((members.size + 1) * nodeCost, site)
    return mapNode(new Map(members).set(name, member))
  },
  merge: (piped, [other], site) => mergeMembers(piped, other, site),
  'merge under': (piped, [other], site) => mergeMembers(other, piped, site),
  with: (piped, [wanted], site) => {
    const keys = known<ReadonlySet<string>>(wanted)
    if (!keys || piped.kind !== 'map') return undefined
    const chosen = new Map<string, Node>()
    for (const key of keys) {
      const member = piped.entries.has(key) ? piped.entries.get(key) : undefined
      if (member) chosen.set(key, member)
    }
    charge(keys.size * nodeCost, site)
    return mapNode(chosen)
  },
  without: (piped, [dropped], site) => {
    const keys = known<ReadonlySet<string>>(dropped)
    return keys && piped.kind === 'map' ? pick(piped, site, (key) => !keys.has(key)) : undefined
  },
}

/** Stands for a partly known map or list where only its kind matters. */
export const kindSample = (node: Node): unknown => (node.kind === 'list' ? [] : {})
