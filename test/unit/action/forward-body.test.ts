/** The bodies of a forward. */
import { deflateSync, gzipSync } from 'node:zlib'
import { expect } from 'chai'
import {
  type BodyCodec,
  decodeAnswer,
  decompress,
  upstreamBody,
} from '#component/action/forward-body.ts'
import { runOf } from './doubles.ts'

const codec: BodyCodec = {
  encode: (value, type) => (type.includes('msgpack') ? new Uint8Array([1]) : JSON.stringify(value)),
  decode: (type, bytes) => [type, JSON.parse(new TextDecoder().decode(bytes))],
}

describe('the body of an upstream request', () => {
  const json = 'application/json'
  const form = 'application/x-www-form-urlencoded'
  for (const [title, fields, sent, requestBody, body, type] of [
    ['is none for none', {}, {}, '', undefined, undefined],
    [
      'is none for a declared ""',
      { body: '' },
      { 'content-type': json },
      'x',
      undefined,
      undefined,
    ],
    ['is none for null', { body: null }, {}, 'x', undefined, undefined],
    ['is JSON by default', { body: { a: 1 } }, {}, '', '{"a":1}', json],
    ['is JSON for a text by default', { body: 'a' }, {}, '', '"a"', json],
    ['is a number', { body: 0 }, {}, '', '0', json],
    ['is false', { body: false }, {}, '', 'false', json],
    [
      'is a text as it is under its type',
      { body: 'a', headers: {} },
      { 'content-type': 'text/csv' },
      '',
      'a',
      'text/csv',
    ],
    [
      'is JSON of a +json type',
      { body: [], headers: {} },
      { 'content-type': 'application/x+json' },
      '',
      '[]',
      'application/x+json',
    ],
    [
      'is msgpack',
      { body: [], headers: {} },
      { 'content-type': 'application/msgpack' },
      '',
      '\u0001',
      'application/msgpack',
    ],
    [
      'is a form',
      { body: { a: 1, b: 'x y' }, headers: {} },
      { 'content-type': form },
      '',
      'a=1&b=x+y',
      form,
    ],
    [
      "is JSON where the type was only the client's",
      { body: { a: [] } },
      { 'content-type': form },
      '',
      '{"a":[]}',
      json,
    ],
    [
      'is the form of the request, with every value of a field that a schema reads as a list',
      {},
      { 'content-type': form },
      { a: [1, 2], b: true },
      'a=1&a=2&b=true',
      form,
    ],
    [
      'is the body of the request, encoded again',
      {},
      { 'content-type': form },
      { a: '1' },
      'a=1',
      form,
    ],
  ] as const) {
    it(title, () => {
      const { run } = runOf()
      const headers = { ...sent }
      const made = upstreamBody(
        fields,
        { ...run, request: { ...run.request, body: requestBody } },
        headers,
        codec,
      )
      expect(made instanceof Uint8Array ? new TextDecoder().decode(made) : made).to.equal(body)
      expect((headers as Record<string, string>)['content-type']).to.equal(type)
    })
  }

  it('cannot be a map in a type that the document declares and nobody writes', () => {
    const headers = { 'content-type': 'text/plain' }
    expect(() => upstreamBody({ body: {}, headers }, runOf().run, { ...headers }, codec))
      .to.throw()
      .with.property('uri', 'service.error.http_gateway.invalid_expression')
  })
})

describe('the body of an answer', () => {
  const bytes = (value: string) => new TextEncoder().encode(value)
  for (const [title, body, type, expected] of [
    ['is "" when there is none', '', 'application/json', ''],
    ['is decoded', '{"a":1}', 'Application/JSON; charset=utf-8', ['application/json', { a: 1 }]],
    ['is text without a type', '{}', undefined, '{}'],
    ['is text of another type', '{}', 'text/html', '{}'],
  ] as const) {
    it(title, () => {
      const headers = type === undefined ? {} : { 'content-type': type }
      expect(decodeAnswer(bytes(body), headers, codec)).to.deep.equal(expected)
    })
  }

  it('loses its content encodings, the last first', async () => {
    const packed = gzipSync(deflateSync('hello'))
    const plain = await decompress(packed, { 'content-encoding': 'deflate, GZIP', etag: 'x' })
    expect(new TextDecoder().decode(plain.bytes)).to.equal('hello')
    expect(plain.headers).to.deep.equal({ etag: 'x' })
  })

  for (const encoding of ['gzip', 'sdch', 'constructor']) {
    it(`is bad_gateway when ${encoding} cannot be undone`, async () => {
      const failure = await decompress(bytes('x'), { 'content-encoding': encoding }).catch(
        (error: unknown) => error,
      )
      expect(failure).to.have.property('uri', 'service.error.bad_gateway')
    })
  }
})
