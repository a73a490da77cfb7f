/** What is read depends on where it comes from, in each form alike: one row for each point on which readers have differed. */
import { expect } from 'chai'
import { decodeCbor, decodingCbor } from '#component/codec/cbor.ts'
import { parseJson, parsingJson } from '#component/codec/json.ts'
import {
  bodyRules,
  documentRules,
  peerRules,
  type ReadRules,
  routerRules,
  strangerRules,
  trustedRules,
} from '#component/codec/limits.ts'
import { decodeMsgpack, decodingMsgpack } from '#component/codec/msgpack.ts'
import { ServiceError } from '#component/errors.ts'
import { runAtOnce } from '#component/yielding.ts'

const origins = { body: bodyRules, peer: peerRules, router: routerRules } as const
type Origin = keyof typeof origins

const forms = {
  JSON: (data: string, rules: ReadRules) => parseJson(data, rules),
  MessagePack: (data: string, rules: ReadRules) => decodeMsgpack(bytesOf(data), rules),
  CBOR: (data: string, rules: ReadRules) => decodeCbor(bytesOf(data), rules),
} as const
/** The same by a reader that pauses wherever it can. */
const inSteps = (form: keyof typeof forms, data: string, rules: ReadRules) => {
  if (form === 'JSON') return runAtOnce(parsingJson(Buffer.from(data), rules, 1))
  const decoding = form === 'CBOR' ? decodingCbor : decodingMsgpack
  return runAtOnce(decoding(bytesOf(data), rules, 1))
}
const bytesOf = (hex: string) => Buffer.from(hex.replaceAll(' ', ''), 'hex')

const refused = Symbol('refused')
const tooMany = Symbol('too many')
const everywhere = (value: unknown) => ({ body: value, peer: value, router: value })
const inMessages = (value: unknown) => ({ body: refused, peer: value, router: value })
const ofRouter = (value: unknown) => ({ body: refused, peer: refused, router: value })

const protoKey = Object.fromEntries([['__proto__', 1]])
const deep = (levels: number) => {
  let value: unknown = 1
  for (let level = 0; level < levels; level++) value = [value]
  return value
}

// biome-ignore format: a table
const rows: readonly (readonly [what: string, form: keyof typeof forms, data: string, expected: Record<Origin, unknown>])[] = [
  ['a number as key', 'MessagePack', '81 01 02', inMessages({ 1: 2 })],
  ['a number as key', 'CBOR', 'a1 20 02', inMessages({ '-1': 2 })],
  ['an integer beyond 2^53 as key', 'CBOR', 'a1 1b0020000000000001 02', inMessages({ '9007199254740993': 2 })],
  ['true as key', 'MessagePack', '81 c3 02', inMessages({ true: 2 })],
  ['true as key', 'CBOR', 'a1 f5 02', inMessages({ true: 2 })],
  ['bytes as key', 'MessagePack', '81 c40161 02', inMessages({ '\0YQ==': 2 })],
  ['bytes as key', 'CBOR', 'a1 4161 02', inMessages({ '\0YQ==': 2 })],
  ['null as key', 'MessagePack', '81 c0 02', inMessages({ null: 2 })],
  ['a fraction as key', 'CBOR', 'a1 f93e00 02', inMessages({ '1.5': 2 })],
  ['a bignum as key', 'CBOR', 'a1 c249010000000000000000 02', inMessages({ '18446744073709551616': 2 })],
  ['a time as key', 'MessagePack', '81 d6ff00000000 02', inMessages({ '1970-01-01T00:00:00Z': 2 })],
  ['a list as key', 'CBOR', 'a1 8201 616102', inMessages({ '[1,"a"]': 2 })],
  ['a list of lists as key', 'MessagePack', '81 9191c0 02', inMessages({ '[[null]]': 2 })],
  ['a map as key', 'CBOR', 'a1 a0 02', everywhere(refused)],
  ['a list with a map as key', 'MessagePack', '81 9180 02', everywhere(refused)],
  ['a map in a map of number keys', 'MessagePack', '81 01 81 02 03', inMessages({ 1: { 2: 3 } })],
  ['true and its text as keys', 'MessagePack', '82 c301 a47472756502', everywhere(refused)],
  ['equal keys', 'JSON', '{"a":1,"a":2}', everywhere(refused)],
  ['equal keys', 'MessagePack', '82 a16101 a16102', everywhere(refused)],
  ['equal keys', 'CBOR', 'a2 616101 616102', everywhere(refused)],
  ['a number and its text as keys', 'CBOR', 'a2 0101 613102', everywhere(refused)],
  ['keys of Object.prototype', 'MessagePack', '81 ab636f6e7374727563746f72 01', everywhere({ constructor: 1 })],
  ['__proto__', 'JSON', '{"__proto__":1}', ofRouter(protoKey)],
  ['__proto__', 'MessagePack', '81 a95f5f70726f746f5f5f 01', ofRouter(protoKey)],
  ['__proto__', 'CBOR', 'a1 695f5f70726f746f5f5f 01', ofRouter(protoKey)],
  ['NaN', 'MessagePack', 'cb7ff8000000000000', inMessages(null)],
  ['NaN', 'CBOR', 'f97e00', inMessages(null)],
  ['infinity', 'MessagePack', 'ca7f800000', inMessages(null)],
  ['infinity', 'CBOR', 'f9fc00', inMessages(null)],
  ['NaN', 'JSON', '[NaN]', inMessages([null])],
  ['infinity', 'JSON', '{"a":Infinity,"b":[-Infinity,1]}', inMessages({ a: null, b: [null, 1] })],
  ['a number below the range of a double', 'JSON', '-1e400', inMessages(null)],
  ['a decimal fraction too great for a double', 'CBOR', 'c482 190190 01', inMessages(null)],
  ['half of the word NaN', 'JSON', '[Na]', everywhere(refused)],
  ['NaN with a sign', 'JSON', '[-NaN]', everywhere(refused)],
  ['a sign alone', 'JSON', '[-]', everywhere(refused)],
  ['words of JavaScript', 'JSON', '[undefined]', everywhere(refused)],
  ['a number too great for a double', 'JSON', '1e400', inMessages(null)],
  ['bytes that are not UTF-8', 'MessagePack', 'a1ff', everywhere(refused)],
  ['bytes that are not UTF-8', 'CBOR', '61ff', everywhere(refused)],
  ['a surrogate in UTF-8', 'MessagePack', 'a3eda080', everywhere(refused)],
  ['a surrogate in UTF-8', 'CBOR', '63eda080', everywhere(refused)],
  ['half a surrogate pair', 'JSON', '"\\ud800"', ofRouter('\ud800')],
  ['a byte order mark in text', 'CBOR', '64efbbbf61', everywhere('\ufeffa')],
  ['NUL and base64', 'JSON', '"\\u0000AQI="', { ...inMessages(new Uint8Array([1, 2])), body: '\0AQI=' }],
  ['NUL and base64url', 'JSON', '"\\u0000_-8="', everywhere('\0_-8=')],
  ['bytes', 'MessagePack', 'c4020102', everywhere(new Uint8Array([1, 2]))],
  ['bytes', 'CBOR', '420102', everywhere(new Uint8Array([1, 2]))],
  ['bytes with the tag of a typed array', 'CBOR', 'd840 4101', everywhere(new Uint8Array([1]))],
  ['16-bit integers with the tag of a typed array', 'CBOR', 'd841 420001', inMessages(new Uint8Array([0, 1]))],
  ['a time stamp', 'MessagePack', 'd6ff00000000', inMessages('1970-01-01T00:00:00Z')],
  ['a time stamp', 'CBOR', 'c100', inMessages('1970-01-01T00:00:00Z')],
  ['a time stamp of 64 bits', 'MessagePack', 'd7ff 77359400 5c5d4e80', inMessages('2019-02-08T09:40:16.5Z')],
  ['a time stamp of 96 bits before 1970', 'MessagePack', 'c70cff 00000001 ffffffffffffffff', inMessages('1969-12-31T23:59:59.000000001Z')],
  ['a time stamp of the year 0', 'MessagePack', 'c70cff 00000000 fffffff1868b8400', inMessages('0000-01-01T00:00:00Z')],
  ['a time stamp beyond the year 9999', 'MessagePack', 'c70cff 00000000 0000003afff44180', inMessages(Uint8Array.from([0, 0, 0, 0, 0, 0, 0, 0x3a, 0xff, 0xf4, 0x41, 0x80]))],
  ['a time stamp of a billion nanoseconds', 'MessagePack', 'd7ff ee6b2800 00000000', inMessages(Uint8Array.from([0xee, 0x6b, 0x28, 0, 0, 0, 0, 0]))],
  ['a time stamp of 3 bytes', 'MessagePack', 'c703ff 010203', inMessages(Uint8Array.from([1, 2, 3]))],
  ['extensions of all sizes', 'MessagePack', '97 d40501 d5050102 d60501020304 c80001 0501 c900000001 0501 d70500000000000000 00 d8050000000000000000 0000000000000000', inMessages([1, 2, 4, 1, 1, 8, 16].map((size) => Uint8Array.from(size > 4 ? Array(size).fill(0) : [1, 2, 3, 4].slice(0, size))))],
  ['an extension without data', 'MessagePack', 'c70005', everywhere(refused)],
  ['a tag of CBOR as nexus passes it on', 'MessagePack', 'c70025', everywhere(refused)],
  ['a list of sets as nexus passes them on', 'MessagePack', '92 c70002 c70002', everywhere(refused)],
  ['a time stamp without data', 'MessagePack', 'c700ff', everywhere(refused)],
  ['an extension without data of a longer head', 'MessagePack', 'c8000005', everywhere(refused)],
  ['an extension without data of the longest head', 'MessagePack', 'c90000000005', everywhere(refused)],
  ['an extension that is cut off', 'MessagePack', 'd60501', everywhere(refused)],
  ['a code of no meaning', 'MessagePack', 'c1', everywhere(refused)],
  ['a time with a fraction', 'CBOR', 'c1 fb41d452d9e20c0000', inMessages('2013-03-21T20:03:20.1875Z')],
  ['a time before 1970', 'CBOR', 'c1 20', inMessages('1969-12-31T23:59:59Z')],
  ['a time beyond the year 9999', 'CBOR', 'c1 1b0000003afff44180', inMessages(253_402_300_800)],
  ['a time that is no number', 'CBOR', 'c1 f97e00', inMessages(null)],
  ['a time as bytes', 'CBOR', 'c1 4101', inMessages(new Uint8Array([1]))],
  ['a date as days', 'CBOR', 'd864 194a47', inMessages('2022-01-23')],
  ['a date before 1970', 'CBOR', 'd864 20', inMessages('1969-12-31')],
  ['a date as text', 'CBOR', `d903ec 6a ${Buffer.from('1940-10-09').toString('hex')}`, inMessages('1940-10-09')],
  ['a UUID', 'CBOR', 'd825 50 00112233445566778899aabbccddeeff', inMessages('00112233-4455-6677-8899-aabbccddeeff')],
  ['a UUID of 4 bytes', 'CBOR', 'd825 4401020304', inMessages(Uint8Array.from([1, 2, 3, 4]))],
  ['a set of times', 'CBOR', 'd90102 82 c100 c101', inMessages(['1970-01-01T00:00:00Z', '1970-01-01T00:00:01Z'])],
  ['a tag on a tag', 'CBOR', 'd9d9f7 c1 00', inMessages('1970-01-01T00:00:00Z')],
  ['a reference to shared data', 'CBOR', '82 d81c 80 d81d 00', everywhere(refused)],
  ['a reference to a text', 'CBOR', 'd90100 82 6161 d819 00', everywhere(refused)],
  ['a rational number', 'CBOR', 'd81e 82 01 03', inMessages([1, 3])],
  ['an address of a network', 'CBOR', 'd834 44c0000201', inMessages(Uint8Array.from([0xc0, 0, 2, 1]))],
  ['a date and time', 'CBOR', `c0 74 ${Buffer.from('2013-03-21T20:04:00Z').toString('hex')}`, inMessages('2013-03-21T20:04:00Z')],
  ['an extension of no known type', 'MessagePack', 'd40000', inMessages(new Uint8Array([0]))],
  ['a tag of no known meaning', 'CBOR', 'd903e8 01', inMessages(1)],
  ['a set', 'CBOR', 'd90102 8101', inMessages([1])],
  ['a map of any keys', 'CBOR', 'd90103 a10102', inMessages({ 1: 2 })],
  ['a shared value', 'CBOR', 'd81c 8101', inMessages([1])],
  ['a record', 'CBOR', 'd869 82 190100 816161', inMessages([256, ['a']])],
  ['the tag of CBOR itself', 'CBOR', 'd9d9f7 8101', everywhere([1])],
  ['a decimal fraction', 'CBOR', 'c48221196ab3', everywhere(273.15)],
  ['a decimal fraction of texts', 'CBOR', 'c482 6131 6132', inMessages(['1', '2'])],
  ['a bigfloat', 'CBOR', 'c5822003', everywhere(1.5)],
  ['a bignum within 64 bits', 'CBOR', 'c248ffffffffffffffff', everywhere(2n ** 64n - 1n)],
  ['a small bignum', 'CBOR', 'c34101', everywhere(-2)],
  ['an empty bignum', 'CBOR', 'c240', everywhere(0)],
  ['a bignum beyond 64 bits', 'CBOR', 'c249010000000000000000', inMessages('18446744073709551616')],
  ['an integer beyond 64 bits', 'JSON', '18446744073709551616', inMessages('18446744073709551616')],
  ['an integer below 64 bits', 'CBOR', '3bffffffffffffffff', inMessages('-18446744073709551616')],
  ['the least integer of 64 bits', 'CBOR', '3b7fffffffffffffff', everywhere(-(2n ** 63n))],
  ['the least safe integer', 'CBOR', '3b001ffffffffffffe', everywhere(Number.MIN_SAFE_INTEGER)],
  ['the integer below it', 'CBOR', '3b001fffffffffffff', everywhere(-(2n ** 53n))],
  ['the least safe integer', 'MessagePack', 'd3ffe0000000000001', everywhere(Number.MIN_SAFE_INTEGER)],
  ['the integer below it', 'MessagePack', 'd3ffe0000000000000', everywhere(-(2n ** 53n))],
  ['a small integer in 64 bits', 'MessagePack', 'd3ffffffffffffffff', everywhere(-1)],
  ['a small integer in 64 bits', 'CBOR', '1b0000000000000001', everywhere(1)],
  ['a negative bignum beyond 64 bits', 'CBOR', 'c3488000000000000000', inMessages('-9223372036854775809')],
  ['a decimal fraction of a bignum', 'CBOR', 'c482 20 c249010000000000000000', inMessages(Number('1844674407370955161.6'))],
  ['an integer of 1,000 digits', 'JSON', `-${'9'.repeat(1000)}`, inMessages(`-${'9'.repeat(1000)}`)],
  ['an integer of 1,001 digits', 'JSON', '9'.repeat(1001), everywhere(refused)],
  ['a bignum of 417 bytes', 'CBOR', `c2 5901a1 ${'ff'.repeat(417)}`, everywhere(refused)],
  ['integers of 64 bits and more', 'JSON', '[-9223372036854775808,-9223372036854775809,18446744073709551615]', inMessages([-(2n ** 63n), '-9223372036854775809', 2n ** 64n - 1n])],
  ['undefined', 'CBOR', 'f7', everywhere(null)],
  ['a simple value of no known meaning', 'CBOR', 'f8ff', everywhere(refused)],
  ['false in two bytes', 'CBOR', 'f814', everywhere(refused)],
  ['floats of 16 bits', 'CBOR', '84 f93c00 f90001 f97bff f98000', everywhere([1, 2 ** -24, 65_504, -0])],
  ['a list of unannounced size', 'CBOR', '9f01ff', everywhere([1])],
  ['a map of unannounced size', 'CBOR', 'bf616101ff', everywhere({ a: 1 })],
  ['a map of unannounced size without its last value', 'CBOR', 'bf6161ff', everywhere(refused)],
  ['a list of unannounced size without an end', 'CBOR', '9f01', everywhere(refused)],
  ['text of unannounced size', 'CBOR', '7f616161 62ff', everywhere('ab')],
  ['text of unannounced size without chunks', 'CBOR', '7fff', everywhere('')],
  ['bytes of unannounced size', 'CBOR', '5f 4101 4102 ff', everywhere(new Uint8Array([1, 2]))],
  ['text of unannounced size with bytes', 'CBOR', '7f 4161 ff', everywhere(refused)],
  ['text of unannounced size within such text', 'CBOR', '7f 7f 6161 ff ff', everywhere(refused)],
  ['text of unannounced size without an end', 'CBOR', '7f 6161', everywhere(refused)],
  ['a character in two chunks', 'CBOR', '7f 61c3 61a9 ff', everywhere(refused)],
  ['an end without a beginning', 'CBOR', 'ff', everywhere(refused)],
  ['an end without a beginning in a list', 'CBOR', '81ff', everywhere(refused)],
  ['a reserved head', 'CBOR', '1c', everywhere(refused)],
  ['more than announced', 'CBOR', '810101', everywhere(refused)],
  ['fewer than announced', 'CBOR', '8201', everywhere(refused)],
  ['64 levels', 'MessagePack', `${'91'.repeat(64)}01`, everywhere(deep(64))],
  ['65 levels', 'MessagePack', `${'91'.repeat(65)}01`, inMessages(deep(65))],
  ['80 levels', 'CBOR', `${'81'.repeat(80)}01`, inMessages(deep(80))],
  ['81 levels', 'CBOR', `${'81'.repeat(81)}01`, ofRouter(deep(81))],
  ['81 levels', 'MessagePack', `${'91'.repeat(81)}01`, ofRouter(deep(81))],
  ['81 levels', 'JSON', `${'['.repeat(81)}1${']'.repeat(81)}`, ofRouter(deep(81))],
  ['501 levels', 'CBOR', `${'81'.repeat(501)}01`, everywhere(refused)],
  ['501 levels', 'MessagePack', `${'91'.repeat(501)}01`, everywhere(refused)],
  ['501 levels', 'JSON', `${'['.repeat(501)}1${']'.repeat(501)}`, everywhere(refused)],
  ['50,000 tags', 'CBOR', `${'c6'.repeat(50_000)}01`, everywhere(refused)],
  ['a billion values that do not follow', 'MessagePack', 'dd3fffffff', everywhere(refused)],
  ['2^32 values that do not follow', 'CBOR', '9b0000000100000000', everywhere(refused)],
]

const outcome = (read: () => unknown): unknown => {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    return error.uri === 'service.error.bad_request' ? refused : tooMany
  }
}

for (const [form, read] of Object.entries(forms)) {
  describe(`What is read of ${form}`, () => {
    for (const [what, of, data, expected] of rows.filter(([, of]) => of === form)) {
      it(`holds for ${what}`, () => {
        for (const [origin, rules] of Object.entries(origins)) {
          expect(
            outcome(() => forms[of](data, rules)),
            origin,
          ).to.deep.equal(expected[origin as Origin])
          expect(
            outcome(() => inSteps(of, data, rules)),
            `${origin}, in steps`,
          ).to.deep.equal(expected[origin as Origin])
        }
      })
    }

    it('ends with as many values as the rules allow', () => {
      const four = { JSON: '[1,2,3]', MessagePack: '93010203', CBOR: '83010203' }[form] ?? ''
      const open = { JSON: '[1,2,3]', MessagePack: '93010203', CBOR: '9f010203ff' }[form] ?? ''
      for (const data of [four, open]) {
        expect(read(data, { ...bodyRules, values: 4 })).to.deep.equal([1, 2, 3])
        expect(outcome(() => read(data, { ...bodyRules, values: 3 }))).to.equal(tooMany)
      }
    })
  })
}

describe('The number of values', () => {
  it('counts the keys of the binary forms, and not those of JSON', () => {
    const rules = { ...bodyRules, values: 2 }
    expect(parseJson('{"a":1}', rules)).to.deep.equal({ a: 1 })
    expect(outcome(() => decodeMsgpack(bytesOf('81a16101'), rules))).to.equal(tooMany)
    expect(outcome(() => decodeCbor(bytesOf('a1616101'), rules))).to.equal(tooMany)
  })

  for (const [what, rules, depth, values] of [
    ['a body', bodyRules, 64, 200_000],
    ['a document', documentRules, 256, 1_000_000],
    ['a message of a gateway', trustedRules, 300, 50_000_000],
    ['a message of a peer', peerRules, 80, 1_000_000],
    ['a message before WELCOME', strangerRules, 80, 1_000],
    ['a message of the router', routerRules, 500, 10_000_000],
  ] as const) {
    it(`is at most ${values} in ${what}, in ${depth} levels`, () => {
      expect(rules).to.include({ depth, values })
    })
  }
})

describe('A key that is a list', () => {
  it('takes as long as it is, also in a list of lists', () => {
    const lists = `${'81'.repeat(70)}01`
    const map = decodeCbor(bytesOf(`a1${lists}02`), routerRules) as object
    expect(Object.keys(map)).to.deep.equal([`${'['.repeat(70)}1${']'.repeat(70)}`])
  })
})

describe('A reader of bytes', () => {
  it('names the position, never data', () => {
    expect(() => decodeMsgpack(bytesOf('92 a3707770 c1'))).to.throw(
      /^an unknown code at position 6 of the MessagePack data$/,
    )
  })

  it('takes equal keys of all lengths, ASCII and not, for the same keys', () => {
    for (const key of ['', 'a', 'b', 'key'.repeat(10), 'key'.repeat(11), 'k'.repeat(300), 'klíč']) {
      const text = Buffer.from(key)
      const head = Buffer.from([0xda, text.length >> 8, text.length & 0xff])
      const map = Buffer.concat([Buffer.from([0x81]), head, text, Buffer.from([1])])
      expect(decodeMsgpack(map)).to.deep.equal({ [key]: 1 })
      expect(decodeMsgpack(map)).to.deep.equal({ [key]: 1 })
    }
  })
})
