/** Schemas that list many names or values: how much code a check of them is, and what it tells. */
import { expect } from 'chai'
import { CompiledSchema } from '#component/schema/compiled.ts'
import { type Findings, judging } from '#component/schema/judge.ts'
import { Validators } from '#component/schema/validators.ts'
import { runAtOnce } from '#component/yielding.ts'

const names = (count: number, prefix = 'z') =>
  Array.from({ length: count }, (_, index) => `${prefix}${index}`)
const mapOf = (keys: readonly string[], value: (key: string) => unknown) =>
  Object.fromEntries(keys.map((key) => [key, value(key)]))

type Named = Readonly<Record<string, unknown>>

const members = names(300, 'key')
const cases: readonly (readonly [
  title: string,
  schema: unknown,
  value: unknown,
  told: number,
  named?: Named,
])[] = [
  [
    '300 members that ask for the same 100',
    { dependentRequired: mapOf(members, () => names(100)) },
    mapOf(members, () => 1),
    100,
  ],
  [
    'a member that asks for 20,000',
    { dependentRequired: { a: names(20_000) } },
    { a: 1, z0: 1 },
    5_001,
  ],
  [
    '150 maps, each with members that ask for 40',
    {
      properties: mapOf(names(150, 'p'), (key) => ({
        dependentRequired: { a: names(40, key), b: names(40, key) },
      })),
    },
    { p7: { a: 1, b: 1, p70: 1 }, p8: { c: 1 } },
    39,
  ],
  ['10,000 required members', { required: names(10_000) }, { z1: 1 }, 5_001],
  [
    '400 maps of 30 required members',
    { properties: mapOf(names(400, 'p'), (key) => ({ required: names(30, key) })) },
    { p7: { p70: 1 } },
    29,
  ],
  [
    'required members of a schema that is referred to, in an alternative',
    { anyOf: [{ $ref: '#/schemas/N' }, { type: 'integer' }] },
    {},
    5_001,
    { N: { required: names(8_000) } },
  ],
  [
    'members that are asked for where another one is absent',
    { if: { required: ['b'] }, else: { required: names(2_000) } },
    { a: 1 },
    2_000,
  ],
  ['10,000 texts', { enum: names(10_000) }, 'other', 1],
  ['5,000 maps', { enum: names(5_000).map((a) => ({ a })) }, {}, 1],
  ['a list of 20,000 texts', { const: names(20_000) }, [], 1],
]

/** Characters of code for each subschema, in all forms of the check. */
const mostForOne = 4_000

/** Counts the characters of code that ajv makes meanwhile. */
function codeMade(work: () => void): number {
  const { Function: original } = globalThis
  let made = 0
  globalThis.Function = new Proxy(original, {
    construct(target, parts: string[]) {
      made += parts.at(-1)?.length ?? 0
      return Reflect.construct(target, parts)
    },
  })
  try {
    work()
  } finally {
    globalThis.Function = original
  }
  return made
}

describe('a schema that lists many names or values', () => {
  for (const [title, schema, value, told, named = {}] of cases) {
    it(`is code that does not grow with them: ${title}`, () => {
      const findings: Findings = { issues: [], warnings: [] }
      runAtOnce(judging([{ schema, at: '/x' }], named, findings))
      expect(findings.issues).to.deep.equal([])
      let size = 0
      const made = codeMade(() => {
        const compiled = new CompiledSchema(schema, named)
        for (const depth of ['fits', 'all', 'first'] as const) compiled.look(depth, value)
        size = compiled.size
      })
      expect(made).to.be.within(100, mostForOne * size)
      expect(new Validators().of(schema, named).mistakesOf(value, '')).to.have.length(told)
    })
  }

  it('tells each missing member once, where others ask for it', () => {
    const schema = { dependentRequired: { a: ['c', 'd/e'], b: ['d/e', 'a'], f: ['g'] } }
    const validator = new Validators().of(schema, {})
    const toldOf = (value: unknown) =>
      validator.mistakesOf(value, '/body')?.map(({ path, message }) => [path, message])
    expect(toldOf({ b: 1, a: 1 })).to.deep.equal([
      ['/body/c', 'is required'],
      ['/body/d~1e', 'is required'],
    ])
    expect(toldOf({ b: 1, 'd/e': 1 })).to.deep.equal([['/body/a', 'is required']])
    expect(toldOf({ a: 1, c: 1, 'd/e': null })).to.equal(undefined)
    expect(toldOf([1])).to.equal(undefined)
    expect(toldOf('a')).to.equal(undefined)
  })
})
