/** Random JSON Schemas, patterns and values: most are plain, and some are as dear as the limits allow. */

/** At least 0, less than 1. */
type Random = () => number

/** Picks one of some values. */
function pick<T>(random: Random, values: readonly T[]): T {
  return values[Math.floor(random() * values.length)] as T
}

const upTo = (random: Random, most: number): number => Math.floor(random() * (most + 1))

const listOf = <T>(length: number, make: (index: number) => T): T[] =>
  Array.from({ length }, (_, index) => make(index))

const names = ['a', 'b', 'c', 'id', 'constructor', 'a/b', '']

/** The names of the schemas of a document. */
const schemaNames = ['A', 'B', 'C', 'D', 'E']

const numbers: readonly (number | bigint)[] = [
  0,
  1,
  2,
  3,
  5,
  10,
  100,
  -1,
  0.5,
  0.1,
  19.99,
  1e-7,
  1e300,
  2 ** 53,
  2n ** 53n + 1n,
  2n ** 64n - 1n,
  -(2n ** 63n),
]
const texts = [
  '',
  'a',
  'ab',
  'abc',
  'aaaa',
  'A-1',
  '2026-11-23',
  'a@b.c',
  '😀',
  '\n',
  '1',
  ' ',
  '::1',
  'https://a.b/c?d',
]
const formats = [
  'date',
  'date-time',
  'email',
  'uuid',
  'uri',
  'uri-reference',
  'ipv4',
  'ipv6',
  'hostname',
  'regex',
  'duration',
  'json-pointer',
  'byte',
  'int32',
  'int64',
  'binary',
  'unknown',
]
const typeNames = ['string', 'integer', 'number', 'boolean', 'array', 'object', 'null']

const atoms = [
  'a',
  'b',
  '.',
  '\\d',
  '\\w',
  '\\s',
  '[a-c]',
  '[^a]',
  '\\p{L}',
  '[ab]',
  '😀',
  '-',
  '\\.',
  '[\\w-]',
  '\\S',
]

/** A random pattern of ECMA-262. */
export function randomPattern(random: Random, depth = 3): string {
  const kind = random()
  if (depth === 0 || kind < 0.3) return pick(random, atoms)
  if (kind < 0.6)
    return listOf(1 + upTo(random, 3), () => randomPattern(random, depth - 1)).join('')
  if (kind < 0.7)
    return `(?:${randomPattern(random, depth - 1)}|${randomPattern(random, depth - 1)})`
  if (kind < 0.75) return `^${randomPattern(random, depth - 1)}$`
  const part = `(${randomPattern(random, depth - 1)})`
  const least = upTo(random, 30)
  const counts = [
    '*',
    '+',
    '?',
    `{${least}}`,
    `{${least},}`,
    `{${least},${least + upTo(random, 200)}}`,
  ]
  return part + pick(random, counts)
}

/** A random schema. @param depth levels of schemas within it, at most */
export function randomSchema(random: Random, depth = 3): unknown {
  const kind = random()
  if (kind < 0.05) return random() < 0.7
  if (kind < 0.25) return { $ref: randomReference(random) }
  const schema: Record<string, unknown> = {}
  const part = () =>
    depth === 0 ? pick(random, [true, {}, { type: 'string' }]) : randomSchema(random, depth - 1)
  const rows = [...leaves, ...holders]
  for (let left = 1 + upTo(random, 3); left > 0; left--) {
    const [keyword, make] = pick(random, depth === 0 ? leaves : rows)
    schema[keyword] = random() < 0.01 ? pick(random, [null, -1, 'x', [], {}]) : make(random, part)
  }
  if (schema.uniqueItems === true) schema.maxItems = upTo(random, 1_000)
  return schema
}

function randomReference(random: Random): string {
  const name = `#/schemas/${pick(random, schemaNames)}`
  return random() < 0.9
    ? name
    : name + pick(random, ['/items', '/properties/a', '/allOf/0', '/$defs/x'])
}

type Row = readonly [keyword: string, value: (random: Random, part: () => unknown) => unknown]

const count: Row[1] = (random) => upTo(random, 5)
const number: Row[1] = (random) => pick(random, numbers)

const leaves: readonly Row[] = [
  [
    'type',
    (random) =>
      random() < 0.7
        ? pick(random, typeNames)
        : [...new Set([pick(random, typeNames), pick(random, typeNames)])],
  ],
  [
    'enum',
    (random) => listOf(1 + upTo(random, random() < 0.05 ? 500 : 5), () => randomValue(random, 2)),
  ],
  ['const', (random) => randomValue(random, 2)],
  [
    'multipleOf',
    (random) =>
      pick(
        random,
        numbers.filter((value) => value > 0),
      ),
  ],
  ['minimum', number],
  ['maximum', number],
  ['exclusiveMinimum', number],
  ['exclusiveMaximum', number],
  ['minLength', count],
  ['maxLength', (random) => upTo(random, 500)],
  ['pattern', (random) => randomPattern(random)],
  ['format', (random) => pick(random, formats)],
  ['minItems', count],
  ['maxItems', count],
  ['uniqueItems', () => true],
  ['minProperties', count],
  ['maxProperties', count],
  ['required', (random) => [...new Set(listOf(upTo(random, 3), () => pick(random, names)))]],
  ['dependentRequired', (random) => ({ [pick(random, names)]: [pick(random, names)] })],
  ['title', () => 'a title'],
]

const some = (random: Random, part: () => unknown): unknown[] =>
  listOf(1 + upTo(random, random() < 0.03 ? 60 : 2), () => part())

const byName = (random: Random, part: () => unknown, keys: () => string): unknown =>
  Object.fromEntries(listOf(1 + upTo(random, random() < 0.03 ? 60 : 2), () => [keys(), part()]))

const one: Row[1] = (_random, part) => part()

const holders: readonly Row[] = [
  ['allOf', some],
  ['anyOf', some],
  ['oneOf', some],
  ['not', one],
  ['if', one],
  ['then', one],
  ['else', one],
  ['dependentSchemas', (random, part) => byName(random, part, () => pick(random, names))],
  ['prefixItems', some],
  ['items', one],
  ['items', one],
  ['contains', one],
  ['minContains', count],
  ['maxContains', count],
  [
    'properties',
    (random, part) =>
      byName(random, part, () => pick(random, names) + (random() < 0.2 ? upTo(random, 50) : '')),
  ],
  ['properties', (random, part) => byName(random, part, () => pick(random, names))],
  ['patternProperties', (random, part) => byName(random, part, () => randomPattern(random, 2))],
  ['additionalProperties', one],
  ['propertyNames', one],
  ['unevaluatedItems', one],
  ['unevaluatedProperties', one],
  ['$defs', (_random, part) => ({ x: part() })],
]

/** The schemas of a random document. */
export const randomNamed = (random: Random): Record<string, unknown> =>
  Object.fromEntries(schemaNames.map((name) => [name, randomSchema(random, 2)]))

/** A random value. @param depth levels of lists and maps, at most */
export function randomValue(random: Random, depth = 4): unknown {
  const kind = random()
  if (depth === 0 || kind < 0.2) return randomText(random)
  if (kind < 0.35) return pick(random, numbers)
  if (kind < 0.42) return pick(random, [null, true, false])
  if (kind < 0.72) return listOf(upTo(random, 4), () => randomValue(random, depth - 1))
  return Object.fromEntries(
    listOf(upTo(random, 4), () => [pick(random, names), randomValue(random, depth - 1)]),
  )
}

function randomText(random: Random): string {
  const kind = random()
  if (kind < 0.8) return pick(random, texts)
  const characters = pick(random, ['a', 'ab', 'abc-. 1', 'aé😀\n', '01'])
  return listOf(upTo(random, kind < 0.995 ? 30 : 3_000), () => pick(random, [...characters])).join(
    '',
  )
}

/** A value that is long, or deep: many checks of one schema. */
export function largeValue(random: Random): unknown {
  const kind = random()
  if (kind < 0.3) return listOf(300, () => randomValue(random, 1))
  if (kind < 0.5)
    return Object.fromEntries(
      listOf(300, (index) => [`${pick(random, names)}${index}`, randomValue(random, 1)]),
    )
  let value = randomValue(random, 1)
  const wrap: (inner: unknown) => unknown =
    kind < 0.7 ? (inner) => [inner] : (inner) => ({ a: inner, [pick(random, names)]: inner })
  for (let level = 0; level < (kind < 0.7 ? 60 : 10); level++) value = wrap(value)
  return value
}
