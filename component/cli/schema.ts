/** `schema`: the JSON Schemas of documents, for editors, from the rules that validate them; and of explanations. */
import { configSchema } from '#component/config/config-schema.ts'
import { explanationSchema } from '#component/explain/explanation/explanation-schema.ts'
import { realmSchema } from '#component/realm/documents/realm-rules.ts'
import type { JsonSchema } from '#component/spec/rules.ts'
import { specSchema } from '#component/spec/validate.ts'
import { isMap } from '#component/syntax/values.ts'
import { CommandError, exitCode, type Run } from './command.ts'
import { pretty } from './format.ts'

const dialect = 'https://json-schema.org/draft/2020-12/schema'

/** The options as a file has them: it may name its schema, and leave out what has a default. */
function asWritten(schema: JsonSchema): JsonSchema {
  const { properties } = schema
  if (!isMap(properties)) return schema
  const required = Array.isArray(schema.required) ? schema.required : []
  return {
    ...schema,
    properties: Object.fromEntries(
      Object.entries(properties).map(([key, member]) => [key, asWritten(member as JsonSchema)]),
    ),
    required: required.filter((key) => !('default' in (properties[key] as JsonSchema))),
  }
}

const configuration = asWritten(configSchema)
const configurationFile = {
  ...configuration,
  properties: { $schema: { type: 'string' }, ...(configuration.properties as object) },
}

/** By the names that the command takes. */
const schemas: Readonly<Record<string, readonly [title: string, schema: JsonSchema]>> = {
  'api-spec': ['API Specification of wamp-gateway', specSchema],
  realm: ['Realm document of wamp-gateway', realmSchema],
  config: ['Configuration of wamp-gateway', configurationFile],
  explanation: ['Explanation of a request by wamp-gateway', explanationSchema],
}

/** `schema`: the schema itself. */
export const schema: Run = (invocation) => {
  const [name = 'api-spec'] = invocation.positionals
  const found = Object.hasOwn(schemas, name) ? schemas[name] : undefined
  if (!found) {
    const names = Object.keys(schemas).join(', ')
    throw new CommandError(exitCode.usage, `expected one of ${names}; found "${name}"`)
  }
  const [title, rules] = found
  const value = { $schema: dialect, title, ...withDefinitions(rules) }
  return Promise.resolve({ value, text: `${pretty(value)}\n` })
}

/**
 * A schema in which each map that stands several times is a definition: rules are shared objects, and written out in each place
 * an operation alone would stand seven times.
 */
export function withDefinitions(schema: JsonSchema): JsonSchema {
  const counts = new Map<unknown, number>()
  count(schema, counts)
  const names = new Map<unknown, string>()
  const definitions: Record<string, unknown> = {}

  const nameOf = (value: unknown, key: string): string => {
    const known = names.get(value)
    if (known !== undefined) return known
    let name = key
    for (let number = 2; Object.hasOwn(definitions, name); number++) name = `${key}_${number}`
    names.set(value, name)
    definitions[name] = null
    definitions[name] = members(value, key)
    return name
  }
  const write = (value: unknown, key: string): unknown => {
    const isShared = (counts.get(value) ?? 0) > 1 && isMap(value) && Object.keys(value).length > 0
    if (!isShared || isShort(value)) return members(value, key)
    const name = typeof value.title === 'string' ? value.title.toLowerCase() : key
    return { $ref: `#/$defs/${nameOf(value, name)}` }
  }
  /** @param key of the nearest property: a good name */
  const members = (value: unknown, key: string): unknown => {
    if (Array.isArray(value)) return value.map((item) => write(item, key))
    if (!isMap(value)) return value
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [
        name,
        // a map of names to schemas is no schema
        mapsOfSchemas.has(name) ? members(member, key) : write(member, nameable(name, key)),
      ]),
    )
  }
  const written = members(schema, 'document') as JsonSchema
  return { ...written, $defs: definitions }
}

/** `{"type": "string"}` and the like. */
const isShort = (schema: JsonSchema): boolean =>
  Object.keys(schema).length === 1 && typeof Object.values(schema)[0] !== 'object'

function count(value: unknown, counts: Map<unknown, number>): void {
  if (typeof value !== 'object' || value === null) return
  const times = (counts.get(value) ?? 0) + 1
  counts.set(value, times)
  if (times === 1) for (const member of Object.values(value)) count(member, counts)
}

const mapsOfSchemas = new Set(['properties', 'patternProperties'])

const keywords = new Set([
  ...['properties', 'additionalProperties', 'patternProperties', 'items', 'anyOf', 'allOf'],
  ...['if', 'then', 'required', 'enum'],
])

const nameable = (name: string, key: string): string => (keywords.has(name) ? key : name)
