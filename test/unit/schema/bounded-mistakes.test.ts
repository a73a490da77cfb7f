/** Schemas whose failed branches make many mistakes: each check keeps few of them, and says that the value does not fit. */
import { expect } from 'chai'
import { leftInAll } from '#component/schema/budget.ts'
import { CompiledSchema } from '#component/schema/compiled.ts'
import { type Findings, judging } from '#component/schema/judge.ts'
import { Validators } from '#component/schema/validators.ts'
import { runAtOnce } from '#component/yielding.ts'

type Schema = Readonly<Record<string, unknown>>

const to = (name: string): Schema => ({ $ref: `#/schemas/${name}` })
const list = (items: unknown): Schema => ({ type: 'array', items })
const many = (count: number, each: (index: number) => unknown): unknown[] =>
  Array.from({ length: count }, (_, index) => each(index))

/** A leaf in so many lists, or in so many maps of one member. */
function nested(depth: number, leaf: unknown, around = (value: unknown): unknown => [value]) {
  let value = leaf
  for (let level = 0; level < depth; level++) value = around(value)
  return value
}
const inMap = (a: unknown): unknown => ({ a })

const twoLists = (kind: 'anyOf' | 'oneOf') => ({
  N: { [kind]: [list(to('N')), list(to('M')), { type: 'integer' }] },
  M: { [kind]: [list(to('M')), list(to('N')), { type: 'string' }] },
})
const wide = { N: { anyOf: many(120, (index) => ({ type: 'object', required: [`x${index}`] })) } }
const object = { type: 'object' }

const cases: readonly (readonly [
  title: string,
  schema: Schema,
  named: Readonly<Record<string, unknown>>,
  value: unknown,
])[] = [
  ...[10, 12, 15, 20, 30, 60].map(
    (depth) =>
      [
        `lists of either kind, ${depth} deep`,
        to('N'),
        twoLists('anyOf'),
        nested(depth, true),
      ] as const,
  ),
  ['exactly one of two kinds of lists', to('N'), twoLists('oneOf'), nested(30, true)],
  [
    'the same list three times',
    to('N'),
    { N: { anyOf: [list(to('N')), list(to('N')), list(to('N')), { type: 'integer' }] } },
    nested(30, true),
  ],
  [
    'maps of either kind',
    to('N'),
    {
      N: { anyOf: [{ ...object, properties: { a: to('M') } }, { type: 'integer' }, to('M')] },
      M: {
        oneOf: [
          { ...object, properties: { a: to('N') } },
          { ...object, properties: { a: to('N') } },
        ],
      },
    },
    nested(30, true, inMap),
  ],
  [
    'members by patterns of their names',
    to('N'),
    {
      N: {
        anyOf: [
          { ...object, patternProperties: { '^a': to('N') } },
          { ...object, patternProperties: { '^a+': to('N') } },
          { type: 'integer' },
        ],
      },
    },
    nested(30, true, inMap),
  ],
  [
    'schemas that depend on a member',
    to('N'),
    {
      N: {
        type: 'object',
        dependentSchemas: { a: { anyOf: [{ properties: { a: to('N') } }, { required: ['z'] }] } },
      },
    },
    nested(40, true, inMap),
  ],
  [
    'lists that contain lists',
    to('N'),
    {
      N: {
        anyOf: [
          { type: 'array', contains: to('N') },
          { type: 'array', contains: to('N'), minContains: 2 },
          { type: 'integer' },
        ],
      },
    },
    nested(30, true),
  ],
  [
    '120 alternatives for each of 150,000 items, none of which is contained',
    { type: 'array', contains: to('N') },
    wide,
    many(150_000, (index) => index),
  ],
  [
    'four alternatives for each of 20,000 items, none of which is contained',
    { type: 'array', contains: { anyOf: many(4, (index) => ({ required: [`x${index}`] })) } },
    {},
    many(20_000, (a) => ({ a })),
  ],
  [
    'four kinds for each of 20,000 items, of which two are to be contained',
    {
      type: 'array',
      minContains: 2,
      maxContains: 9,
      contains: { oneOf: many(4, (index) => ({ required: [`x${index}`] })) },
    },
    {},
    many(20_000, (a) => ({ a })),
  ],
  ['120 alternatives for each of 4,900 items', list(to('N')), wide, many(4_900, (a) => ({ a }))],
  [
    'four rules for the name of each of 4,900 members',
    {
      type: 'object',
      propertyNames: { anyOf: [{ const: 'a' }, { enum: ['b', 'c'] }, { maxLength: 1 }, to('E')] },
    },
    { E: { pattern: '^[0-9]$' } },
    Object.fromEntries(many(4_900, (index) => index).map((index) => [`key${index}`, 1])),
  ],
  [
    'twenty lists for each of 60 lists of 80 items',
    list({ anyOf: many(20, () => list({ type: 'string', minLength: 9 })) }),
    {},
    many(60, () => many(80, (index) => index)),
  ],
]

/** The length of the longest list to which something is added meanwhile: the code of ajv adds mistakes by `push`. */
function longestDuring(look: () => void): number {
  const { push } = Array.prototype
  let longest = 0
  Array.prototype.push = function add(...items) {
    const length = push.apply(this, items)
    longest = Math.max(longest, length)
    return length
  }
  try {
    look()
  } finally {
    Array.prototype.push = push
  }
  return longest
}

/** The mistakes that one look at a value may keep, also for a moment. */
const mostKept = 30_000

describe('schemas whose failed branches make many mistakes', () => {
  for (const [title, schema, named, value] of cases) {
    it(`keep few of them: ${title}`, () => {
      const findings: Findings = { issues: [], warnings: [] }
      runAtOnce(judging([{ schema, at: '/x' }], named, findings))
      expect(findings.issues).to.deep.equal([])
      const compiled = new CompiledSchema(schema, named)
      expect(longestDuring(() => compiled.fits(value))).to.be.lessThan(mostKept)
      const half = leftInAll() / 2
      for (const depth of ['all', 'first'] as const) {
        expect(longestDuring(() => compiled.look(depth, value, half))).to.be.lessThan(mostKept)
      }
      const told = new Validators().of(schema, named).mistakesOf(value, '/body') ?? []
      expect(told.length).to.be.within(1, 5_001)
      expect(told.every(({ path }) => path.startsWith('/body'))).to.equal(true)
    })
  }

  it('tell the place of the first mistake in a long list of alternatives', () => {
    const schema = list({ anyOf: [{ type: 'string' }, { type: 'integer' }] })
    const value = many(190_000, (index) => (index < 189_999 ? index : true))
    const told = new Validators().of(schema, {}).mistakesOf(value, '') ?? []
    expect(told.map(({ path, message }) => [path, message])).to.deep.equal([
      ['/189999', 'must be string'],
      ['', 'more may follow'],
    ])
  })

  it('do not keep a long list of objects of eight kinds from being read', () => {
    const kinds = many(8, (kind) => ({
      type: 'object',
      required: ['kind', 'value'],
      properties: { kind: { const: kind }, value: { type: 'integer' } },
    }))
    const value = many(40_000, (index) => ({ kind: index % 8, value: index }))
    const validator = new Validators().of(list({ oneOf: kinds }), {})
    expect(validator.mistakesOf(value, '')).to.equal(undefined)
  })
})
