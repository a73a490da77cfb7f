/** Long JSON text is scanned faster where it is plain, and judged as any other; our own text is not scanned at all. */
import { expect } from 'chai'
import fc from 'fast-check'
import {
  headingJson,
  parseJson,
  parseOwnJson,
  parsingJson,
  stringifyJson,
} from '#component/codec/json.ts'
import { bodyRules, peerRules, routerRules, stepLength } from '#component/codec/limits.ts'
import { serializers } from '#component/codec/serializers.ts'
import { runAtOnce } from '#component/yielding.ts'

/** A member that makes any map long enough. */
const padding = `"padding":"${'x'.repeat(100_000)}"`

const outcome = (parse: () => unknown): unknown => {
  try {
    return parse()
  } catch (error) {
    return error instanceof Error
      ? error.message.replace(/\d+ of the JSON/, 'n of the JSON')
      : error
  }
}

describe('long JSON text', () => {
  for (const [what, member] of [
    ['plain', '"a":"b c","d":[1,true,null,""],"e":{}'],
    ['escapes', '"a":"\\"\\u00e9\\n","\\u0061b":1'],
    ['other letters', '"é":"日本","a":"😀"'],
    ['big integers', '"a":18446744073709551615'],
    ['a key twice', '"a":1,"a":2'],
    ['a key twice, once escaped', '"a":1,"\\u0061":2'],
    ['a control character', '"a":"\u0001"'],
    ['a line feed in a string', '"a":"\n"'],
    ['an open string', '"a":"b'],
    ['a key that is open', '"a'],
    ['a lone surrogate', '"a":"\\ud800"'],
    ['__proto__', '"__proto__":1'],
  ] as const) {
    it(`is judged as short text is: ${what}`, () => {
      const { padding: _, ...long } = Object(outcome(() => parseJson(`{${padding},${member}}`)))
      const short = outcome(() => parseJson(`{"padding":"",${member}}`))
      if (typeof short === 'string') {
        expect(outcome(() => parseJson(`{${padding},${member}}`))).to.equal(short)
      } else {
        const { padding: _other, ...rest } = Object(short)
        expect(long).to.deep.equal(rest)
      }
    })
  }

  it('is the same in steps', () => {
    const bytes = Buffer.from(`{${padding},"a":[1,2]}`)
    expect(runAtOnce(parsingJson(bytes))).to.deep.equal(parseJson(bytes))
    expect(() => runAtOnce(parsingJson(Buffer.from('{"a":')))).to.throw('position 5')
  })
})

/** The most bytes that become one text while something is done. */
function longestText(task: () => unknown): number {
  const own = Buffer.prototype.toString
  let longest = 0
  Buffer.prototype.toString = function (
    this: Buffer,
    encoding?: BufferEncoding,
    start = 0,
    end = this.length,
  ) {
    longest = Math.max(longest, end - start)
    return own.call(this, encoding, start, end)
  }
  try {
    outcome(task)
  } finally {
    Buffer.prototype.toString = own
  }
  return longest
}

describe('JSON text that is read in parts', () => {
  const step = 100
  const long = 10 * step
  const rows = {
    'a long key': `{"${'k'.repeat(long)}":1,"b":[2]}`,
    'a long number': `[${'9'.repeat(long)},1]`,
    'a long fraction': `[0.${'1'.repeat(long)}]`,
    'a number alone': '1'.repeat(long),
    blanks: `${' '.repeat(long)}[1,${' '.repeat(long)}2]${' '.repeat(long)}`,
    'more behind blanks': `[1]${' '.repeat(long)}]`,
    'a long text': `["${'é\\n'.repeat(long)}","a"]`,
    'a text that is open': `["${'a'.repeat(long)}`,
    'letters of four bytes': `["a${'😀'.repeat(long)}"]`,
    'a mark in front': `\ufeff[${'1,'.repeat(long)}2]`,
    'a mistake behind all': `[${'"a",'.repeat(long)}]`,
    'a key twice, far apart': `{"a":1,${padding},"a":2}`,
    'too many values': `[${'1,'.repeat(long)}1]`,
    'too many keys': `{${Array.from({ length: long }, (_, key) => `"${key}":1`)}}`,
  }
  for (const [what, text] of Object.entries(rows)) {
    for (const [name, rules] of Object.entries({
      all: routerRules,
      few: { ...bodyRules, values: 500, keys: 100, names: 200 },
    })) {
      it(`is read as the whole is: ${what}, where ${name} are allowed`, () => {
        const bytes = Buffer.from(text)
        const told = (task: () => unknown) => {
          try {
            return task()
          } catch (error) {
            return String(error)
          }
        }
        const whole = told(() => parseJson(bytes, rules))
        for (const characters of [1, 7, step, 2 * step]) {
          expect(told(() => runAtOnce(parsingJson(bytes, rules, characters)))).to.deep.equal(whole)
        }
      })
    }
  }

  for (const [what, text] of Object.entries({
    'is refused': `{${Array.from({ length: 100_000 }, (_, key) => `"${key}":1`)}}`,
    'is accepted': `[${'{"a":"b"},'.repeat(90_000)}1]`,
  })) {
    it(`is never one text in memory where it ${what}`, () => {
      const bytes = Buffer.from(text)
      expect(bytes.length).to.be.above(900_000)
      expect(longestText(() => runAtOnce(parsingJson(bytes, peerRules)))).to.be.within(1, 200_000)
      const heading = headingJson(Buffer.from(`[16,1,${text},1]`), peerRules, stepLength)
      expect(longestText(() => runAtOnce(heading))).to.be.within(1, 200_000)
    })
  }
})

describe('a value that is read in steps', () => {
  const forms = Object.values(serializers)

  it('is what is read at once, wherever the steps end', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.integer({ min: 1, max: 30 }), (value, step) => {
        for (const { encode, decode, decoding } of forms) {
          const bytes = Buffer.from(encode([value]))
          const read = runAtOnce(decoding(bytes, routerRules, step))
          expect(read).to.deep.equal(decode(bytes, routerRules))
          // the order of the keys, too
          expect(stringifyJson(read)).to.equal(stringifyJson(decode(bytes, routerRules)))
        }
      }),
    )
  })

  const rows = {
    'a list': Array.from({ length: 5_000 }, (_, index) => index),
    'lists in lists': Array.from({ length: 500 }, () => [[1, 2, 3], [[]]]),
    'a list far down': JSON.parse(`${'['.repeat(60)}${'1,'.repeat(5_000)}1${']'.repeat(60)}`),
    'a map': Object.fromEntries(Array.from({ length: 2_000 }, (_, index) => [`k${index}`, index])),
  }
  for (const [what, value] of Object.entries(rows)) {
    it(`takes a step for each part of the length: ${what}`, () => {
      for (const { encode, decoding, name } of forms) {
        const bytes = Buffer.from(encode([value]))
        let steps = 0
        for (const _step of decoding(bytes, routerRules, 100)) steps += 1
        // a value that begins in a step ends in it
        expect(steps, name).to.be.above(bytes.length / 120)
      }
    })
  }
})

describe('our own JSON text', () => {
  it('is read as any other', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.bigInt(-(2n ** 63n), 2n ** 64n - 1n), (value, integer) => {
        const text = stringifyJson({ value, integer })
        // our own text may hold a key that bodies may not
        const any = () => parseJson(text, { ...bodyRules, allowProtoKeys: true })
        expect(outcome(() => parseOwnJson(text))).to.deep.equal(outcome(any))
      }),
      { examples: [[JSON.parse('{"__proto__":""}'), 0n]] },
    )
  })
})
