/** What each serializer writes for a peer, and what it refuses to read from one. */
import { isDeepStrictEqual } from 'node:util'
import { expect } from 'chai'
import { peerRules } from '#component/codec/limits.ts'
import { encodeOnce, type SerializerName, serializers } from '#component/codec/serializers.ts'
import { runAtOnce } from '#component/yielding.ts'

const shared = {
  json: encodeOnce(serializers.json),
  msgpack: encodeOnce(serializers.msgpack),
  cbor: encodeOnce(serializers.cbor),
}
const encode = (name: SerializerName, message: readonly unknown[]) =>
  Buffer.from(shared[name].encode(message) as string)
const decode = (name: SerializerName, bytes: Uint8Array) => shared[name].decode(bytes, peerRules)
const write = (name: SerializerName, value: unknown) => {
  const encoded = shared[name].encode([value])
  return typeof encoded === 'string' ? encoded : Buffer.from(encoded).toString('hex')
}
const read = (name: SerializerName, data: string) =>
  decode(name, Buffer.from(data, name === 'json' ? 'utf8' : 'hex'))

const big = 2n ** 64n - 1n
const small = -(2n ** 63n)

describe('A serializer', () => {
  for (const [name, value, encoded] of [
    ['json', 2 ** 40, '[1099511627776]'],
    ['json', big, '[18446744073709551615]'],
    ['json', small, '[-9223372036854775808]'],
    ['json', new Uint8Array([1, 2]), '["\\u0000AQI="]'],
    ['json', { a: 'ž' }, '[{"a":"ž"}]'],
    ['msgpack', 1, '9101'],
    ['msgpack', 2 ** 40, '91cf0000010000000000'],
    ['msgpack', -(2 ** 40), '91d3ffffff0000000000'],
    ['msgpack', big, '91cfffffffffffffffff'],
    ['msgpack', small, '91d38000000000000000'],
    ['msgpack', new Uint8Array([1, 2]), '91c4020102'],
    ['msgpack', { a: [2 ** 33] }, '9181a16191cf0000000200000000'],
    ['cbor', 1, '8101'],
    ['cbor', 2 ** 40, '811b0000010000000000'],
    ['cbor', -(2 ** 40), '813b000000ffffffffff'],
    ['cbor', big, '811bffffffffffffffff'],
    ['cbor', small, '813b7fffffffffffffff'],
    ['cbor', new Uint8Array([1, 2]), '81420102'],
    ['cbor', {}, '81a0'],
    ['cbor', { a: {}, b: [] }, '81a26161a0616280'],
    ['cbor', [[], ''], '81828060'],
    ['cbor', [23, 24, 255, 256, 65_536], '818517181818ff1901001a00010000'],
    ['cbor', [-24, -25, -256, -257], '818437381838ff390100'],
  ] as const) {
    it(`writes and reads ${encoded} (${name})`, () => {
      expect(write(name, value)).to.equal(encoded)
      expect(read(name, encoded)).to.deep.equal([value])
    })
  }

  for (const name of ['json', 'msgpack', 'cbor'] as const) {
    it(`writes undefined as null, and floats as they are (${name})`, () => {
      const written = encode(name, [undefined, 1.5, 1e300])
      expect(decode(name, written)).to.deep.equal([null, 1.5, 1e300])
    })

    it(`writes numbers that are not finite as null (${name})`, () => {
      const written = encode(name, [NaN, { a: Infinity }, [-Infinity]])
      expect(decode(name, written)).to.deep.equal([null, { a: null }, [null]])
    })

    it(`writes 2^53, the greatest id, as an integer (${name})`, () => {
      for (const id of [2 ** 53, -(2 ** 53)]) {
        expect(decode(name, encode(name, [id]))).to.deep.equal([BigInt(id)])
      }
    })

    it(`writes a message again that has changed in between (${name})`, () => {
      const [one, two] = [['a'], ['b']]
      const written = [one, one, two, one].map((message) => decode(name, encode(name, message)))
      expect(written).to.deep.equal([['a'], ['a'], ['b'], ['a']])
    })
  }

  for (const [what, major, sized] of [
    ['bytes', 2, (size: number) => new Uint8Array(size)],
    ['text', 3, (size: number) => 'x'.repeat(size)],
    ['a list', 4, (size: number) => Array(size).fill(0)],
    ['a map', 5, (size: number) => Object.fromEntries(Array(size).fill(0).entries())],
  ] as const) {
    it(`writes the size of ${what} in as few bytes as there are (cbor)`, () => {
      for (const [size, head] of [
        [0, '00'],
        [23, '17'],
        [24, '1818'],
        [255, '18ff'],
        [256, '190100'],
        [65_535, '19ffff'],
        [65_536, '1a00010000'],
      ] as const) {
        const expected = Buffer.from(head, 'hex')
        expected[0] = (expected[0] ?? 0) | (major << 5)
        const written = encode('cbor', [sized(size)])
        expect(written.subarray(1, 1 + expected.length), String(size)).to.deep.equal(expected)
      }
    })
  }

  for (const [name, what, value] of [
    ['msgpack', 'an integer of more than 64 bits', 2n ** 64n],
    ['cbor', 'an integer of more than 64 bits', -(2n ** 63n) - 1n],
    ['msgpack', 'half a surrogate pair', '\ud800'],
    ['cbor', 'half a surrogate pair', { a: ['\udfff'] }],
    ['msgpack', 'a function', () => {}],
  ] as const) {
    it(`does not write ${what} (${name})`, () => {
      expect(() => write(name, value)).to.throw()
    })
  }

  for (const [name, what, data] of [
    ['json', 'half a surrogate pair', '["\\ud800"]'],
    ['msgpack', 'nothing', ''],
    ['msgpack', 'a value that is cut off', '9192'],
    ['msgpack', 'something behind the message', '910101'],
    ['msgpack', 'a key __proto__', '9181a95f5f70726f746f5f5f01'],
    ['msgpack', 'deep nesting', `${'91'.repeat(100)}01`],
    ['msgpack', 'a billion values that are not there', '91dd3fffffff'],
    ['cbor', 'nothing', ''],
    ['cbor', 'a value that is cut off', '8182'],
    ['cbor', 'deep nesting', `${'81'.repeat(20_000)}01`],
  ] as const) {
    it(`does not read ${what} (${name})`, () => {
      expect(() => read(name, data)).to.throw()
    })
  }

  for (const [name, what, data, head] of [
    ['json', 'half a surrogate pair', '[48,7,{},"a",["\\ud800"]]', [48, 7, {}, 'a']],
    ['json', 'equal keys', '[36, 1, 2, {"a":1,"a":1}, []]', [36, 1, 2]],
    ['json', 'text behind the message', '[1]]', [1]],
    ['json', 'no list', '{"a":', []],
    ['json', 'an empty list that goes on', '[] 1', []],
    ['json', 'an end that is missing', '[70,{"é":[', [70]],
    ['msgpack', 'a code of no meaning', '94 30 07 80 91c1', [48, 7, {}]],
    ['msgpack', 'a nested list that ends too early', '92 30 9392', [48]],
    ['msgpack', 'bytes behind the message', '9130 00', [48]],
    ['msgpack', 'no list', 'c1', []],
    ['cbor', 'a simple value of no meaning', '84 1830 07 a0 81f8ff', [48, 7, {}]],
    ['cbor', 'a list of unannounced size', '9f 1830 07 a0 8161ff ff', [48, 7, {}]],
    ['cbor', 'nothing', '', []],
  ] as const) {
    it(`reads the fields before ${what} (${name})`, () => {
      const bytes =
        name === 'json' ? Buffer.from(data) : Buffer.from(data.replaceAll(' ', ''), 'hex')
      expect(() => decode(name, bytes)).to.throw()
      for (const step of [1, 5, 1_000])
        expect(runAtOnce(shared[name].heading(bytes, peerRules, step))).to.deep.equal(head)
    })
  }

  it('reads the fields before bytes that are no UTF-8 (json)', () => {
    const bytes = Buffer.concat([
      Buffer.from('[48,7,{"é":1},"b","'),
      Buffer.from([0xff]),
      Buffer.from('"]'),
    ])
    expect(runAtOnce(serializers.json.heading(bytes, peerRules, 5))).to.deep.equal([
      48,
      7,
      { é: 1 },
      'b',
    ])
  })

  it('does not read bytes that are no UTF-8 (json)', () => {
    const bytes = Buffer.from([0x5b, 0x22, 0xff, 0x22, 0x5d])
    expect(() => decode('json', bytes)).to.throw()
  })

  it('reads text behind a NUL as bytes only when it is base64', () => {
    expect(read('json', '["\\u0000AQI=", "\\u0000no base64", "AQI="]')).to.deep.equal([
      new Uint8Array([1, 2]),
      '\0no base64',
      'AQI=',
    ])
  })

  for (const [name, what, data] of [
    ['json', 'holds', `[${'[],'.repeat(1_000_000)}[]]`],
    ['msgpack', 'holds', `dd000f4241${'90'.repeat(1_000_001)}`],
    ['msgpack', 'announces in nested lists', 'dd000f0000'.repeat(50)],
    ['msgpack', 'announces in a map', '91df00100000'],
    ['cbor', 'holds', `9a000f4241${'80'.repeat(1_000_001)}`],
    ['cbor', 'holds in a list without a length', `9f${'80'.repeat(1_000_001)}ff`],
    ['cbor', 'announces in nested lists', '9a000f0000'.repeat(50)],
    ['cbor', 'announces in a map', '81ba00100000'],
  ] as const) {
    it(`does not read a message that ${what} more than a million values (${name})`, () => {
      expect(() => read(name, data)).to.throw(/more than 1000000 values|an unexpected end/)
    })
  }

  for (const [name, value] of [
    ['msgpack', ['x'.repeat(40), 'x'.repeat(300), 'x'.repeat(70_000)]],
    ['msgpack', [new Uint8Array(300), new Uint8Array(70_000)]],
    ['msgpack', [Array(20).fill(-40_000), Array(70_000).fill(0.5)]],
    ['msgpack', Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`k${n}`, -200]))],
    ['cbor', ['x'.repeat(40), 'x'.repeat(300), 'x'.repeat(70_000)]],
    ['cbor', [new Uint8Array(300), new Uint8Array(70_000)]],
    ['cbor', [Array(30).fill(-40_000), Array(70_000).fill(0.5)]],
    ['cbor', Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`k${n}`, -200]))],
  ] as const) {
    it(`reads what it wrote, whatever the widths of its heads (${name})`, () => {
      const decoded = decode(name, encode(name, [value]))
      expect(isDeepStrictEqual(decoded, [value])).to.equal(true)
    })
  }
})
