/** Schemas of a document as they stand elsewhere: their references lead to where the named schemas are there. */
import { isMap, type JsonMap } from '#component/syntax/values.ts'
import { Reach } from './reach.ts'
import type { NamedSchemas } from './references.ts'

const prefix = '#/schemas/'

/** Keywords whose members are schemas by name: a name may be that of a keyword. */
const namedSchemas = new Set(['properties', 'patternProperties', '$defs', 'dependentSchemas'])

/** Keywords whose values are data, not schemas. */
const literals = new Set(['const', 'enum', 'default', 'examples', 'example'])

/**
 * The schema with its references to `#/schemas/` as references to another place; itself where it has none.
 * @param place with a slash at the end
 */
export function moved(schema: unknown, place: string): unknown {
  if (!isMap(schema)) return schema
  let changed: Record<string, unknown> | undefined
  for (const [key, value] of Object.entries(schema)) {
    const other = movedMember(key, value, place)
    if (other !== value) changed = Object.assign(changed ?? { ...schema }, { [key]: other })
  }
  return changed ?? schema
}

function movedMember(key: string, value: unknown, place: string): unknown {
  if (key === '$ref') return movedReference(value, place)
  if (key === 'discriminator' && isMap(value)) {
    const { mapping } = value
    return { ...value, ...(isMap(mapping) && { mapping: movedMapping(mapping, place) }) }
  }
  if (literals.has(key)) return value
  if (namedSchemas.has(key)) return movedAll(value, place)
  return Array.isArray(value) ? movedList(value, place) : moved(value, place)
}

const movedReference = (value: unknown, place: string): unknown =>
  typeof value === 'string' && value.startsWith(prefix) ? place + value.slice(prefix.length) : value

const movedMapping = (mapping: JsonMap, place: string): JsonMap =>
  Object.fromEntries(
    Object.entries(mapping).map(([name, value]) => [name, movedReference(value, place)]),
  )

function movedList(list: readonly unknown[], place: string): readonly unknown[] {
  const others = list.map((item) => moved(item, place))
  return others.some((other, index) => other !== list[index]) ? others : list
}

/** The schemas of a map of names. */
export function movedAll(map: unknown, place: string): unknown {
  if (!isMap(map)) return map
  const others = Object.entries(map).map(([name, schema]) => [name, moved(schema, place)] as const)
  return others.some(([name, other]) => other !== map[name]) ? Object.fromEntries(others) : map
}

/** The schema with all that it refers to in its `$defs`, so that it stands alone. */
export function bundled(schema: JsonMap, named: NamedSchemas): JsonMap {
  const names = [...new Reach(named).graphOf(schema).values()].map(({ target }) => target.name)
  const place = '#/$defs/'
  const own = moved(schema, place) as JsonMap
  if (names.length === 0) return own
  const defs = [...new Set(names)].sort().map((name) => [name, moved(named[name], place)] as const)
  return { ...own, $defs: Object.fromEntries(defs) }
}
