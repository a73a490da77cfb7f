/** Compiles paths: into request-time data as closures, into known values by walking them. */
import type { Issue } from '#component/errors.ts'
import { isMap } from '#component/syntax/values.ts'
import { itemName } from './items.ts'
import { type Context, constant, deferred, type Node, type Run, readNode, runOf } from './nodes.ts'
import { below, originOf, originOfPath, type Source } from './origin.ts'
import { noteRead } from './read-sites.ts'
import type { RootShape, Scope } from './scope.ts'
import type { Site } from './site.ts'
import { didYouMean } from './suggest.ts'
import { kindOf, ownValue } from './values.ts'

/** The data roots in the context. */
const roots: Readonly<Record<string, (context: Context) => object>> = {
  request: (context) => context.request,
  invocation: (context) => context.invocation ?? {},
  delivery: (context) => context.delivery ?? {},
  action: (context) => context.action,
  security: (context) => context.security,
}

/** Why a root is not known in a part of the document. */
const elsewhere: Readonly<Record<string, (scope: Scope) => string>> = {
  request: (scope) =>
    scope.root('delivery')
      ? 'there is no request in deliveries: action.event is known there'
      : 'there is no request in procedures: invocation is known there',
  invocation: () => 'invocation is known in procedures only',
  delivery: () => 'delivery is known in deliveries only',
  security: () => 'security is known where there is a request or a call',
}

/** A path, and where it is written. */
interface Path {
  readonly keys: readonly string[]
  readonly scope: Scope
  readonly site: Site
  readonly issues: readonly Issue[]
  /** Whether the value is undefined where a member is missing; otherwise that is an error. */
  readonly isOptional: boolean
}

const undefinedNode = constant(undefined)

/** The item of a list, in what a function evaluates for each of them. */
function readItem({ keys, scope, site, isOptional }: Path): Node {
  const reads = scope.readsOf(keys.slice(0, 3).join('.'))
  const run: Run = isOptional
    ? (context) => find(context.item, keys, 1)
    : (context) => step(context.item, keys, 1, site)
  return readNode(keys, run, reads)
}

/**
 * Compiles a path.
 * @param keys at least one; the first is the name of a root or of a map of the scope
 * @param isOptional whether the value is undefined where a member is missing
 * @throws ExpressionError for a path that cannot exist
 */
export function compilePath(
  keys: readonly string[],
  scope: Scope,
  site: Site,
  issues: Issue[],
  isOptional: boolean,
): Node {
  const path: Path = { keys, scope, site, issues, isOptional }
  const [name = '', key, ...rest] = keys
  if (name === itemName) return readItem(path)
  const shape = scope.root(name)
  const root = Object.hasOwn(roots, name) ? roots[name] : undefined
  if (shape && root) return readRoot(path, root, shape)
  if (Object.hasOwn(elsewhere, name) && !scope.map(name)) site.fail(elsewhere[name]?.(scope) ?? '')
  const map = scope.map(name)
  if (!map) site.fail(`there is no "${name}"${hintOfRoot(name, scope, issues)}`)
  if (key === undefined) return scope.wholeMap(name, issues)
  const node = scope.compileEntry(name, key, issues)
  return node ? walk(node, rest, path) : missing(path, key, map.keys())
}

/** What an unknown first key may stand for: a member of a root whose name was left out, or a root. */
function hintOfRoot(name: string, scope: Scope, issues: readonly Issue[]): string {
  const owner = scope.names.find((root) => scope.root(root)?.keys?.includes(name))
  return owner ? `; did you mean "${owner}.${name}"?` : didYouMean(name, scope.names, issues)
}

/** Takes further keys into a node. */
function walk(start: Node, rest: readonly string[], path: Path): Node {
  const { keys, site, isOptional } = path
  let node = start
  for (let index = 0; index < rest.length; index++) {
    const key = rest[index] as string
    if (node.kind === 'broken') return node
    if (node.kind === 'deferred') return readOn(node, rest.slice(index), path)
    if (node.kind === 'map') {
      const member = node.entries.get(key)
      if (!member) return missing(path, key, node.entries.keys())
      node = member
      continue
    }
    const value = node.kind === 'constant' ? node.value : []
    if (!isMap(value)) {
      return isOptional
        ? undefinedNode
        : noMap(keys, keys.length - rest.length + index, value, site)
    }
    const member = ownValue(value, key)
    if (member === undefined) return missing(path, key, Object.keys(value))
    node = constant(member)
  }
  return node
}

/** A key that the specification does not have. */
function missing(
  { keys, site, issues, isOptional }: Path,
  key: string,
  known: Iterable<string>,
): Node {
  if (isOptional) return undefinedNode
  return site.fail(`there is no "${keys.join('.')}"${didYouMean(key, known, issues)}`)
}

/** Fails for keys below a value that is no map. */
function noMap(keys: readonly string[], index: number, value: unknown, site: Site): never {
  const kind = kindOf(value)
  const parent = keys.slice(0, index).join('.')
  const origin = originOf(site.value)
  const known = origin?.isWhole ? origin.members.join().split('.') : []
  const owner = known.slice(0, index - keys.length).join('.')
  const found = value === '' ? 'empty' : `${kind}, not a map`
  return site.fail(
    `there is no "${keys.join('.')}": "${parent}" is ${kind}, not a map`,
    owner === '' ? `: a map was expected, got ${kind}` : ` is missing: ${owner} is ${found}`,
  )
}

/** Fails for a key that a map of the request lacks. */
const absent = (keys: readonly string[], site: Site): never =>
  site.fail(
    `there is no "${keys.join('.')}"`,
    originOf(site.value)?.isWhole ? ' is missing' : ': a member is missing',
  )

/** A path through a variable that is known per request only. */
function readOn(
  node: Extract<Node, { kind: 'deferred' }>,
  rest: readonly string[],
  path: Path,
): Node {
  const { keys, site, isOptional } = path
  const inner = runOf(node)
  const from = keys.length - rest.length
  const source: Source = { isKnown: false, origin: () => below(originOf(node), rest) }
  const run: Run = isOptional
    ? (context) => find(inner(context), keys, from)
    : (context) => step(inner(context), keys, from, site, source)
  if (node.keys) return noted([...node.keys, ...rest], run, path)
  return deferred(run, [node], { steps: rest.length, source })
}

/** A path of request-time data as a source. */
const sourceOf = (keys: readonly string[]): Source => ({
  isKnown: false,
  origin: () => originOfPath(keys),
})

/**
 * Walks maps by own keys, from `keys[index]` on.
 * @param source of the value at the end; absent: the keys are the path itself
 */
function step(
  start: unknown,
  keys: readonly string[],
  from: number,
  site: Site,
  source?: Source,
): unknown {
  let value = start
  for (let index = from; index < keys.length; index++) {
    const key = keys[index] as string
    if (!isMap(value)) noMap(keys, index, value, site.of(source ?? sourceOf(keys)))
    value = Object.hasOwn(value, key) ? value[key] : undefined
    if (value === undefined) absent(keys, site.of(source ?? sourceOf(keys)))
  }
  return value
}

/** The same; undefined when a member is missing. */
function find(start: unknown, keys: readonly string[], from: number): unknown {
  let value = start
  for (let index = from; index < keys.length; index++) {
    if (!isMap(value)) return undefined
    value = ownValue(value, keys[index] as string)
  }
  return value
}

/**
 * A path into request-time data. Where members of known maps are read is noted for the checks that follow; any member of a body, for
 * one, is possible. What may be missing counts as reading the map that may have it.
 */
function noted(keys: readonly string[], run: Run, { scope, site, issues, isOptional }: Path): Node {
  const read = keys.slice(0, isOptional ? 2 : 3).join('.')
  if (!isOpen.test(read)) noteRead(issues, read, site)
  return readNode(keys, run, scope.readsOf(read))
}

const isOpen = /^(?:request(?!\.bindings\.)|invocation)/

function readRoot(path: Path, root: (context: Context) => object, shape: RootShape): Node {
  const { keys, scope, site, issues, isOptional } = path
  const [name = '', key] = keys
  if (key === undefined) {
    return readNode(keys, (context) => snapshot(root(context), shape), scope.readsOf(name))
  }
  if (shape.keys && !shape.keys.includes(key)) {
    site.fail(`there is no "${name}.${key}"${didYouMean(key, shape.keys, issues)}`)
  }
  const isOwn = shape.keys === undefined
  const property = key as keyof object
  if (isOptional) {
    const run: Run = (context) => {
      const data = root(context)
      return !isOwn || Object.hasOwn(data, property) ? find(data[property], keys, 2) : undefined
    }
    return noted(keys, run, path)
  }
  const run: Run = (context) => {
    const data = root(context)
    const value = !isOwn || Object.hasOwn(data, property) ? data[property] : undefined
    if (value === undefined) absent(keys, site.of(sourceOf(keys)))
    return keys.length === 2 ? value : step(value, keys, 2, site)
  }
  return noted(keys, run, path)
}

/** A whole root as a map: those of its known keys that it has, or all its own enumerable keys. */
function snapshot(data: object, shape: RootShape): Record<string, unknown> {
  if (!shape.keys) return { ...data }
  const map: Record<string, unknown> = {}
  for (const key of shape.keys) {
    const value = data[key as keyof object]
    if (value !== undefined) map[key] = value
  }
  return map
}
