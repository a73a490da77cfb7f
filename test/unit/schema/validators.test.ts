/** Values checked against schemas. */
import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { parseJson } from '#component/codec/json.ts'
import type { Issue } from '#component/errors.ts'
import { type Findings, judging } from '#component/schema/judge.ts'
import { told } from '#component/schema/mistakes.ts'
import { SchemaCompileError, Validators } from '#component/schema/validators.ts'
import { runAtOnce } from '#component/yielding.ts'

const named = {
  Item: {
    type: 'object',
    required: ['sku', 'count'],
    additionalProperties: false,
    properties: {
      sku: { type: 'string', pattern: '^[A-Z0-9-]{3,20}$' },
      count: { type: 'integer', minimum: 1, maximum: 1000 },
    },
  },
}
const order = {
  type: 'object',
  required: ['customer', 'items'],
  properties: {
    customer: { type: 'string' },
    items: { type: 'array', minItems: 1, maxItems: 100, items: { $ref: '#/schemas/Item' } },
  },
}

interface Row {
  readonly it: string
  readonly schema: unknown
  readonly named?: Record<string, unknown>
  readonly fits?: unknown[]
  /** Values, each with its mistakes by place. */
  readonly fails?: [value: unknown, mistakes: Record<string, string>][]
}

const { cases } = parseJson(readFileSync('test/cases/schema/checked.json')) as { cases: Row[] }

const check = (schema: unknown, value: unknown, schemas = {}) =>
  new Validators().of(schema, schemas).mistakesOf(value, '')

const messagesIn = (mistakes: readonly Issue[] = []) =>
  Object.fromEntries(mistakes.map(({ path, message }) => [path, message]))

describe('Validators', () => {
  it('tells every mistake with its place', async () => {
    const findings: Findings = { issues: [], warnings: [] }
    runAtOnce(judging([{ schema: order, at: '/x' }], named, findings))
    expect(findings).to.deep.equal({ issues: [], warnings: [] })
    const validators = new Validators()
    const validator = validators.of(order, named)
    await validators.compileAhead([validator], () => undefined)
    const mistakes = validator.mistakesOf(
      { customer: 7, items: [{ sku: 'a', count: 0, x: 1 }] },
      '/body',
    )
    expect(told(mistakes ?? [])).to.deep.equal([
      { path: '/body/customer', message: 'must be string' },
      { path: '/body/items/0/x', message: 'unknown property' },
      { path: '/body/items/0/sku', message: 'must match pattern "^[A-Z0-9-]{3,20}$"' },
      { path: '/body/items/0/count', message: 'must be >= 1' },
    ])
  })

  for (const { it: title, schema, named: schemas = {}, fits = [], fails = [] } of cases) {
    it(title, () => {
      const findings: Findings = { issues: [], warnings: [] }
      runAtOnce(judging([{ schema, at: '/x' }], schemas, findings))
      expect(findings.issues).to.deep.equal([])
      const validator = new Validators().of(schema, schemas)
      const found = [
        ...fits.map((value) => [value, messagesIn(validator.mistakesOf(value, ''))]),
        ...fails.map(([value]) => [value, messagesIn(validator.mistakesOf(value, ''))]),
      ]
      expect(found).to.deep.equal([...fits.map((value) => [value, {}]), ...fails])
    })
  }

  it('sees bytes as the text that JSON carries', () => {
    const bytes = { a: new Uint8Array([1, 2]) }
    expect(check({ properties: { a: { const: '\0AQI=' } } }, bytes)).to.equal(undefined)
    expect(check({ properties: { a: { type: 'object' } } }, bytes)).to.have.length(1)
  })

  it('takes NaN and infinities for no numbers', () => {
    for (const value of [Number.NaN, Infinity]) {
      expect(messagesIn(check({ type: 'number' }, value))).to.deep.equal({ '': 'must be number' })
    }
  })

  it('ends a check that costs more than its budget', () => {
    const tree = {
      T: { allOf: [{ items: { $ref: '#/schemas/T' } }, { items: { $ref: '#/schemas/T' } }] },
    }
    let value: unknown = []
    for (let level = 0; level < 60; level++) value = [value]
    expect(check({ $ref: '#/schemas/T' }, value, tree)).to.deep.equal([
      { path: '', message: 'too costly to check', keyword: '' },
    ])
  })

  it('passes a list of 100,000 texts with a pattern', () => {
    const list = Array.from({ length: 100_000 }, (_, index) => `A-${index}`)
    expect(check({ items: { type: 'string', pattern: '^[A-Z0-9-]{3,20}$' } }, list)).to.equal(
      undefined,
    )
  })

  it('tells the first mistake only of a value with more than 5,000 members and items', () => {
    const list: unknown[] = Array.from({ length: 5_000 }, () => 1)
    const schema = { items: { type: 'string' } }
    expect(check(schema, list)).to.have.length(5_000)
    expect(messagesIn(check(schema, [...list, 1]))).to.deep.equal({
      '/0': 'must be string',
      '': 'more may follow',
    })
  })

  it('tells 100 mistakes, and how many more there are', () => {
    const mistakes =
      check(
        { items: { type: 'string' } },
        Array.from({ length: 120 }, () => 1),
      ) ?? []
    const issues = told(mistakes)
    expect(issues).to.have.length(101)
    expect(issues[0]).to.deep.equal({ path: '/0', message: 'must be string' })
    expect(issues.at(-1)).to.deep.equal({ path: '', message: 'and 20 more' })
  })

  it('names the keyword of a mistake', () => {
    const mistakes = check({ type: ['integer', 'null'], minimum: 1, properties: { a: false } }, 'a')
    expect(mistakes).to.deep.equal([{ path: '', message: 'must be integer,null', keyword: 'type' }])
  })

  it('gives equal schemas of a document one validator', () => {
    const validators = new Validators()
    const schemas = { A: { type: 'string' } }
    const one = validators.of({ items: { $ref: '#/schemas/A' }, minItems: 1 }, schemas)
    expect(validators.of({ minItems: 1, items: { $ref: '#/schemas/A' } }, schemas)).to.equal(one)
  })

  it('tells schemas apart by what they refer to', () => {
    const validators = new Validators()
    const schema = { $ref: '#/schemas/A' }
    const one = validators.of(schema, { A: { type: 'string' } })
    const other = validators.of(schema, { A: { type: 'integer' } })
    expect([one.mistakesOf('a', ''), other.mistakesOf(1, '')]).to.deep.equal([undefined, undefined])
  })

  it('shows no value in any of 10,000 messages', () => {
    const secret = 'canary'
    const schemas = {
      A: { type: 'integer', minimum: 1 },
      B: { type: 'string', maxLength: 3, minLength: 2, pattern: '^[0-9]+$' },
      C: { format: 'date', not: { type: 'string' }, enum: [1], const: 1, multipleOf: 2 },
      D: { oneOf: [{ $ref: '#/schemas/A' }, { $ref: '#/schemas/B' }], if: false, else: false },
      E: { type: 'array', uniqueItems: true, maxItems: 1, contains: { const: 2 } },
      F: { required: ['a'], additionalProperties: false, propertyNames: { maxLength: 2 } },
      G: { unevaluatedProperties: false, minProperties: 9, dependentRequired: { key: ['b'] } },
    }
    const validators = new Validators()
    const list = Object.keys(schemas).map((name) =>
      validators.of({ $ref: `#/schemas/${name}` }, schemas),
    )
    let told = 0
    for (let index = 0; index < 2_000; index++) {
      const text = `${secret}${index}`
      for (const value of [
        text,
        { key: text },
        [text, text],
        { key: [text] },
        `${index}${secret}`,
      ]) {
        const mistakes = list.flatMap((validator) => validator.mistakesOf(value, '') ?? [])
        told += mistakes.length
        expect(JSON.stringify(mistakes)).not.to.contain(secret)
      }
    }
    expect(told).to.be.greaterThan(10_000)
  })

  describe('whose check takes more than its share of a turn', () => {
    const integers = Array.from({ length: 100_000 }, (_, index) => index)
    const named = { N: { type: 'integer' }, S: { type: 'string' } }
    const each = { items: { $ref: '#/schemas/N' } }
    const some = { contains: { $ref: '#/schemas/S' } }
    const none = { items: { not: { anyOf: Array(60).fill({ $ref: '#/schemas/S' }) } } }
    /** The longest begins anew until its last turn, whatever the clock says. */
    const checks: readonly (readonly [title: string, schema: unknown, value: unknown])[] = [
      ['a value that fits', each, integers],
      ['a value with a mistake', some, integers],
      ['a small value with all mistakes', each, Array(4_000).fill('a')],
      ['a value that is too costly', none, integers],
    ]

    /** A process in which each look at the clock comes too late. @param between what others do between the turns */
    function late(between: () => void = () => undefined) {
      const counts = { turns: 0, looks: 0 }
      const validators = new Validators({
        now: () => 1_000 * ++counts.looks,
        yieldTurn: async () => {
          counts.turns += 1
          between()
        },
      })
      return { validators, counts }
    }

    for (const [title, schema, value] of checks) {
      it(`goes on in later ones, and finds the same: ${title}`, async () => {
        const other = new Validators()
        const { validators, counts } = late(() => {
          expect(other.of(none, named).mistakesOf(integers, '/b')).to.have.length(1)
          expect(other.of(each, named).mistakesOf([1], '/b')).to.equal(undefined)
        })
        const validator = validators.of(schema, named)
        const atOnce = validator.mistakesOf(value, '/a')
        expect(counts).to.deep.equal({ turns: 0, looks: 0 })
        const found = validator.check(value, '/a')
        expect(found).to.be.instanceOf(Promise)
        expect(await found).to.deep.equal(atOnce)
        expect(counts.turns).to.be.above(Array.isArray(value) && value.length > 5_000 ? 5 : 0)
      })
    }

    it('is begun anew only so often, each time for its share', async () => {
      const { validators, counts } = late()
      const validator = validators.of(each, named)
      validator.mistakesOf([], '')
      expect(await validator.check(integers, '')).to.equal(undefined)
      // the last one is not ended by the clock
      expect(counts).to.deep.equal({ turns: 9, looks: 18 })
    })

    it('compiles in turns, too, once for all that wait', async () => {
      const { validators, counts } = late()
      const validator = validators.of({ properties: { a: each, b: some } }, named)
      const [one, two] = [validator.check({}, ''), validator.check({ a: ['x'] }, '/z')]
      expect(await one).to.equal(undefined)
      expect((await two)?.map(({ path }) => path)).to.deep.equal(['/z/a/0'])
      expect(counts.turns).to.be.above(5)
    })

    it('is told at once where it does not: no clock is asked', () => {
      const { validators, counts } = late()
      const validator = validators.of(each, named)
      validator.mistakesOf([], '')
      expect(validator.check([1, 2, 3], '')).to.equal(undefined)
      expect(counts).to.deep.equal({ turns: 0, looks: 0 })
    })

    it('rejects where the schema does not compile', async () => {
      const { validators } = late()
      const found = await Promise.resolve(
        validators.of({ properties: null }, {}).check(1, ''),
      ).catch((error: unknown) => error)
      expect(found).to.be.instanceOf(SchemaCompileError)
      expect(validators.compileFailures).to.equal(1)
    })
  })

  it('counts schemas that no judge has accepted and that do not compile', () => {
    const validators = new Validators()
    const validator = validators.of({ properties: null }, {})
    expect(() => validator.mistakesOf(1, '')).to.throw(SchemaCompileError)
    expect(validators.compileFailures).to.equal(1)
  })

  it('compiles again what it has not kept', async () => {
    const validators = new Validators()
    const all = Array.from({ length: 1_001 }, (_, index) => validators.of({ const: index }, {}))
    await validators.compileAhead(all, () => undefined)
    expect(all.map((validator, index) => validator.mistakesOf(index, ''))).to.deep.equal(
      all.map(() => undefined),
    )
  })
})
