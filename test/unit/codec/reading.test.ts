/** What is read depends on where it comes from, in each form alike: one row for each point on which readers have differed. */
import { expect } from 'chai'
import { decodeCbor } from '#component/codec/cbor.ts'
import { parseJson } from '#component/codec/json.ts'
import {
  bodyRules,
  documentRules,
  peerRules,
  type ReadRules,
  routerRules,
  strangerRules,
  trustedRules,
} from '#component/codec/limits.ts'
import { decodeMsgpack } from '#component/codec/msgpack.ts'
import { ServiceError } from '#component/errors.ts'

const origins = { body: bodyRules, peer: peerRules, router: routerRules } as const
type Origin = keyof typeof origins

const forms = {
  JSON: (data: string, rules: ReadRules) => parseJson(data, rules),
  MessagePack: (data: string, rules: ReadRules) => decodeMsgpack(bytesOf(data), rules),
  CBOR: (data: string, rules: ReadRules) => decodeCbor(bytesOf(data), rules),
} as const
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
  ['an integer beyond 2^53 as key', 'CBOR', 'a1 1b0020000000000001 02', everywhere(refused)],
  ['true as key', 'MessagePack', '81 c3 02', everywhere(refused)],
  ['true as key', 'CBOR', 'a1 f5 02', everywhere(refused)],
  ['bytes as key', 'MessagePack', '81 c40161 02', everywhere(refused)],
  ['bytes as key', 'CBOR', 'a1 4161 02', everywhere(refused)],
  ['equal keys', 'JSON', '{"a":1,"a":2}', everywhere(refused)],
  ['equal keys', 'MessagePack', '82 a16101 a16102', everywhere(refused)],
  ['equal keys', 'CBOR', 'a2 616101 616102', everywhere(refused)],
  ['a number and its text as keys', 'CBOR', 'a2 0101 613102', everywhere(refused)],
  ['keys of Object.prototype', 'MessagePack', '81 ab636f6e7374727563746f72 01', everywhere({ constructor: 1 })],
  ['__proto__', 'JSON', '{"__proto__":1}', ofRouter(protoKey)],
  ['__proto__', 'MessagePack', '81 a95f5f70726f746f5f5f 01', ofRouter(protoKey)],
  ['__proto__', 'CBOR', 'a1 695f5f70726f746f5f5f 01', ofRouter(protoKey)],
  ['NaN', 'MessagePack', 'cb7ff8000000000000', inMessages(NaN)],
  ['NaN', 'CBOR', 'f97e00', inMessages(NaN)],
  ['infinity', 'MessagePack', 'ca7f800000', inMessages(Infinity)],
  ['infinity', 'CBOR', 'f9fc00', inMessages(-Infinity)],
  ['a number too great for a double', 'JSON', '1e400', everywhere(refused)],
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
  ['16-bit integers with the tag of a typed array', 'CBOR', 'd841 420001', everywhere(refused)],
  ['a time stamp', 'MessagePack', 'd6ff00000000', everywhere(refused)],
  ['a time stamp', 'CBOR', 'c100', everywhere(refused)],
  ['a date and time', 'CBOR', `c0 74 ${Buffer.from('2013-03-21T20:04:00Z').toString('hex')}`, everywhere(refused)],
  ['an extension of no known type', 'MessagePack', 'd40000', everywhere(refused)],
  ['a tag of no known meaning', 'CBOR', 'd903e8 01', everywhere(refused)],
  ['a set', 'CBOR', 'd90102 8101', everywhere(refused)],
  ['a map of any keys', 'CBOR', 'd90103 a10102', everywhere(refused)],
  ['a shared value', 'CBOR', 'd81c 8101', everywhere(refused)],
  ['a record', 'CBOR', 'd869 82 190100 816161', everywhere(refused)],
  ['the tag of CBOR itself', 'CBOR', 'd9d9f7 8101', everywhere([1])],
  ['a decimal fraction', 'CBOR', 'c48221196ab3', everywhere(273.15)],
  ['a decimal fraction of texts', 'CBOR', 'c482 6131 6132', everywhere(refused)],
  ['a bigfloat', 'CBOR', 'c5822003', everywhere(1.5)],
  ['a bignum within 64 bits', 'CBOR', 'c248ffffffffffffffff', everywhere(2n ** 64n - 1n)],
  ['a small bignum', 'CBOR', 'c34101', everywhere(-2)],
  ['an empty bignum', 'CBOR', 'c240', everywhere(0)],
  ['a bignum beyond 64 bits', 'CBOR', 'c249010000000000000000', everywhere(refused)],
  ['an integer beyond 64 bits', 'JSON', '18446744073709551616', everywhere(refused)],
  ['an integer below 64 bits', 'CBOR', '3bffffffffffffffff', everywhere(refused)],
  ['the least integer of 64 bits', 'CBOR', '3b7fffffffffffffff', everywhere(-(2n ** 63n))],
  ['the least safe integer', 'CBOR', '3b001ffffffffffffe', everywhere(Number.MIN_SAFE_INTEGER)],
  ['the integer below it', 'CBOR', '3b001fffffffffffff', everywhere(-(2n ** 53n))],
  ['the least safe integer', 'MessagePack', 'd3ffe0000000000001', everywhere(Number.MIN_SAFE_INTEGER)],
  ['the integer below it', 'MessagePack', 'd3ffe0000000000000', everywhere(-(2n ** 53n))],
  ['a small integer in 64 bits', 'MessagePack', 'd3ffffffffffffffff', everywhere(-1)],
  ['a small integer in 64 bits', 'CBOR', '1b0000000000000001', everywhere(1)],
  ['undefined', 'CBOR', 'f7', everywhere(null)],
  ['a simple value of no known meaning', 'CBOR', 'f8ff', everywhere(refused)],
  ['false in two bytes', 'CBOR', 'f814', everywhere(refused)],
  ['floats of 16 bits', 'CBOR', '84 f93c00 f90001 f97bff f98000', everywhere([1, 2 ** -24, 65_504, -0])],
  ['a list of unannounced size', 'CBOR', '9f01ff', everywhere([1])],
  ['a map of unannounced size', 'CBOR', 'bf616101ff', everywhere({ a: 1 })],
  ['a map of unannounced size without its last value', 'CBOR', 'bf6161ff', everywhere(refused)],
  ['a list of unannounced size without an end', 'CBOR', '9f01', everywhere(refused)],
  ['text of unannounced size', 'CBOR', '7f616161 62ff', everywhere(refused)],
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

describe('A reader of bytes', () => {
  it('names the position, never data', () => {
    expect(() => decodeMsgpack(bytesOf('92 a3707770 c1'))).to.throw(
      /^an extension type or unknown code at position 6 of the MessagePack data$/,
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
