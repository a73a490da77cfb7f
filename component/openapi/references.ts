/** References between the schemas of a document, which stand in another place of an OpenAPI description. */
import { appliedTo } from '#component/schema/coerce.ts'
import { isMap, type JsonMap } from '#component/syntax/values.ts'

const prefix = '#/schemas/'

/** Keywords whose members are schemas by name: a name may be that of a keyword. */
const namedSchemas = new Set(['properties', 'patternProperties', '$defs', 'dependentSchemas'])

/** Keywords whose values are data, not schemas. */
const literals = new Set(['const', 'enum', 'default', 'examples', 'example'])

/** The schema with its references to `#/schemas/` as references to `#/components/schemas/`; itself where it has none. */
export function published(schema: unknown): unknown {
  if (!isMap(schema)) return schema
  let changed: Record<string, unknown> | undefined
  for (const [key, value] of Object.entries(schema)) {
    const other = publishedMember(key, value)
    if (other !== value) changed = Object.assign(changed ?? { ...schema }, { [key]: other })
  }
  return changed ?? schema
}

function publishedMember(key: string, value: unknown): unknown {
  if (key === '$ref') return publishedReference(value)
  if (key === 'discriminator' && isMap(value)) {
    return { ...value, ...(isMap(value.mapping) && { mapping: publishedMapping(value.mapping) }) }
  }
  if (literals.has(key)) return value
  if (namedSchemas.has(key)) return publishedAll(value)
  return Array.isArray(value) ? publishedList(value) : published(value)
}

const publishedReference = (value: unknown): unknown =>
  typeof value === 'string' && value.startsWith(prefix) ? `#/components${value.slice(1)}` : value

const publishedMapping = (mapping: JsonMap): JsonMap =>
  Object.fromEntries(
    Object.entries(mapping).map(([name, value]) => [name, publishedReference(value)]),
  )

function publishedList(list: readonly unknown[]): readonly unknown[] {
  const others = list.map(published)
  return others.some((other, index) => other !== list[index]) ? others : list
}

/** The schemas of a map of names. */
export function publishedAll(map: unknown): unknown {
  if (!isMap(map)) return map
  const others = Object.entries(map).map(([name, schema]) => [name, published(schema)] as const)
  return others.some(([name, other]) => other !== map[name]) ? Object.fromEntries(others) : map
}

/** A member of a map of texts, as its schema describes it. */
export interface Member {
  readonly schema: unknown
  readonly isRequired: boolean
}

/** The properties that a schema names, also through `$ref` and `allOf`, and whether it admits others. */
export interface Members {
  readonly named: ReadonlyMap<string, Member>
  readonly isClosed: boolean
}

/** @param schemas the schemas of the document by name */
export function membersOf(schema: unknown, schemas: JsonMap): Members {
  const properties = new Map<string, unknown>()
  const required = new Set<unknown>()
  let isClosed = false
  for (const applied of appliedTo(schema, schemas)) {
    for (const [name, value] of Object.entries(
      isMap(applied.properties) ? applied.properties : {},
    )) {
      if (!properties.has(name)) properties.set(name, value)
    }
    for (const name of Array.isArray(applied.required) ? applied.required : []) required.add(name)
    isClosed ||= applied.additionalProperties === false || applied.unevaluatedProperties === false
  }
  const named = new Map<string, Member>()
  for (const [name, value] of properties) {
    named.set(name, { schema: value, isRequired: required.has(name) })
  }
  return { named, isClosed }
}
