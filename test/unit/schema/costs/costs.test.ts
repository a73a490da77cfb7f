/** What checks cost, in visits of keywords: whatever makes a check take longer makes it dearer, so that each ends within its budget. */
import { expect } from 'chai'
import { leftInAll } from '#component/schema/budget.ts'
import { CompiledSchema } from '#component/schema/compiled.ts'
import { type Findings, judging } from '#component/schema/judge.ts'
import type { NamedSchemas } from '#component/schema/references.ts'
import { runAtOnce } from '#component/yielding.ts'
import { isLong } from '#test/support/running/rounds.ts'
import { generatedChecks, many, mapOf } from './generated.ts'

/** The whole budget, as a check that costs nothing leaves it. */
const budget = (() => {
  new CompiledSchema({}, {}).fits(1)
  return leftInAll()
})()

/** Visits of one check; the whole budget where it costs more. */
function costOf(schema: unknown, named: NamedSchemas, value: unknown): number {
  const compiled = new CompiledSchema(schema, named)
  compiled.fits(value)
  return Math.min(budget, budget - leftInAll())
}

const isAllowed = (schema: unknown, named: NamedSchemas): boolean => {
  const findings: Findings = { issues: [], warnings: [] }
  runAtOnce(judging([{ schema, at: '/x' }], named, findings))
  return findings.issues.length === 0
}

/** Mistakes that one look at a value may leave. */
const mostKept = 12_000

/** Each how many-th of the generated schemas is looked at. */
const stride = isLong ? 1 : 41

type Check = readonly [schema: unknown, value: unknown, named?: NamedSchemas]

const short = (count: number) => many(count, () => 'ab')
const items = (schema: unknown) => ({ items: schema })
const kinds = (count: number) =>
  many(count, (kind) => ({ required: ['a'], properties: { a: { const: `k${kind}` } } }))

/** What a check may have more of, and what each further one costs at least, in visits: a visit takes one to three nanoseconds. */
const growing: readonly (readonly [
  title: string,
  count: number,
  least: number,
  of: (count: number) => Check,
])[] = [
  [
    'pattern for the names of members, for each of 100 empty maps',
    20,
    100 * 4,
    (count) => [
      items({ patternProperties: mapOf(count, () => ({}), '^k.*') }),
      many(100, () => ({})),
    ],
  ],
  [
    'pattern for the names of members, for each of 100 members',
    20,
    100 * 40,
    (count) => [{ patternProperties: mapOf(count, () => ({}), '^k.*') }, mapOf(100, () => 1)],
  ],
  [
    'member of a map, by any name',
    1_000,
    55,
    (count) => [{ additionalProperties: { type: 'integer' } }, mapOf(count, () => 1)],
  ],
  [
    'member of a map whose names are judged',
    1_000,
    55,
    (count) => [{ propertyNames: { minLength: 1 } }, mapOf(count, () => 1)],
  ],
  [
    'member of a map that nothing has evaluated',
    1_000,
    180,
    (count) => [{ unevaluatedProperties: { type: 'integer' } }, mapOf(count, () => 1)],
  ],
  [
    'member that asks for others, for each of 100 maps',
    100,
    100 * 4,
    (count) => [items({ dependentRequired: mapOf(count, () => ['a']) }), many(100, () => ({}))],
  ],
  [
    'alternative of 60 in one schema',
    60,
    50 * 20,
    (count) => [items({ not: { anyOf: kinds(count) } }), many(50, (a) => ({ a }))],
  ],
  [
    'alternative of 120 in one schema, which becomes several functions',
    120,
    50 * 20,
    (count) => [items({ not: { anyOf: kinds(count) } }), many(50, (a) => ({ a }))],
  ],
  [
    'text that is read as a regular expression',
    1_000,
    800,
    (count) => [items({ format: 'regex' }), short(count)],
  ],
  [
    'character of a text that is read as a regular expression',
    500,
    10,
    (count) => [items({ format: 'regex' }), ['a'.repeat(count)]],
  ],
  [
    'character of an international name of a host',
    50,
    20,
    (count) => [items({ format: 'hostname' }), [`xn--${'a'.repeat(count)}`]],
  ],
  ...['date-time', 'email', 'ipv6', 'uri', 'uuid', 'byte', 'json-pointer'].map(
    (format): (typeof growing)[number] => [
      `text of the format ${format}`,
      1_000,
      30,
      // the first one ends a list of which one would fit
      (count) => [{ contains: { not: { format }, minLength: 3 } }, short(count)],
    ],
  ),
  [
    'integer beyond 2^53 among values',
    1_000,
    20,
    (count) => [items({ not: { enum: [1] } }), many(count, (index) => 2n ** 62n + BigInt(index))],
  ],
  [
    'number that is compared as integers of any length',
    1_000,
    150,
    (count) => [{ contains: { multipleOf: 2n ** 62n } }, many(count, (index) => index + 0.5)],
  ],
  [
    'character that is counted',
    1_000,
    1,
    (count) => [{ minLength: count + 1 }, 'a'.repeat(count + 2)],
  ],
  [
    'value of lists that are different',
    1_000,
    100,
    (count) => [{ uniqueItems: true, maxItems: 10 }, [many(count, (index) => index)]],
  ],
  [
    'character of a text in lists that are different',
    1_000,
    3,
    (count) => [{ uniqueItems: true, maxItems: 10 }, [['a'.repeat(count)]]],
  ],
  [
    'value of a list that is equal to a constant',
    1_000,
    10,
    (count) => [{ const: many(count, (index) => index) }, many(count, (index) => index)],
  ],
  [
    'member of a map that is equal to a constant',
    1_000,
    10,
    (count) => [{ const: mapOf(count, () => 1) }, mapOf(count, () => 1)],
  ],
  [
    'item that is not contained, by the name of its schema',
    1_000,
    35,
    (count) => [{ contains: { $ref: '#/schemas/N' } }, short(count), { N: { type: 'integer' } }],
  ],
]

describe('the price of a check', () => {
  for (const [title, count, least, of] of growing) {
    it(`grows with each further ${title}`, () => {
      const [once, twice] = [count, 2 * count].map((number) => {
        const [schema, value, named = {}] = of(number)
        return costOf(schema, named, value)
      }) as [number, number]
      expect(twice).to.be.lessThan(budget)
      expect((twice - once) / count).to.be.at.least(least)
    })
  }

  for (const [title, schema] of [
    ['a constant', { const: many(100, (index) => index) }],
    ['a constant that is a map', { const: mapOf(100, () => 1) }],
    ['many constants', { enum: many(100, (index) => [index]) }],
    ['a list of different items may be', { uniqueItems: true, maxItems: 1_000 }],
  ] as const) {
    it(`does not grow with a value that is larger than ${title}`, () => {
      const [small, large] = [1_001, 100_000].map((size) =>
        costOf(
          schema,
          {},
          many(size, (index) => index),
        ),
      ) as [number, number]
      expect(large).to.equal(small)
    })
  }

  it('has mistakes in it, where each member of a map may be one in each alternative', () => {
    const N = { type: 'object', additionalProperties: false }
    const schema = { anyOf: many(200, () => ({ $ref: '#/schemas/N' })) }
    const compiled = new CompiledSchema(schema, { N })
    const value = mapOf(4_900, () => 1)
    expect(compiled.fits(value)).not.to.equal('too costly')
    expect(compiled.look('all', value, budget / 2)).to.equal('too costly')
  })
})

describe('a generated check', () => {
  it('ends within its budget and leaves few mistakes, whatever the schema and the value are', () => {
    let count = 0
    let last: unknown
    let compiled: CompiledSchema | undefined
    let schemas = 0
    for (const { title, schema, named, value } of generatedChecks(20_000)) {
      if (schema !== last) {
        last = schema
        schemas += 1
        const isLookedAt = schemas % stride === 0 && isAllowed(schema, named)
        compiled = isLookedAt ? new CompiledSchema(schema, named) : undefined
      }
      if (compiled === undefined) continue
      count += 1
      for (const look of ['fits', 'first'] as const) {
        const verdict = compiled.look(look, value)
        expect(verdict.length, `${look}: ${title}`).to.be.at.most(mostKept)
      }
    }
    expect(count).to.be.greaterThan(500)
  })
})
