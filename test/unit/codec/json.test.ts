/** JSON: what is parsed, what is refused, and that 64-bit integers come back as they were. */
import { expect } from 'chai'
import fc from 'fast-check'
import { canonicalJson, parseJson, pointer, stringifyJson } from '#component/codec/json.ts'
import { bodyRules, documentRules } from '#component/codec/limits.ts'
import { ExpressionError } from '#component/errors.ts'

const badRequest = 'service.error.bad_request'
const tooLarge = 'service.error.payload_too_large'
const nest = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`

describe('parseJson', () => {
  for (const [text, value] of [
    ['{"a": [1, -2.5e3, true, false, null, "x"]}', { a: [1, -2500, true, false, null, 'x'] }],
    [' \r\n\t[ ] ', []],
    ['{}', {}],
    ['0', 0],
    ['9007199254740991', 9007199254740991],
    ['9007199254740993', 9007199254740993n],
    ['[18446744073709551615, -9223372036854775808]', [2n ** 64n - 1n, -(2n ** 63n)]],
    ['1e20', 1e20],
    ['"\\ud83d\\ude00 \\u00e9 \\n"', '😀 é \n'],
    ['{"constructor": 1, "toString": 2}', { constructor: 1, toString: 2 }],
  ] as const) {
    it(`reads ${text}`, () => {
      expect(parseJson(text)).to.deep.equal(value)
      expect(parseJson(Buffer.from(text))).to.deep.equal(value)
    })
  }

  for (const [what, source, uri] of [
    ['nothing', '', badRequest],
    ['trailing text', '{} {}', badRequest],
    ['a trailing comma', '[1,]', badRequest],
    ['a missing comma', '[1 2]', badRequest],
    ['a bare key', '{a:1}', badRequest],
    ['single quotes', "['a']", badRequest],
    ['a leading zero', '01', badRequest],
    ['a bare minus', '-', badRequest],
    ['a bare point', '1.', badRequest],
    ['an empty exponent', '1e', badRequest],
    ['NaN', 'NaN', badRequest],
    ['half a word', 'tru', badRequest],
    ['an open string', '"abc', badRequest],
    ['an open object', '{"a":1', badRequest],
    ['a control character', '"a\nb"', badRequest],
    ['an unknown escape', '"\\x"', badRequest],
    ['a short escape', '"\\u12"', badRequest],
    ['an equal key', '{"a":1,"a":2}', badRequest],
    ['an equal key spelled by escapes', '{"a":1,"\\u0061":2}', badRequest],
    ['__proto__', '{"__proto__":{"admin":true}}', badRequest],
    ['__proto__ spelled by escapes', '{"\\u005f_proto__":1}', badRequest],
    ['a lone first surrogate', '{"a":"\\ud800"}', badRequest],
    ['a lone second surrogate', '"\\udc00"', badRequest],
    ['surrogates in the wrong order', '"\\udc00\\ud800"', badRequest],
    ['a first surrogate before a letter', '"\\ud800x"', badRequest],
    ['a raw lone surrogate', '"\ud800"', badRequest],
    ['an integer over 64 bits', '18446744073709551616', badRequest],
    ['an integer under 64 bits', '-9223372036854775809', badRequest],
    ['an integer of 30 digits', '{"id":123456789012345678901234567890}', badRequest],
    ['1e400', '{"n":1e400}', badRequest],
    ['invalid UTF-8', Buffer.from('{"a":"\xff"}', 'latin1'), badRequest],
    ['nesting of 65', nest(65), badRequest],
    ['nesting of 1,000,000', '['.repeat(1_000_000), badRequest],
    ['200,001 values', `[${'0,'.repeat(199_999)}0]`, tooLarge],
    ['25 MB of empty lists', `[${'[],'.repeat(8_300_000)}[]]`, tooLarge],
  ] as const) {
    it(`refuses ${what}`, () => {
      expect(() => parseJson(source))
        .to.throw()
        .with.property('uri', uri)
    })
  }

  it('reads nesting of 64 and 200,000 values', () => {
    expect(JSON.stringify(parseJson(nest(64)))).to.equal(nest(64))
    expect(parseJson(`[${'0,'.repeat(199_998)}0]`)).to.have.length(199_999)
  })

  it('names the position, never data', () => {
    expect(() => parseJson('{"pin": hunter2}')).to.throw(
      /^an unexpected character at position 8 of/,
    )
  })

  it('leaves surrogates and __proto__ to the validation of documents', () => {
    const value = parseJson('{"a":"\\ud800","__proto__":1}', documentRules)
    expect(value).to.have.property('a', '\ud800')
    expect(Object.keys(value as object)).to.deep.equal(['a', '__proto__'])
  })

  it('takes other limits', () => {
    const rules = { ...bodyRules, depth: 1, values: 3 }
    expect(parseJson('[1,2]', rules)).to.deep.equal([1, 2])
    expect(() => parseJson('[[]]', rules))
      .to.throw()
      .with.property('uri', badRequest)
    expect(() => parseJson('[1,2,3]', rules))
      .to.throw()
      .with.property('uri', tooLarge)
  })

  it('agrees with JSON.parse about every text without duplicates', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 5 }), (text) => {
        fc.pre(!text.includes('__proto__') && !/\d{16}/.test(text))
        expect(parseJson(text)).to.deep.equal(JSON.parse(text))
      }),
    )
  })

  it('refuses what JSON.parse refuses, however a text is mutilated', () => {
    const text = '{"a":[1,-2.5e3,"\\u0041\\n",true,null],"b":{}}'
    fc.assert(
      fc.property(fc.nat(text.length), fc.string({ maxLength: 2 }), (at, insert) => {
        const broken = text.slice(0, at) + insert + text.slice(at + 1)
        let isJson = true
        try {
          JSON.parse(broken)
        } catch {
          isJson = false
        }
        if (!isJson)
          expect(() => parseJson(broken))
            .to.throw()
            .with.property('uri', badRequest)
      }),
      { numRuns: 500 },
    )
  })
})

describe('stringifyJson', () => {
  for (const [value, text] of [
    [undefined, 'null'],
    [{ a: undefined }, '{"a":null}'],
    [[undefined, 18446744073709551615n], '[null,18446744073709551615]'],
    [{ bytes: new Uint8Array([1, 2, 255]) }, '{"bytes":"\\u0000AQL/"}'],
    [Buffer.from('hi'), '"\\u0000aGk="'],
    ['"', '"\\""'],
    [Number.NaN, 'null'],
    // floats beyond 64 bits are not written as integers, which no reader takes
    [[1e20, { a: -1e19 }], '[1e+20,{"a":-1e+19}]'],
    [
      [2 ** 64, 2 ** 53, -(2 ** 63)],
      '[1.8446744073709552e+19,9007199254740992,-9.223372036854776e+18]',
    ],
  ] as const) {
    it(`writes ${text}`, () => {
      expect(stringifyJson(value)).to.equal(text)
    })
  }

  it('refuses a small value that is a huge tree', () => {
    let value: unknown = ['x'.repeat(10)]
    for (let turn = 0; turn < 30; turn++) value = [value, value]
    expect(() => stringifyJson(value)).to.throw(ExpressionError)
  })

  it('refuses text beyond the limit, and endless nesting', () => {
    const endless: unknown[] = []
    endless.push(endless)
    expect(() => stringifyJson('x'.repeat(10), 9)).to.throw(ExpressionError)
    expect(() => stringifyJson(endless)).to.throw(ExpressionError)
  })

  it('is undone by parseJson', () => {
    const big = fc
      .bigInt(-(2n ** 63n), 2n ** 64n - 1n)
      .filter((value) => !Number.isSafeInteger(Number(value)))
    // -0 has no text of its own, and greater doubles are written like big integers
    const isExact = (x: number) =>
      !Object.is(x, -0) && (!Number.isInteger(x) || Number.isSafeInteger(x))
    const values = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom(null, true, false),
        fc.integer(),
        fc.double({ noNaN: true, noDefaultInfinity: true }).filter(isExact),
        big,
        fc.string({ unit: 'grapheme' }),
        fc.array(tie('value')),
        fc.dictionary(
          fc.string().filter((key) => key !== '__proto__'),
          tie('value'),
          { noNullPrototype: true },
        ),
      ),
    }))
    fc.assert(
      fc.property(values.value, (value) => {
        expect(parseJson(stringifyJson(value))).to.deep.equal(value)
      }),
      { numRuns: 500 },
    )
  })

  it('gives big integers back as BigInt', () => {
    const value = { a: [2n ** 53n, 2n ** 64n - 1n, -(2n ** 63n)] }
    expect(parseJson(stringifyJson(value))).to.deep.equal(value)
  })
})

describe('canonicalJson', () => {
  for (const [value, text] of [
    [{ b: 1, a: [2, { d: 1, c: 2 }] }, '{"a":[2,{"c":2,"d":1}],"b":1}'],
    [
      { '\u20ac': 1, '\r': 2, '1': 3, '\ud83d\ude00': 4, '\ufb33': 5 },
      '{"\\r":2,"1":3,"€":1,"😀":4,"\ufb33":5}',
    ],
    [1e20, '100000000000000000000'],
    [[1e21, 0.000001, 333333333.3333333], '[1e+21,0.000001,333333333.3333333]'],
    [{ id: 9007199254740993n }, '{"id":9007199254740993}'],
  ] as const) {
    it(`writes ${text}`, () => {
      expect(canonicalJson(value)).to.equal(text)
    })
  }
})

describe('pointer', () => {
  it('escapes tilde and slash', () => {
    expect(pointer('/paths', '/a~b', 0)).to.equal('/paths/~1a~0b/0')
  })
})
