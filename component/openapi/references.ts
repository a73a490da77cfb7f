/** References between the schemas of a document, which stand in another place of an OpenAPI description. */
import { appliedTo } from '#component/schema/coerce.ts'
import { moved, movedAll } from '#component/schema/moved.ts'
import { isMap, type JsonMap } from '#component/syntax/values.ts'

const place = '#/components/schemas/'

/** The schema with its references to `#/schemas/` as references to `#/components/schemas/`; itself where it has none. */
export const published = (schema: unknown): unknown => moved(schema, place)

/** The schemas of a map of names. */
export const publishedAll = (map: unknown): unknown => movedAll(map, place)

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
