/** The dialect of schemas in OpenAPI 3.0 as JSON Schema 2020-12, one schema without those below it. */
import type { JsonMap } from '#component/syntax/values.ts'

/** Keywords that say something of a value without allowing or refusing any. */
const annotations = new Set([
  ...['title', 'description', 'default', 'example', 'deprecated', 'readOnly', 'writeOnly'],
  ...['externalDocs', 'xml', 'discriminator'],
])

/** `nullable`, boolean `exclusiveMinimum` and `exclusiveMaximum`, and `example` in the words of JSON Schema. */
export function withoutDialect(schema: JsonMap): JsonMap {
  const { nullable, example, ...rest } = schema
  const known: Record<string, unknown> = rest
  if (Object.hasOwn(schema, 'example')) known.examples = [example]
  exclusive(known, 'exclusiveMinimum', 'minimum')
  exclusive(known, 'exclusiveMaximum', 'maximum')
  return nullable === true ? orNull(known) : known
}

/** `minimum: 1, exclusiveMinimum: true` is `exclusiveMinimum: 1`. */
function exclusive(schema: Record<string, unknown>, keyword: string, limit: string): void {
  const value = schema[keyword]
  if (typeof value !== 'boolean') return
  if (value && Object.hasOwn(schema, limit)) {
    schema[keyword] = schema[limit]
    delete schema[limit]
  } else delete schema[keyword]
}

/** The schema that allows null, too. */
function orNull(schema: JsonMap): JsonMap {
  const { type } = schema
  // authors leave null out of `enum`, and mean it
  const choices = Array.isArray(schema.enum) ? { enum: [...new Set([...schema.enum, null])] } : {}
  if (typeof type === 'string') return { ...schema, type: [type, 'null'], ...choices }
  const said = Object.entries(schema).filter(([keyword]) => annotations.has(keyword))
  const asked = Object.entries(schema).filter(([keyword]) => !annotations.has(keyword))
  if (asked.length === 0) return schema
  return { ...Object.fromEntries(said), anyOf: [Object.fromEntries(asked), { type: 'null' }] }
}
