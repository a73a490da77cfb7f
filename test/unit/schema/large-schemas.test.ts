/** A large schema is compiled as several functions, each in a turn of its own, and finds what a small one of its kind finds. */
import { expect } from 'chai'
import { CompiledSchema } from '#component/schema/compiled.ts'
import { Validators } from '#component/schema/validators.ts'

/** The members `p0`, `p1` and so on. */
const members = (count: number, schemaOf: (index: number) => unknown) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, schemaOf(index)]))
const list = (count: number, schemaOf: (index: number) => unknown) =>
  Array.from({ length: count }, (_, index) => schemaOf(index))
const text = () => ({ type: 'string' })

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

describe('a large schema', () => {
  for (const [what, [schemaOf, ...values]] of Object.entries(rows)) {
    it(`finds what a small one finds: ${what}`, () => {
      const validators = new Validators()
      const found = (count: number, value: unknown) => {
        const schema = schemaOf(count)
        return validators.of(schema, { self: schema }).mistakesOf(value, '/body')
      }
      for (const value of values) {
        const [small, large] = [found(5, value), found(480, value)]
        expect(large, JSON.stringify(value)).to.deep.equal(small)
      }
      expect(values.some((value) => found(480, value) === undefined)).to.equal(true)
    })

    // what was evaluated in a part that does not fit is not known
    if (what === 'demands, and nothing unevaluated') continue
    it(`is compiled in a turn for each function: ${what}`, () => {
      const schema = schemaOf(480)
      const turns = [...new CompiledSchema(schema, { self: schema }).preparing('fits')].length
      expect(turns).to.be.above(10)
    })
  }
})
