/** Schemas and values whose checks take long, made of all keywords, of what stands around them, and of values of every shape. */
import { formats } from '#component/schema/formats.ts'
import type { NamedSchemas } from '#component/schema/references.ts'

type Schema = Readonly<Record<string, unknown>>

/** One check. */
export interface GeneratedCheck {
  readonly title: string
  readonly schema: unknown
  readonly named: NamedSchemas
  readonly value: unknown
}

export const many = <T>(count: number, each: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => each(index))
export const mapOf = (count: number, each: (index: number) => unknown, prefix = 'key') =>
  Object.fromEntries(many(count, (index) => [`${prefix}${index}`, each(index)]))
const to = (name: string): Schema => ({ $ref: `#/schemas/${name}` })
const nested = (depth: number, leaf: unknown, around: (value: unknown) => unknown): unknown =>
  many(depth, () => around).reduce((value, each) => each(value), leaf)

/** Schemas whose own work may take long; the keyword that is meant comes first. Each fits few values, and takes as long as it may to find that. */
const leaves: Readonly<Record<string, readonly Schema[]>> = {
  type: [{ type: 'string' }, { type: ['integer', 'null', 'boolean'] }, { type: 'number' }],
  enum: [
    { enum: many(400, (index) => `none ${index}`) },
    { enum: many(400, (a) => ({ a, b: -1 })) },
    { enum: [2 ** 60, 2n ** 61n, ...many(400, (index) => index + 0.5)] },
  ],
  const: [{ const: 'none' }, { const: many(1_000, (index) => index) }, { const: 2n ** 61n }],
  multipleOf: [0.001, 7, 1e-9, 1e-300, 2n ** 62n].map((multipleOf) => ({ multipleOf })),
  maximum: [{ maximum: -1 }, { maximum: -(2n ** 61n) }],
  exclusiveMaximum: [{ exclusiveMaximum: -1 }],
  minimum: [{ minimum: 1e300 }],
  exclusiveMinimum: [{ exclusiveMinimum: 1e300 }],
  maxLength: [{ maxLength: 1 }, { maxLength: 20 }, { maxLength: 900_000 }],
  minLength: [{ minLength: 1e7 }, { minLength: 6 }, { minLength: 1_100_000 }],
  pattern: [
    '^[0-9]$',
    '^(a+)+$',
    '(a|aa|aaa)*b',
    '(.*a){12}b',
    '^[\\p{L}]{1,100}x$',
    'a.{200}x',
    '(x+x+)+y',
    '[^b]{50}b',
  ].map((pattern) => ({ pattern })),
  format: [...formats.keys()].map((format) => ({ format })),
  maxItems: [{ maxItems: 1 }],
  minItems: [{ minItems: 1e6 }],
  uniqueItems: [{ uniqueItems: true, maxItems: 1_000 }],
  maxContains: [
    { contains: { type: 'integer' }, maxContains: 190_000 },
    { contains: { type: 'string', minLength: 9 }, minContains: 190_000 },
  ],
  maxProperties: [{ maxProperties: 1 }],
  minProperties: [{ minProperties: 1e6 }],
  required: [
    { required: ['none'] },
    { required: many(9, (index) => `none${index}`) },
    { required: many(1_000, (index) => `none${index}`) },
  ],
  dependentRequired: [
    { dependentRequired: mapOf(300, () => many(100, (index) => `none${index}`)) },
    { dependentRequired: mapOf(300, () => ['none'], 'a') },
  ],
  dependentSchemas: [{ dependentSchemas: mapOf(300, () => ({ required: ['none'] })) }],
  properties: [
    { properties: mapOf(400, () => ({ type: 'null' })) },
    { properties: { a: { type: 'null' }, b: { type: 'null' }, c: { type: 'null' } } },
  ],
  patternProperties: [
    { patternProperties: mapOf(60, () => ({ type: 'null' }), '^k.*') },
    { patternProperties: { '^.': { type: 'null' } } },
  ],
  propertyNames: [
    { propertyNames: { maxLength: 1 } },
    { propertyNames: { anyOf: [{ const: 'a' }, { enum: ['b', 'c'] }, { pattern: '^[0-9]$' }] } },
  ],
  additionalProperties: [
    { additionalProperties: false },
    { properties: mapOf(400, () => ({}), 'p'), additionalProperties: false },
    { patternProperties: mapOf(40, () => ({}), '^p.*'), additionalProperties: { type: 'null' } },
  ],
  unevaluatedProperties: [
    { unevaluatedProperties: false },
    {
      anyOf: many(60, (index) => ({ properties: { [`p${index}`]: {} } })),
      unevaluatedProperties: false,
    },
    { allOf: [{ patternProperties: { '^k': {} } }], unevaluatedProperties: { type: 'null' } },
  ],
  prefixItems: [{ prefixItems: many(400, () => ({ type: 'null' })) }],
  items: [{ items: { type: 'null' } }, { prefixItems: [{}], items: false }],
  contains: [{ contains: { type: 'null' } }, { contains: { required: ['none'] } }],
  unevaluatedItems: [
    { unevaluatedItems: false },
    { prefixItems: [{}], unevaluatedItems: { type: 'null' } },
    { anyOf: [{ prefixItems: many(50, () => ({})) }, {}], unevaluatedItems: { type: 'null' } },
    { contains: { type: 'string' }, unevaluatedItems: { type: 'null' } },
  ],
  anyOf: [{ anyOf: many(120, (index) => ({ type: 'object', required: [`x${index}`] })) }],
  oneOf: [
    { oneOf: many(120, (index) => ({ type: 'object', required: [`x${index}`] })) },
    { oneOf: many(40, (kind) => ({ required: ['a'], properties: { a: { const: `k${kind}` } } })) },
  ],
  allOf: [{ allOf: many(120, () => ({ type: 'null' })) }],
  not: [{ not: {} }, { not: { not: { required: ['none'] } } }],
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  if: [{ if: { required: ['a'] }, then: { required: ['x'] }, else: { type: 'null' } }],
}

/** What may stand around a schema, so that it is asked again and again. */
const around: Readonly<Record<string, (schema: Schema) => readonly [unknown, NamedSchemas]>> = {
  alone: (schema) => [schema, {}],
  'each item': (items) => [{ items }, {}],
  'each member': (additionalProperties) => [{ additionalProperties }, {}],
  'each item of each item': (items) => [{ items: { items } }, {}],
  'each member of each item': (additionalProperties) => [{ items: { additionalProperties } }, {}],
  'in each item': (contains) => [{ contains }, {}],
  'in each item, by name': (N) => [{ contains: to('N') }, { N }],
  'eight alternatives of each item': (schema) => [{ items: { anyOf: many(8, () => schema) } }, {}],
  'one of eight of each item': (schema) => [{ items: { oneOf: many(8, () => schema) } }, {}],
  'forbidden in each item': (not) => [{ items: { not } }, {}],
  'a condition of each item': (schema) => [{ items: { if: schema, else: schema } }, {}],
  'each item, by name': (N) => [{ items: to('N') }, { N }],
  'each item, by 60 names': (schema) => [
    { items: to('N0') },
    { ...mapOf(60, (index) => to(`N${index + 1}`), 'N'), N60: schema },
  ],
  'any level of lists, in two ways': (schema) => [
    to('N'),
    {
      N: {
        anyOf: [
          { type: 'array', items: to('N') },
          { type: 'array', items: to('M') },
          { type: 'object', additionalProperties: to('N') },
          schema,
        ],
      },
      M: {
        anyOf: [
          { type: 'array', items: to('M') },
          { type: 'array', items: to('N') },
          { type: 'object', additionalProperties: to('M') },
          schema,
        ],
      },
    },
  ],
  'any level, evaluated': (schema) => [
    to('N'),
    {
      N: {
        anyOf: [
          { prefixItems: [to('N')] },
          { items: to('N') },
          { properties: { a: to('N') } },
          schema,
        ],
        unevaluatedItems: false,
        unevaluatedProperties: false,
      },
    },
  ],
}

/** Values of every shape. @param size how many values one has at most; texts have more characters */
const valuesOf = (size: number): Readonly<Record<string, () => unknown>> => {
  const keys = Math.min(size, 9_900)
  return {
    'a list of integers': () => many(size, (index) => index),
    'a list of fractions': () => many(size, (index) => index + 0.0001),
    'a list of tiny fractions': () => many(size, (index) => (index + 1) * 1.1e-300),
    'a list of great integers': () => many(size, (index) => 2n ** 62n + BigInt(index)),
    'a list of short texts': () => many(size, () => 'ab'),
    'a list of texts': () => many(size >> 1, (index) => `user${index}@example.com`),
    'a list of times': () => many(size >> 1, () => '2024-02-30T00:00:00Z'),
    'a list of addresses': () => many(size >> 1, (index) => `http://example.com/a?b=%20${index}`),
    'a list of names of hosts': () => many(size >> 3, () => `${'xn--a.'.repeat(30)}ü`),
    'a list of emoji': () => many(size >> 3, () => '😀'.repeat(15)),
    'a list of longer texts': () => many(size >> 7, () => `${'a'.repeat(900)}!`),
    'a list of long texts': () => many(size >> 11, () => `${'a'.repeat(20_000)}!`),
    'a long text': () => 'a'.repeat(size * 20),
    'a long text of emoji': () => '😀'.repeat(size * 5),
    'a list of empty maps': () => many(size, () => ({})),
    'a list of small maps': () => many(size >> 1, (a) => ({ a })),
    'a list of maps': () => many(size >> 3, (a) => ({ a, b: { a }, c: [a, a], d: 'text' })),
    'a list of wide maps': () => many(size >> 10, () => mapOf(900, (index) => index)),
    'a list of empty lists': () => many(size, () => []),
    'a list of lists': () => many(size >> 3, (index) => [index, index, index, index, index, 'a']),
    'a list of long lists': () => many(size >> 10, (row) => many(1_000, (index) => index + row)),
    'a list of deep lists': () => many(size >> 5, (index) => nested(30, index, (value) => [value])),
    'deep lists': () => nested(60, true, (value) => [value]),
    'deep maps': () => nested(60, true, (a) => ({ a })),
    'deep lists, at the end of a list': () => [
      ...many(size - 100, () => 1),
      nested(50, true, (value) => [value]),
    ],
    'a wide map': () => mapOf(keys, (index) => index),
    'a wide map of texts': () => mapOf(keys, () => 'text of some length'),
    'a wide map of lists': () => mapOf(keys, () => many(Math.ceil(size / keys) - 1, () => 1)),
  }
}

/** Every schema in everything around it, for every value. */
export function* generatedChecks(size: number): Iterable<GeneratedCheck> {
  const values = Object.entries(valuesOf(size)).map(([shape, make]) => [shape, make()] as const)
  for (const [keyword, schemas] of Object.entries(leaves)) {
    for (const [index, leaf] of schemas.entries()) {
      for (const [place, put] of Object.entries(around)) {
        const [schema, named] = put(leaf)
        for (const [shape, value] of values) {
          const title = `${keyword} ${index}, ${place}: ${shape}`
          yield { title, schema, named, value }
        }
      }
    }
  }
}
