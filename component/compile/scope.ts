/** Merges variables, defaults and status_codes down the tree: API, version, path, operation; key by key. */

import { entriesAt } from '#component/codec/json.ts'
import type { Issue } from '#component/errors.ts'
import { compile, keysOf, type Node } from '#component/expression/compile.ts'
import type { Probe } from '#component/expression/probe/probe.ts'
import { type RootShape, Scope, type SpecEntry } from '#component/expression/scope.ts'
import { invocationKeys } from '#component/gateway/invocation.ts'
import { requestKeys } from '#component/request.ts'
import { initialStatusCodes } from '#component/spec/defaults.ts'
import { isExpression } from '#component/spec/rules.ts'
import { readStatus } from '#component/syntax/http-field.ts'
import { isMap, type JsonMap } from '#component/syntax/values.ts'
import type { Steps } from '#component/yielding.ts'
import type { Interner } from './interner.ts'

/** The maps that are merged. */
const mergedMaps = ['variables', 'defaults', 'status_codes'] as const
export type MergedMap = (typeof mergedMaps)[number]

type Maps = Readonly<Record<MergedMap, ReadonlyMap<string, SpecEntry>>>

/** The data of a request, read as properties; `security` has the keys of its scheme and of the identity. */
const roots: Readonly<Record<string, RootShape>> = {
  request: { keys: requestKeys },
  action: { keys: ['result', 'error', 'results', 'errors', 'event', 'progress'] },
  security: {},
}

/** The same of a procedure: there is a call in place of the request. */
const rootsOfProcedures: typeof roots = {
  invocation: { keys: invocationKeys },
  action: roots.action ?? {},
  security: {},
}

/** The same of a delivery: there is an event, or a gap, in place of the request. */
const rootsOfDeliveries: typeof roots = {
  action: { keys: ['event', 'gap'] },
  delivery: { keys: ['name', 'attempt', 'webhook_id'] },
}

/** The level with what expressions of deliveries read. */
export const deliveryLevel = (level: Level): Level => levelOver(level, rootsOfDeliveries)

/** The level with what expressions of procedures read. */
export const procedureLevel = (level: Level): Level => levelOver(level, rootsOfProcedures)

const levelOver = ({ maps, scope: { probe, shared } }: Level, data: typeof roots): Level => ({
  maps,
  scope: new Scope(maps, data, probe, shared),
})

/** The merged maps that expressions at one level of the document read. */
export interface Level {
  readonly scope: Scope
  readonly maps: Maps
}

const initialCodes: Maps['status_codes'] = new Map(
  Object.entries(initialStatusCodes).map(([uri, value]) => [uri, { value, path: '' }]),
)

/**
 * Everything above the document: the initial table of status codes.
 * @param probe told of the expressions of all levels below
 */
export function topLevel(probe?: Probe): Level {
  const maps: Maps = { variables: new Map(), defaults: new Map(), status_codes: initialCodes }
  return { maps, scope: new Scope(maps, roots, probe) }
}

/**
 * The members of a `defaults` that is itself an expression. Each becomes an expression that takes its key
 * from the map, so that it is resolved after merging like any other default.
 */
function computedMembers(expression: string, keys: readonly string[], path: string) {
  const inner = expression.trim().slice(2, -2)
  return keys.map((key): [string, SpecEntry] => [
    key,
    { value: `{{${inner} |> get('${key.replaceAll("'", "''")}')}}`, path },
  ])
}

/** The entries that one map of a level adds. */
function entriesOf(
  map: unknown,
  path: string,
  keysOf: (expression: string, path: string) => readonly string[],
): Iterable<[string, SpecEntry]> {
  if (typeof map === 'string') return computedMembers(map, keysOf(map, path), path)
  if (!isMap(map)) return []
  return entriesAt(map, path).map(([key, value, at]) => [key, { value, path: at }])
}

/**
 * The level below. It is the same one when the document adds nothing, so that its descendants share the compiled
 * entries of its scope.
 * @param path JSON Pointer of the object that holds the maps
 * @param keysOf the keys of a map given as an expression
 */
function below(
  above: Level,
  document: JsonMap,
  path: string,
  keysOf: (expression: string, path: string) => readonly string[] = () => [],
): Level {
  let maps = above.maps
  for (const name of mergedMaps) {
    if (!Object.hasOwn(document, name)) continue
    const entries = [...entriesOf(document[name], `${path}/${name}`, keysOf)]
    if (entries.length > 0) maps = { ...maps, [name]: new Map([...maps[name], ...entries]) }
  }
  if (maps === above.maps) return above
  const { probe, shared, roots } = above.scope
  return { maps, scope: new Scope(maps, roots, probe, shared) }
}

/**
 * The level below, where `defaults` may be an expression that yields a map. Variables come first: it may read them.
 * @param path JSON Pointer of the document, version, path or operation
 */
export function levelBelow(above: Level, document: JsonMap, path: string, issues: Issue[]): Level {
  if (!isExpression(document.defaults)) return below(above, document, path)
  const { variables = {}, status_codes = {}, defaults } = document
  const level = below(above, { variables, status_codes }, path)
  return below(level, { defaults }, path, (expression, at) => {
    const node = compile(expression, at, level.scope, issues)
    const keys = keysOf(node)
    if (keys === undefined && node.kind !== 'broken') {
      issues.push({ path: at, message: 'defaults must be a map whose keys are known at load' })
    }
    return keys ?? []
  })
}

/** The same level with nothing compiled yet, for compiling whose issues are not to be reported. */
export const freshLevel = ({ maps, scope: { shared, roots } }: Level): Level => ({
  maps,
  scope: new Scope(maps, roots, undefined, shared),
})

/**
 * Reports entries that compile at no level, used or not. An entry may read a variable that only a lower level defines, so
 * it is broken when it compiles at none of the lowest levels.
 * @param check finds issues in the value of an entry, at a level where it compiles
 */
export function* checkEntries(
  levels: Iterable<Level>,
  issues: Issue[],
  check: (map: MergedMap, key: string, entry: SpecEntry, node: Node) => Issue[],
): Steps<void> {
  const sound = new Set<SpecEntry>(initialCodes.values())
  const broken = new Map<SpecEntry, Issue[]>()
  for (const { maps, scope } of levels) {
    yield
    for (const map of mergedMaps) {
      for (const [key, entry] of maps[map]) {
        if (sound.has(entry)) continue
        if (typeof entry.value !== 'object' && !isExpression(entry.value)) {
          sound.add(entry)
          continue
        }
        const found: Issue[] = []
        const node = scope.compileEntry(map, key, found)
        if (node !== undefined && node.kind !== 'broken')
          found.push(...check(map, key, entry, node))
        if (found.length === 0 && node?.kind !== 'broken') sound.add(entry)
        else if (!broken.has(entry)) broken.set(entry, found)
      }
    }
  }
  for (const [entry, found] of broken) if (!sound.has(entry)) issues.push(...found)
}

/** The literal codes of a map; undefined where an expression is among them. */
function literalCodes(codes: Maps['status_codes']): ReadonlyMap<string, number> | undefined {
  const table = new Map<string, number>()
  for (const [uri, { value }] of codes) {
    const status = readStatus(value)
    if (status === undefined) return undefined
    table.set(uri, status)
  }
  return table
}

/**
 * Error URI ─▶ HTTP status at a level; levels with the same literal codes share one table. The check of all entries
 * reports issues.
 */
export function statusCodesOf(
  level: Level,
  interner: Interner,
  issues: Issue[],
): ReadonlyMap<string, number> {
  const { scope, maps } = level
  const codes = maps.status_codes
  const literal = interner.share('status codes', () => literalCodes(codes), codes)
  if (literal) return literal
  const compute = (): ReadonlyMap<string, number> => {
    const table = new Map<string, number>()
    for (const uri of codes.keys()) {
      const node = scope.compileEntry('status_codes', uri, issues)
      const status = node?.kind === 'constant' ? readStatus(node.value) : undefined
      if (status !== undefined) table.set(uri, status)
    }
    return table
  }
  return interner.share('computed status codes', compute, level)
}
