/** The members of the request that a value is made of, as far down as the document names them. */
import type { Node } from '#component/expression/nodes.ts'
import { originOf, type Source } from '#component/expression/origin.ts'
import { Link } from '#component/expression/stages.ts'

/**
 * Paths such as `request.query_params.limit`: those that expressions write out, and those that `get(limit)` and `with([limit])`
 * name. Not cut to some number of keys.
 */
export function membersRead(node: Node): ReadonlySet<string> {
  const found = new Set<string>()
  collect(node, found, new Set())
  return found
}

/** @param seen variables are shared by many expressions */
function collect(part: Node | Source, found: Set<string>, seen: Set<Node | Source>): void {
  if (seen.has(part)) return
  seen.add(part)
  for (const below of partsOf(part)) collect(below, found, seen)
  if (part instanceof Link) for (const path of namedBy(part)) found.add(path)
  if (!('kind' in part)) return
  if (part.kind === 'deferred' && part.keys?.[0] === 'request') found.add(part.keys.join('.'))
  for (const read of part.reads) if (read.startsWith('request')) found.add(read)
}

/** What a value is made of. */
function partsOf(part: Node | Source): Iterable<Node | Source> {
  if (part instanceof Link)
    return [part.piped, part.first, part.second].filter((one) => one !== undefined)
  if (!('kind' in part)) return []
  if (part.kind === 'map') return part.entries.values()
  if (part.kind === 'list') return part.items
  if (part.kind !== 'deferred') return []
  return part.joined?.nodes ?? (part.source ? [part.source] : [])
}

/** The members that a look-up names, where the map itself is one of the request. */
function namedBy({ name, piped, first }: Link): string[] {
  const value = first?.kind === 'constant' ? first.value : undefined
  const keys = name === 'with' && value instanceof Set ? [...value] : name === 'get' ? [value] : []
  const origin = originOf(piped)
  if (!origin?.isWhole) return []
  const known = keys.filter((key) => typeof key === 'string')
  return known.map((key) => `${origin.members.join()}.${key}`)
}
