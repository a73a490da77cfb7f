/** Integers beyond 2^53: read as JSON.parse with a reviver reads them, and about as fast as other text. */
import { isDeepStrictEqual } from 'node:util'
import { expect } from 'chai'
import fc from 'fast-check'
import { parseJson } from '#component/codec/json.ts'
import { trustedRules } from '#component/codec/limits.ts'

const big = '9007199254740993'

/** The reviver knows the text of a number (ES2026). */
type Reviver = (key: string, value: unknown, context: { source?: string }) => unknown
const parse = JSON.parse as (text: string, reviver: Reviver) => unknown

/** What is expected: slow, and plain to see. */
const expected = (text: string): unknown =>
  parse(text, (_key, value, { source = '' }) =>
    /^-?\d+$/.test(source) && !Number.isSafeInteger(value) ? BigInt(source) : value,
  )

const rules = { ...trustedRules, depth: 500, values: 100_000 }

const space = fc.constantFrom('', ' ', '\n\t', '\r  ')
const integer = fc.bigInt(-(2n ** 63n), 2n ** 64n - 1n).map(String)
const scalar = fc.oneof(
  integer,
  fc.constantFrom('true', 'false', 'null', '-0', '0', '1e20', '-1.5E-7', '9007199254740993.0'),
  fc.constantFrom('9007199254740991', '-9007199254740991', '9007199254740992', '123456789012345'),
  fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e15, max: 1e15 }).map(String),
  fc.string({ unit: 'binary' }).map((value) => JSON.stringify(value)),
  fc.constantFrom(
    '"\\u0041\\/\\\\"',
    '"\\\\"',
    '"a\\"b"',
    '"\\ud800"',
    '"]}, :[{ longer than that"',
  ),
)
const key = fc.oneof(
  fc.string(),
  fc.constantFrom('__proto__', '7', '07', '1', 'a\\b', 'constructor'),
)

const { text: anyText } = fc.letrec<{ text: string }>((tie) => ({
  text: fc.oneof(
    { maxDepth: 6, withCrossShrink: true },
    scalar,
    fc
      .tuple(fc.array(fc.tuple(space, tie('text'), space)), space)
      .map(([items, inner]) => `[${items.map((item) => item.join('')).join(',') || inner}]`),
    fc
      .tuple(
        fc.uniqueArray(fc.tuple(key, tie('text'), space), { selector: ([name]) => name }),
        space,
      )
      .map(([members, inner]) => {
        const written = members.map(
          ([name, value, gap]) => `${gap}${JSON.stringify(name)}${gap}:${gap}${value}${gap}`,
        )
        return `{${written.join(',') || inner}}`
      }),
  ),
}))

describe('JSON text with integers beyond 2^53', () => {
  it('is read as a reviver reads it, whatever is around them', () => {
    fc.assert(
      fc.property(anyText, space, (text, gap) => {
        const whole = `${gap}[${big},${text}]${gap}`
        expect(isDeepStrictEqual(parseJson(whole, rules), expected(whole)), whole).to.equal(true)
      }),
      { numRuns: 1000 },
    )
  })

  it('keeps the order of keys', () => {
    const text = `{"b":1,"2":${big},"a":{"__proto__":${big}},"1":3}`
    const value = parseJson(text, rules) as { a: object }
    expect(Object.keys(value)).to.deep.equal(['1', '2', 'b', 'a'])
    expect(Object.entries(value.a)).to.deep.equal([['__proto__', 9007199254740993n]])
    expect(Object.getPrototypeOf(value.a)).to.equal(Object.prototype)
  })

  for (const [text, value] of [
    ['9007199254740991', 9007199254740991],
    ['-9007199254740991', -9007199254740991],
    ['9007199254740992', 9007199254740992n],
    ['-9007199254740992', -9007199254740992n],
    ['18446744073709551615', 2n ** 64n - 1n],
    ['-9223372036854775808', -(2n ** 63n)],
    ['9007199254740993.0', 9007199254740992],
    ['9007199254740993e0', 9007199254740992],
    ['0.000000000000000012345678901234567890', 1.2345678901234568e-17],
  ] as const) {
    it(`reads ${text}`, () => {
      expect(parseJson(text)).to.equal(value)
      expect(parseJson(`[${big},${text}]`)).to.deep.equal([9007199254740993n, value])
    })
  }

  for (const text of ['18446744073709551616', '-9223372036854775809', '100000000000000000000']) {
    it(`is refused with ${text}`, () => {
      expect(() => parseJson(`[${text}]`)).to.throw('an integer of more than 64 bits at position 1')
    })
  }

  it('is read without a reviver', () => {
    const { parse: original } = JSON
    let revivers = 0
    JSON.parse = (text, reviver) => {
      if (reviver) revivers += 1
      return original(text, reviver)
    }
    try {
      expect(parseJson(`[${big}]`)).to.deep.equal([9007199254740993n])
    } finally {
      JSON.parse = original
    }
    expect(revivers).to.equal(0)
  })
})
