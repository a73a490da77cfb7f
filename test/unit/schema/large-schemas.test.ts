/** A large schema is compiled as several functions, each in a turn of its own, and finds what a small one of its kind finds. */
import { expect } from 'chai'
import { CompiledSchema } from '#component/schema/compiled.ts'
import { preparing } from '#component/schema/prepare.ts'
import { Validators } from '#component/schema/validators.ts'
import { runAtOnce } from '#component/yielding.ts'

/** The members `p0`, `p1` and so on. */
const members = (count: number, schemaOf: (index: number) => unknown) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, schemaOf(index)]))
const list = (count: number, schemaOf: (index: number) => unknown) =>
  Array.from({ length: count }, (_, index) => schemaOf(index))
const text = () => ({ type: 'string' })
/** Some that ask for a member each, behind them such that no map fits. */
const alternatives = (count: number, others: object) =>
  list(count, (index) =>
    index < 4
      ? { required: [`p${index}`], properties: { [`p${index}`]: true, ...others } }
      : { const: 0 },
  )
const withManyKeywords = () => ({
  ...{ type: ['string', 'array', 'object'], minLength: 2, maxLength: 9, pattern: '^[a-z]*$' },
  ...{ minItems: 1, maxItems: 4, uniqueItems: true, required: ['a'], minProperties: 1 },
  ...{ maxProperties: 9, format: 'byte', multipleOf: 3, minimum: 0, maximum: 9 },
})

/** Each makes a schema of about so many members, and has values for it. */
const rows: Readonly<Record<string, readonly [(count: number) => object, ...unknown[]]>> = {
  members: [
    (count) => ({ type: 'object', required: ['p1'], properties: members(count, text) }),
    ...[{ p1: 'a' }, { p1: 1 }, { p0: 1, p1: 'a', p4: 2 }, { p0: 'a' }, 1, { other: 1, p1: 'a' }],
  ],
  'no other members': [
    (count) => ({ properties: members(count, text), additionalProperties: false }),
    ...[{ p1: 'a' }, { other: 1 }, { p1: 1 }],
  ],
  'no other members, beside patterns': [
    (count) => ({
      ...{ properties: members(count, text), patternProperties: { '^x': { type: 'null' } } },
      unevaluatedProperties: false,
    }),
    ...[{ p1: 'a', x: null }, { x: 1 }, { p3: 'a', other: 1 }, { p1: 1 }],
  ],
  'members of members': [
    (count) => ({ properties: members(3, () => ({ properties: members(count, text) })) }),
    ...[{ p1: { p2: 'a' } }, { p1: { p2: 1 } }, { p1: { p2: 1 }, p2: { p0: 2 } }],
  ],
  items: [
    (count) => ({ items: { required: ['p0'], properties: members(count, text) } }),
    ...[[{ p0: 'a' }], [{}], [{ p0: 'a' }, { p0: 'a', p2: 1 }]],
  ],
  'exactly one of some': [
    (count) => ({ oneOf: alternatives(count, { b: text() }) }),
    ...[{ p1: 1 }, {}, { p1: 1, b: 1 }, 'a'],
  ],
  'exactly one of some, the last one, too': [
    (count) => ({ oneOf: [...alternatives(count, {}), { required: ['last'] }] }),
    ...[{ last: 1 }, { p1: 1 }, {}],
  ],
  'exactly one of some, and nothing unevaluated': [
    (count) => ({ oneOf: alternatives(count, { b: text() }), unevaluatedProperties: false }),
    ...[{ p1: 'a' }, { p1: 'a', b: 1 }, { p1: 'a', other: 1 }],
  ],
  'exactly one of many that fit': [
    (count) => ({ anyOf: [{ type: 'null' }, { oneOf: list(count, () => true) }] }),
    ...[null, 1],
  ],
  'exactly one of some that hold such': [
    (count) => ({
      oneOf: [
        { oneOf: list(count, (index) => ({ const: index })) },
        { items: { oneOf: list(count / 2, (index) => ({ const: index })) }, type: 'array' },
      ],
    }),
    ...[1, [1], [1, 'a'], 'a', [[1]]],
  ],
  'places of a list': [
    (count) => ({ prefixItems: list(count, text), items: { type: 'null' } }),
    ...[['a', 'a'], ['a', 1], [1, 1, 1, 'a'], []],
  ],
  'places of a list, and nothing unevaluated': [
    (count) => ({ prefixItems: list(count, text), unevaluatedItems: false }),
    ...[
      ['a', 'a'],
      ['a', 1],
    ],
  ],
  patterns: [
    (count) => ({
      patternProperties: members(count, text),
      additionalProperties: false,
    }),
    ...[{ xp1: 'a' }, { p1: 1 }, { other: 1 }],
  ],
  'patterns, and nothing unevaluated': [
    (count) => ({ patternProperties: members(count, text), unevaluatedProperties: false }),
    ...[{ p1: 'a' }, { p1: 1 }, { other: 1 }],
  ],
  'demands of members': [
    (count) => ({ dependentSchemas: members(count, () => ({ required: ['other'] })) }),
    ...[{ p1: 'a', other: 1 }, { p1: 1, p3: 1 }, 1],
  ],
  'a bit of each': [
    (count) => ({
      properties: members(count / 5, text),
      prefixItems: list(count / 5, text),
      anyOf: list(count / 5, (index) => ({ not: { const: index } })),
      oneOf: list(count / 5, (index) => (index === 1 ? text() : { const: 0 })),
      if: { properties: members(count / 5, text) },
    }),
    ...['a', true, {}],
  ],
  'many keywords': [
    (count) => ({ properties: members(count, withManyKeywords) }),
    ...[{ p1: 'abcd', p3: ['a'] }, { p1: 'a' }, { p1: { a: 1 }, p2: [1, 1] }],
  ],
  'alternatives, and nothing unevaluated': [
    (count) => ({ anyOf: alternatives(count, { b: text() }), unevaluatedProperties: false }),
    ...[
      { p1: 'a', p3: 'a' },
      { p1: 'a', b: 1 },
      { p1: 'a', other: 1 },
    ],
  ],
  alternatives: [(count) => ({ anyOf: list(count, (index) => ({ const: index % 5 })) }), ...[0, 4]],
  demands: [
    (count) => ({ allOf: list(count, (index) => ({ not: { const: index % 5 } })) }),
    ...['a', 7],
  ],
  'demands, and nothing unevaluated': [
    (count) => ({
      allOf: list(count, (index) => ({ properties: { [`p${index}`]: text() } })),
      unevaluatedProperties: false,
    }),
    ...[{ p1: 'a' }, { p1: 1 }, { other: 1 }],
  ],
  'a schema that holds itself': [
    (count) => ({
      properties: members(count, () => ({ anyOf: [text(), { $ref: '#/schemas/self' }] })),
    }),
    ...[{ p1: { p2: 'a' } }, { p1: 'a' }],
  ],
}

/** Of which ajv and V8 make a function in a few milliseconds. */
const mostKeywords = 900

const demands = 'demands, and nothing unevaluated'

/** The maps, lists and members that a prepared schema has at all levels. */
const keywordsOf = (schema: unknown): number =>
  typeof schema === 'object' && schema !== null
    ? Object.values(schema).reduce((sum: number, part) => sum + keywordsOf(part), 1)
    : schema === true
      ? 0
      : 1

describe('a large schema', () => {
  for (const [what, [schemaOf, ...values]] of Object.entries(rows)) {
    it(`finds what a small one finds: ${what}`, () => {
      const validators = new Validators()
      const found = (count: number, value: unknown) => {
        const schema = schemaOf(count)
        return validators.of(schema, { self: schema }).mistakesOf(value, '/body')
      }
      for (const value of values) {
        const [small, large] = [found(10, value), found(480, value)]
        // what was evaluated in a function that does not fit is not known: only the first mistake is sure
        const all = large?.at(-1)?.message === 'more may follow' ? large.slice(0, -1) : large
        expect(all, JSON.stringify(value)).to.deep.equal(small?.slice(0, all?.length))
        expect(large === all || what === demands).to.equal(true)
      }
      expect(values.some((value) => found(480, value) === undefined)).to.equal(true)
    })

    for (const depth of ['fits', 'first', 'all'] as const) {
      it(`is compiled in short turns, to look for ${depth}: ${what}`, () => {
        const schema = schemaOf(480)
        const { root, referred } = runAtOnce(preparing(schema, { self: schema }, depth))
        const sizes = [root, ...referred.values()].map(keywordsOf)
        expect(Math.max(...sizes)).to.be.below(mostKeywords)
      })
    }
  }

  for (const value of [
    { p1: 1, p3: 1 },
    { p1: 1, last: 1 },
    { p3: 1, last: 1 },
  ]) {
    it(`tells one mistake where more than one of its schemas fit: ${JSON.stringify(value)}`, () => {
      const schema = { oneOf: [...alternatives(480, {}), { required: ['last'] }] }
      expect(new Validators().of(schema, {}).mistakesOf(value, '/body')).to.deep.equal([
        { path: '/body', message: 'must match exactly one schema in oneOf', keyword: 'oneOf' },
      ])
    })
  }

  it('is compiled in a turn for each function', () => {
    const schema = { oneOf: list(480, (index) => ({ const: index })) }
    const compiled = new CompiledSchema(schema, {})
    expect([...compiled.preparing('fits')].length).to.be.above(10)
  })

  it('compiles each of its patterns in a turn of its own', () => {
    const turns = (count: number) => {
      const schema = { properties: members(count, (index) => ({ pattern: `^${index}$` })) }
      return [...new CompiledSchema(schema, {}).preparing('fits')].length
    }
    expect(turns(20) - turns(10)).to.be.at.least(10)
  })
})
