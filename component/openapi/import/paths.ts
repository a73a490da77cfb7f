/** Path items of OpenAPI as paths of a version, with their operations. */
import { canonicalJson, pointer } from '#component/codec/json.ts'
import { methods } from '#component/request.ts'
import { isMap, memberOf } from '#component/syntax/values.ts'
import { exportedPattern } from './extension.ts'
import { operationOf, type Surroundings } from './operations.ts'
import { mapped } from './origins.ts'
import { parametersOf, withinPath, withOwn } from './parameters.ts'
import { hasOperation, hasPath } from './part.ts'
import { type Pattern, patternOf, rootPattern } from './path-templates.ts'
import type { Place, Source } from './source.ts'

const carried = [...methods, 'summary', 'description', 'parameters', '$ref']
const reasons = {
  trace: 'the gateway serves no TRACE',
  query: 'the gateway serves no QUERY',
  additionalOperations: `the gateway serves ${methods.join(', ')} only`,
  servers: 'only the first server of the document is used',
}

/** The paths of a version. */
export interface Paths {
  readonly byPattern: Record<string, unknown>
  /** The base_path of an exported version; undefined: no export tells one. */
  readonly base: string | undefined
}

/** Every path of the document. */
export function pathsOf(surroundings: Surroundings): Paths {
  const { source, part, target } = surroundings
  const byPattern: Record<string, unknown> = {}
  let base: string | undefined
  const items = source.members({ map: source.document, at: '' }, 'paths')
  const root = rootPattern(items.map(({ name }) => name))
  for (const { name, ...place } of items) {
    const isWanted = operationsOf(place, source).some(({ map }) => hasOperation(part, map))
    if (!hasPath(part, name) || (part.tags.length > 0 && !isWanted)) continue
    const template = name === '/' ? root : patternOf(name, restParameters(place, source))
    const at = pointer('/paths', name)
    if (typeof template === 'string') {
      source.losses.tell(at, template)
      continue
    }
    const exported = exportedPattern(operationsOf(place, source), template, base)
    base ??= exported?.base
    const isWritten = target.writesPaths && hasOptional(exported?.pattern)
    const found = exported && !isWritten ? exported : template
    if (found === root)
      source.losses.tell(at, `an API Specification has no path "/": it becomes ${root.pattern}`)
    const isTaken = Object.hasOwn(byPattern, found.pattern)
    if (!isTaken) byPattern[found.pattern] = pathOf(place, name, found, surroundings)
    // a pattern that an export tells may have further templates
    else if (found === template)
      source.losses.tell(at, `another path has the pattern ${found.pattern}`)
  }
  return { byPattern, base }
}

const hasOptional = (pattern = ''): boolean => /\[(?!\.{3}\])/.test(pattern)

/** Parameters that stand for the rest of a path, as the gateway's own exports mark them. */
function restParameters(place: Place, source: Source): ReadonlySet<string> {
  const places = [place, ...operationsOf(place, source)]
  const parameters = places.flatMap((each) => source.members(each, 'parameters'))
  const rest = parameters.filter(({ map }) => map['x-wamp-gateway-rest'] === true)
  return new Set(rest.map(({ map }) => String(map.name)))
}

const operationsOf = ({ map, at }: Place, source: Source): (Place & { method: string })[] =>
  Object.entries(map).flatMap(([method, operation]) => {
    if (!methods.some((each) => each === method)) return []
    const place = source.follow(operation, pointer(at, method))
    return place ? [{ ...place, method }] : []
  })

function pathOf(
  place: Place,
  template: string,
  { pattern, bindings }: Pattern,
  surroundings: Surroundings,
): Record<string, unknown> {
  const { source, schemas, part } = surroundings
  source.losses.tellOthers(place.map, place.at, { carried, reasons })
  const shared = withinPath(parametersOf(place, source, schemas), bindings, source.losses)
  const operations: Record<string, Record<string, unknown>> = {}
  for (const { method, ...operation } of operationsOf(place, source)) {
    if (!hasOperation(part, operation.map)) continue
    const own = withinPath(parametersOf(operation, source, schemas), bindings, source.losses)
    const parameters = withOwn(shared, own)
    for (const [name, binding] of bindings)
      if (!parameters.some((each) => each.in === 'path' && each.name === binding) && binding)
        source.losses.tell(operation.at, `the parameter ${name} of the path is not described`)
    operations[method] = operationOf(
      { place: operation, method, template, pattern, parameters },
      surroundings,
    )
  }
  const request = takeShared(Object.values(operations), new Set(shared.map((each) => each.in)))
  const { summary, description } = place.map
  return mapped(
    {
      ...(typeof summary === 'string' && { summary }),
      ...(typeof description === 'string' && { description }),
      ...(request && { request }),
      ...operations,
    },
    place.at,
  )
}

/**
 * Takes out of the operations what all of them ask for alike: bindings, and what OpenAPI says at the path.
 * @param within where the parameters of the path stand
 */
function takeShared(
  operations: readonly Record<string, unknown>[],
  within: ReadonlySet<string>,
): Record<string, unknown> | undefined {
  const taken: Record<string, unknown> = {}
  const parts = [
    'bindings',
    ...(within.has('query') ? ['query_params'] : []),
    ...(within.has('header') ? ['headers'] : []),
  ]
  for (const part of parts) {
    const found = operations.map(({ request }) => memberOf(request, part))
    const [first] = found
    const text = canonicalJson(first)
    if (first === undefined || found.some((each) => canonicalJson(each) !== text)) continue
    taken[part] = first
    for (const operation of operations) {
      if (!isMap(operation.request)) continue
      const { [part]: _, ...rest } = operation.request
      if (Object.keys(rest).length > 0) operation.request = rest
      else delete operation.request
    }
  }
  return Object.keys(taken).length > 0 ? taken : undefined
}
