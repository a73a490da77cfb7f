/** Bodies: JSON, MessagePack, CBOR and forms, strictly read and exactly written; texts; bytes as they are. */
import { decode, encode } from '@msgpack/msgpack'
import { expect } from 'chai'
import fc from 'fast-check'
import { ServiceError } from '#component/errors.ts'
import { defaultValues } from '#component/spec/defaults.ts'
import { contentOf, decodeBody, encodeBody } from '#http/codec.ts'
import { parseQuery, parseQueryLists } from '#http/form.ts'
import { rounds } from '#test/support/running/rounds.ts'

const msgpack = 'application/msgpack'
const form = 'application/x-www-form-urlencoded'
const badRequest = 'service.error.bad_request'
const tooLarge = 'service.error.payload_too_large'
const bytes = (hex: string) => Buffer.from(hex.replaceAll(' ', ''), 'hex')

describe('decodeBody of MessagePack', () => {
  for (const [hex, value] of [
    ['c0', null],
    ['c3', true],
    ['7f', 127],
    ['ff', -1],
    ['cd ffff', 65_535],
    ['d1 8000', -32_768],
    ['cf 0000000000000001', 1],
    ['cf 001fffffffffffff', Number.MAX_SAFE_INTEGER],
    ['cf 0020000000000001', 2n ** 53n + 1n],
    ['cf ffffffffffffffff', 2n ** 64n - 1n],
    ['d3 8000000000000000', -(2n ** 63n)],
    ['cb 3ff8000000000000', 1.5],
    ['a1 61', 'a'],
    ['c4 02 0102', new Uint8Array([1, 2])],
    ['92 01 90', [1, []]],
    ['81 a1 61 c2', { a: false }],
  ] as const) {
    it(`reads ${hex}`, () => {
      expect(decodeBody(msgpack, bytes(hex))).to.deep.equal(value)
    })
  }

  for (const [what, hex, uri] of [
    ['nothing', '', badRequest],
    ['an ext type', 'c7 01 70 00', badRequest],
    ['a timestamp', 'd6 ff 00000000', badRequest],
    ['the unused code', 'c1', badRequest],
    ['a list as key', '81 91 01 02', badRequest],
    ['a number as key', '81 01 02', badRequest],
    ['equal keys', '82 a1 61 01 a1 61 02', badRequest],
    ['__proto__', '81 a9 5f5f70726f746f5f5f 01', badRequest],
    ['invalid UTF-8', 'a1 ff', badRequest],
    ['NaN', 'cb 7ff8000000000000', badRequest],
    ['Infinity', 'ca 7f800000', badRequest],
    ['trailing bytes', 'c0 c0', badRequest],
    ['cut text', 'a5 61', badRequest],
    ['a list of four billion', 'dd ffffffff', badRequest],
    ['nesting of 65', `${'91'.repeat(65)}c0`, badRequest],
    ['200,001 values', `dd 00030d40${'c0'.repeat(200_000)}`, tooLarge],
  ] as const) {
    it(`refuses ${what}`, () => {
      expect(() => decodeBody(msgpack, bytes(hex)))
        .to.throw()
        .with.property('uri', uri)
    })
  }

  it('agrees with the package about every JSON value', () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
        fc.pre(!JSON.stringify(value).includes('__proto__'))
        expect(decodeBody(msgpack, encode(value))).to.deep.equal(decode(encode(value)))
      }),
    )
  })

  it('survives every mutilation', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 30 }), (data) => {
        try {
          decodeBody(msgpack, data)
        } catch (error) {
          expect(error).to.have.property('uri').that.is.oneOf([badRequest, tooLarge])
        }
      }),
      { numRuns: rounds(500, 2000) },
    )
  })
})

describe('encodeBody', () => {
  for (const [value, hex] of [
    [5_000_000_000, 'cf000000012a05f200'],
    [-5_000_000_000, 'd3fffffffed5fa0e00'],
    [2n ** 64n - 1n, 'cfffffffffffffffff'],
    [1.5, 'cb3ff8000000000000'],
    [{ a: undefined }, '81a161c0'],
    [new Uint8Array([1]), 'c40101'],
  ] as const) {
    it(`writes ${hex}`, () => {
      expect(Buffer.from(encodeBody(value, msgpack)).toString('hex')).to.equal(hex)
    })
  }

  it('writes JSON as text, for problems too', () => {
    expect(encodeBody({ id: 2n ** 53n + 1n }, 'application/problem+json')).to.equal(
      '{"id":9007199254740993}',
    )
  })

  it('writes an error as its body, in both', () => {
    const error = new ServiceError('service.error.timeout', 'too late')
    const body = JSON.stringify(error)
    expect(encodeBody(error, 'application/json')).to.equal(body)
    expect(decode(Buffer.from(encodeBody(error, msgpack)))).to.deep.equal(JSON.parse(body))
  })

  it('refuses a small value that is a huge tree', () => {
    let value: unknown = ['x']
    for (let turn = 0; turn < 30; turn++) value = [value, value]
    const uri = 'service.error.http_gateway.invalid_expression'
    expect(() => encodeBody(value, msgpack))
      .to.throw()
      .with.property('uri', uri)
  })
})

describe('decodeBody of a form', () => {
  for (const [text, fields] of [
    ['a=1&b=2', { a: '1', b: '2' }],
    ['a=1&a=2', { a: '2' }],
    ['a=%C3%A9+x%2B', { a: 'é x+' }],
    ['a&b=', { a: '', b: '' }],
    ['&&a=1&', { a: '1' }],
    ['a=b=c', { a: 'b=c' }],
    ['constructor=1', { constructor: '1' }],
  ] as const) {
    it(`reads ${text}`, () => {
      expect(decodeBody(form, Buffer.from(text))).to.deep.equal(fields)
    })
  }

  for (const [what, body, uri] of [
    ['a bad escape', Buffer.from('a=%zz'), badRequest],
    ['escapes that are not UTF-8', Buffer.from('a=%ff'), badRequest],
    ['bytes that are not UTF-8', Buffer.from([0x61, 0xff]), badRequest],
    ['__proto__', Buffer.from('__proto__=1'), badRequest],
    ['1,001 fields', Buffer.from('a=1&'.repeat(1001)), tooLarge],
  ] as const) {
    it(`refuses ${what}`, () => {
      expect(() => decodeBody(form, body))
        .to.throw()
        .with.property('uri', uri)
    })
  }

  it('is 415 for a type that is not read', () => {
    const uri = 'service.error.unsupported_media_type'
    expect(() => decodeBody('text/plain', Buffer.from('a')))
      .to.throw()
      .with.property('uri', uri)
  })
})

describe('parseQueryLists', () => {
  it('keeps all values of a key in order, decoded; a key without = is "true"', () => {
    expect({ ...parseQueryLists('tag=a&n=1&tag=b+c&tag&tag=%C3%A4&e=') }).to.deep.equal({
      tag: ['a', 'b c', 'true', 'ä'],
      n: ['1'],
      e: [''],
    })
    expect({ ...parseQueryLists('') }).to.deep.equal({})
  })

  it('takes any key as data', () => {
    const lists = parseQueryLists('__proto__=1&__proto__=2&constructor=3')
    expect(Object.entries(lists)).to.deep.equal([
      ['__proto__', ['1', '2']],
      ['constructor', ['3']],
    ])
  })

  it('refuses more than 1000 fields, as query_params', () => {
    const many = 'a&'.repeat(1001)
    for (const parse of [parseQuery, parseQueryLists]) {
      expect(() => parse(many)).to.throw('the query has more than 1000 fields')
    }
  })
})

describe('parseQuery', () => {
  it('decodes, takes the last of a repeated key, and "true" for a bare one', () => {
    expect({ ...parseQuery('a=1&a=%20x&flag&e=') }).to.deep.equal({ a: ' x', flag: 'true', e: '' })
    expect({ ...parseQuery('') }).to.deep.equal({})
  })

  it('holds __proto__ as a plain key', () => {
    expect(Object.keys(parseQuery('__proto__=1'))).to.deep.equal(['__proto__'])
  })
})

const limits = { body_max_keys: 100, multipart: defaultValues.multipart }

describe('the body of a request', () => {
  const read = (type: string | undefined, hex: string) => contentOf(type, bytes(hex), limits)

  for (const [type, hex, body] of [
    ['application/vnd.api+json', '7b7d', {}],
    ['application/cbor', 'a1 6161 01', { a: 1 }],
    ['application/cbor', '42 0102', new Uint8Array([1, 2])],
    ['text/csv', '61 2c c3a4', 'a,ä'],
    ['text/plain', 'efbbbf 61', 'a'],
    ['text/plain; charset="iso-8859-1"', '61 e4', 'aä'],
    ['text/plain; charset=us-ascii', '61', 'a'],
    ['text/plain; charset=utf-16le', 'fffe 6100 e400', 'aä'],
    ['text/plain; charset=shift_jis', '82a0', 'あ'],
    ['application/xml', '3c612f3e', '<a/>'],
    ['application/atom+xml; charset=utf-8', '3c612f3e', '<a/>'],
    ['image/svg+xml', '3c612f3e', new Uint8Array([0x3c, 0x61, 0x2f, 0x3e])],
    ['image/png', '89504e47', new Uint8Array([0x89, 0x50, 0x4e, 0x47])],
    ['application/octet-stream', '7b7d', new Uint8Array([0x7b, 0x7d])],
    [undefined, '00 ff', new Uint8Array([0, 255])],
  ] as const) {
    it(`of the type ${type} is read from ${hex}`, async () => {
      const content = await read(type, hex)
      expect(content).to.deep.equal({ body, body_length: bytes(hex).length })
    })
  }

  it('of bytes is no Buffer, whose text in JSON is another one', async () => {
    const { body } = await contentOf('image/png', Buffer.from([1]), limits)
    expect(Buffer.isBuffer(body)).to.equal(false)
  })

  for (const [type, hex, message] of [
    ['text/plain', 'ff', 'the text/plain text is not valid UTF-8'],
    ['text/plain; charset=utf-16le', '6100 61', 'the text is not valid utf-16le'],
    ['text/plain; charset=shift_jis', '82', 'the text is not valid shift_jis'],
    ['application/cbor', 'a1 61', 'CBOR data'],
    ['application/cbor', 'c1 01', 'the tag 1, which is not plain data,'],
    ['application/vnd.api+json', '7b', 'JSON'],
  ] as const) {
    it(`of the type ${type} is refused for ${hex}`, () => {
      expect(() => read(type, hex))
        .to.throw(ServiceError, message)
        .with.property('uri', badRequest)
    })
  }

  for (const [value, hex] of [
    [{ a: 1 }, 'a1 6161 01'],
    [2 ** 53, '1b 0020000000000000'],
    [new Uint8Array([1, 2]), '42 0102'],
    [null, 'f6'],
  ] as const) {
    it(`is written as ${hex} in CBOR`, () => {
      expect(Buffer.from(encodeBody(value, 'application/cbor') as Uint8Array)).to.deep.equal(
        bytes(hex),
      )
    })
  }
})
