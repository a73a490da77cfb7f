/** The keywords of JSON Schema (draft 2020-12): what each takes as its value, and which schemas lie in it. */
import { isMap } from '#component/syntax/values.ts'

/** One keyword. */
export interface Keyword {
  /** What the value has to be, in words; undefined when any value will do. */
  readonly allowed?: string
  readonly fits?: (value: unknown) => boolean
  /** The value is a schema, or holds schemas: in a list, or in a map by a name that is no keyword. */
  readonly holds?: 'schema' | 'list' | 'map'
  /** Whether its schemas judge the same value as the schema around it, not a part of that value. */
  readonly isInPlace?: boolean
  /** Whether it only documents: no check looks at it. */
  readonly isAnnotation?: boolean
}

/** The names of types; `integer` is a number without a fraction. */
export const typeNames = ['string', 'integer', 'number', 'boolean', 'array', 'object', 'null']

const isNumber = (value: unknown): boolean =>
  typeof value === 'bigint' || (typeof value === 'number' && Number.isFinite(value))
const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0
const isText = (value: unknown): boolean => typeof value === 'string'
const isFlag = (value: unknown): boolean => typeof value === 'boolean'

const isListOf = (value: unknown, isMember: (member: unknown) => boolean): boolean =>
  Array.isArray(value) && value.every(isMember) && new Set(value).size === value.length

const isType = (value: unknown): boolean => typeNames.includes(value as string)
const areNames = (value: unknown): boolean => isListOf(value, isText)

const row = (allowed: string, fits: (value: unknown) => boolean): Keyword => ({ allowed, fits })
const number = row('a number', isNumber)
const count = row('an integer of at least 0', isCount)
const names = row('a list of different names', areNames)

const isSchema = (value: unknown): boolean => isMap(value) || typeof value === 'boolean'
const isSchemaList = (value: unknown): boolean => Array.isArray(value) && value.length > 0

/** A schema of a part of the value. */
const part: Keyword = { allowed: 'a schema: a map, true or false', fits: isSchema, holds: 'schema' }
const parts: Keyword = {
  allowed: 'a list of at least one schema',
  fits: isSchemaList,
  holds: 'list',
}
const partsByName: Keyword = { allowed: 'a map of names to schemas', fits: isMap, holds: 'map' }

/** A schema of the value itself. */
const same: Keyword = { ...part, isInPlace: true }
const sames: Keyword = { ...parts, isInPlace: true }

const noteOf = (keyword: Keyword): Keyword => ({ ...keyword, isAnnotation: true })
const textNote = noteOf(row('a text', isText))
const flagNote = noteOf(row('true or false', isFlag))

/** Items of a list whose items are compared with each other: `maxItems` beside `uniqueItems` is no more. */
export const mostUniqueItems = 1_000

/** Every keyword by its name. */
export const keywords: ReadonlyMap<string, Keyword> = new Map<string, Keyword>([
  ['$ref', row('a text', isText)],
  ['type', row(`one of ${typeNames.join(', ')}, or a list of them`, fitsType)],
  [
    'enum',
    row('a list of at least one value', (value) => Array.isArray(value) && value[0] !== undefined),
  ],
  ['const', {}],
  ['multipleOf', row('a number above 0', (value) => isNumber(value) && Number(value) > 0)],
  ['maximum', number],
  ['exclusiveMaximum', number],
  ['minimum', number],
  ['exclusiveMinimum', number],
  ['maxLength', count],
  ['minLength', count],
  ['pattern', row('a regular expression as text', isText)],
  ['format', row('a text', isText)],
  ['maxItems', count],
  ['minItems', count],
  ['uniqueItems', row('true or false', isFlag)],
  ['maxContains', count],
  ['minContains', count],
  ['maxProperties', count],
  ['minProperties', count],
  ['required', names],
  [
    'dependentRequired',
    row(
      'a map of names to lists of different names',
      (value) => isMap(value) && Object.values(value).every(areNames),
    ),
  ],
  ['allOf', sames],
  ['anyOf', sames],
  ['oneOf', sames],
  ['not', same],
  ['if', same],
  ['then', same],
  ['else', same],
  ['dependentSchemas', { ...partsByName, isInPlace: true }],
  ['prefixItems', parts],
  ['items', part],
  ['contains', part],
  ['properties', partsByName],
  ['patternProperties', partsByName],
  ['additionalProperties', part],
  ['propertyNames', part],
  ['unevaluatedItems', part],
  ['unevaluatedProperties', part],
  ['$defs', noteOf(partsByName)],
  ['$schema', textNote],
  ['$comment', textNote],
  ['title', textNote],
  ['description', textNote],
  ['default', { isAnnotation: true }],
  ['examples', noteOf(row('a list', Array.isArray))],
  ['deprecated', flagNote],
  ['readOnly', flagNote],
  ['writeOnly', flagNote],
  ['contentEncoding', textNote],
  ['contentMediaType', textNote],
  ['contentSchema', noteOf(part)],
])

function fitsType(value: unknown): boolean {
  return isType(value) || (isListOf(value, isType) && (value as unknown[]).length > 0)
}
/** One schema within another, and where. */
export interface Part {
  readonly keyword: string
  /** The index of a list or the name of a map; undefined when the value of the keyword is the schema. */
  readonly key: number | string | undefined
  readonly schema: unknown
}

/** The schemas directly within a schema, also those of annotations; values of the wrong shape hold none. */
export function partsOf(schema: unknown): Part[] {
  const found: Part[] = []
  if (!isMap(schema)) return found
  for (const keyword of Object.keys(schema)) {
    const holds = keywords.get(keyword)?.holds
    if (holds === undefined) continue
    const value = schema[keyword]
    if (holds === 'schema') found.push({ keyword, key: undefined, schema: value })
    else if (holds === 'list' && Array.isArray(value)) {
      for (const [key, item] of value.entries()) found.push({ keyword, key, schema: item })
    } else if (holds === 'map' && isMap(value)) {
      for (const key of Object.keys(value)) found.push({ keyword, key, schema: value[key] })
    }
  }
  return found
}
