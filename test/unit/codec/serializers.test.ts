/** The serializers: what goes in comes out, and other implementations read it. */
import { decode as decodeMsgpack } from '@msgpack/msgpack'
import { decode as decodeCbor } from 'cbor-x'
import { expect } from 'chai'
import fc from 'fast-check'
import { routerRules } from '#component/codec/limits.ts'
import { serializers } from '#component/codec/serializers.ts'

const bytesOf = (data: string | Uint8Array) =>
  typeof data === 'string' ? new TextEncoder().encode(data) : data

const text = fc.string({ unit: 'grapheme' }).filter((value) => !value.startsWith('\0'))
const integers = fc.oneof(
  fc.integer(),
  fc.maxSafeInteger(),
  fc.bigInt({ min: 2n ** 53n, max: 2n ** 64n - 1n }),
  fc.bigInt({ min: -(2n ** 63n), max: -(2n ** 53n) }),
)
const values = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(null, true, false, 0.5, -1e300),
    text,
    integers,
    fc.uint8Array({ maxLength: 10 }),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(
      text.filter((key) => key !== '__proto__'),
      tie('value'),
      {
        maxKeys: 4,
        noNullPrototype: true,
      },
    ),
  ),
})).value

for (const [name, serializer] of Object.entries(serializers)) {
  describe(`the serializer ${name}`, () => {
    it('gives back every message', () => {
      fc.assert(
        fc.property(values, (value) => {
          const message = [50, 1, {}, [value]]
          const data = bytesOf(serializer.encode(message, true))
          expect(serializer.decode(data, routerRules)).to.deep.equal(message)
        }),
        { numRuns: 500 },
      )
    })

    it('writes undefined as null', () => {
      const data = bytesOf(serializer.encode([50, 1, {}, [undefined, { a: undefined }]], true))
      expect(serializer.decode(data, routerRules)).to.deep.equal([50, 1, {}, [null, { a: null }]])
    })

    it('throws for bytes that are no message', () => {
      expect(() => serializer.decode(new Uint8Array([0x9f, 0xc1, 0x7b]), routerRules)).to.throw()
    })
  })
}

describe('the binary serializers', () => {
  it('write integers of 33 to 64 bits as integers, not as floats', () => {
    const message = [48, 2 ** 40, {}, 'p', [2n ** 63n, -(2 ** 40)]]
    const expected = [48, 2n ** 40n, {}, 'p', [2n ** 63n, -(2n ** 40n)]]
    const msgpack = decodeMsgpack(serializers.msgpack.encode(message, true), { useBigInt64: true })
    expect(msgpack).to.deep.equal(expected)
    const cbor: unknown = decodeCbor(Buffer.from(serializers.cbor.encode(message, true)))
    expect(cbor).to.deep.equal(expected)
  })
})

describe('the serializer json', () => {
  it('writes bytes as NUL and base64', () => {
    expect(serializers.json.encode([new Uint8Array([1, 2])])).to.equal('["\\u0000AQI="]')
  })

  it('keeps a text that only looks like bytes', () => {
    const data = bytesOf('["\\u0000no base64!"]')
    expect(serializers.json.decode(data, routerRules)).to.deep.equal(['\0no base64!'])
  })
})
