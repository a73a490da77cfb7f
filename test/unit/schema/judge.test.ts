/** What a load says of schemas. */
import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { parseJson } from '#component/codec/json.ts'
import { type Findings, judging } from '#component/schema/judge.ts'
import { runAtOnce } from '#component/yielding.ts'

interface Row {
  readonly it: string
  readonly schema?: unknown
  readonly named?: Record<string, unknown>
  readonly issues?: Record<string, string>
  readonly warnings?: Record<string, string>
}

const { cases } = parseJson(readFileSync('test/cases/schema/judged.json')) as { cases: Row[] }

function judged(named: Record<string, unknown>, schema?: unknown): Findings {
  const findings: Findings = { issues: [], warnings: [] }
  const uses = schema === undefined ? [] : [{ schema, at: '/x' }]
  runAtOnce(judging(uses, named, findings))
  return findings
}

const messagesIn = (list: Findings['issues']) =>
  Object.fromEntries(list.map(({ path, message }) => [path, message]))

/** A schema that has others at each of some levels. */
const nested = (levels: number): unknown =>
  levels === 1 ? {} : { properties: { a: nested(levels - 1) } }

const flat = (subschemas: number): unknown => ({
  properties: Object.fromEntries(
    Array.from({ length: subschemas - 1 }, (_, index) => [`p${index}`, {}]),
  ),
})

describe('judging schemas', () => {
  for (const { it: title, schema, named = {}, issues = {}, warnings = {} } of cases) {
    it(title, () => {
      const found = judged(named, schema)
      expect(messagesIn(found.issues)).to.deep.equal(issues)
      expect(messagesIn(found.warnings)).to.deep.equal(warnings)
    })
  }

  for (const [title, least, most, message] of [
    ['64 levels', nested(64), nested(65), /nested 65 levels deep, and at most 64/],
    ['500 subschemas', flat(500), flat(501), /501 subschemas, and at most 500/],
    [
      '1,000 characters of a pattern',
      { pattern: 'a'.repeat(1000) },
      { pattern: 'a'.repeat(1001) },
      /at most 1000 characters/,
    ],
    [
      '2,100 instructions of a pattern',
      { pattern: '^.{1,1000}$' },
      { pattern: '^.{1,1000}.{1,100}$' },
      /2202 instructions, and at most 2100/,
    ],
  ] as const) {
    it(`allows ${title}, and no more`, () => {
      expect(judged({}, least).issues).to.deep.equal([])
      expect(judged({}, most).issues[0]?.message).to.match(message)
    })
  }

  it('counts what a schema refers to', () => {
    const named = Object.fromEntries(
      Array.from({ length: 11 }, (_, index) => [
        `s${index}`,
        { ...(flat(480) as object), items: { $ref: `#/schemas/s${index + 1}` } },
      ]),
    )
    const found = judged({ ...named, s11: {} })
    expect(messagesIn(found.issues)).to.deep.equal({
      '/schemas/s0':
        'the schema and what it refers to have 5292 subschemas, and at most 5000 are allowed',
    })
  })

  it('counts the levels of schemas that refer to each other in a circle', () => {
    const named = Object.fromEntries(
      Array.from({ length: 210 }, (_, index) => [
        `s${index}`,
        { items: { $ref: `#/schemas/s${(index + 1) % 210}` } },
      ]),
    )
    expect(judged(named).issues.map(({ message }) => message)).to.deep.equal([
      '210 schemas that refer to each other in a circle have 420 levels together, and at most 400 are allowed',
    ])
  })

  it('allows 10,000 different schemas, and no more', () => {
    const named = Object.fromEntries(
      Array.from({ length: 10_002 }, (_, index) => [`s${index}`, { minLength: index }]),
    )
    const { s10001: _, s10000: __, ...fewer } = named
    expect(judged({ ...fewer, again: fewer.s0 }).issues).to.deep.equal([])
    expect(messagesIn(judged(named).issues)).to.deep.equal({
      '/schemas/s10000': 'a document has at most 10000 different schemas',
    })
  })

  it('allows 4 MiB of schemas, and no more', () => {
    const large = (index: number): object => ({ description: `${index + 10}`.repeat(104_000) })
    const named = Object.fromEntries(
      Array.from({ length: 19 }, (_, index) => [`s${index}`, large(index)]),
    )
    expect(judged(named).issues).to.deep.equal([])
    const more = { ...named, twenty: large(19), more: { ...large(19), title: 'x' } }
    expect(messagesIn(judged(more).issues)).to.deep.equal({
      '/schemas/more': 'the schemas of a document have at most 4194304 characters together',
    })
  })

  it('allows 256 KiB of one schema with what it refers to, and no more', () => {
    const named = { a: { description: 'x'.repeat(262_000) } }
    expect(judged(named, { $ref: '#/schemas/a' }).issues).to.deep.equal([])
    const found = judged(named, { $ref: '#/schemas/a', title: 'x'.repeat(200) })
    expect(messagesIn(found.issues)).to.deep.equal({
      '/x': 'the schema and what it refers to have 262251 characters, and at most 262144 are allowed',
    })
  })
})
