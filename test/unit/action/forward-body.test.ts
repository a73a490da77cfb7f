/** The bodies of a forward. */
import { deflateSync, gzipSync } from 'node:zlib'
import { expect } from 'chai'
import type { Run } from '#component/action/action.ts'
import {
  type BodyCodec,
  decodeAnswer,
  decompress,
  upstreamBody,
} from '#component/action/forward/body.ts'
import { runOf } from './doubles.ts'

const codec: BodyCodec = {
  encode: (value, type) => (type.includes('msgpack') ? new Uint8Array([1]) : JSON.stringify(value)),
  decode: (type, bytes) => [type, JSON.parse(new TextDecoder().decode(bytes))],
}

describe('a declared body of an upstream request', () => {
  const json = 'application/json'
  const form = 'application/x-www-form-urlencoded'
  for (const [title, fields, sent, body, type] of [
    ['is none for ""', { body: '' }, { 'content-type': json }, undefined, undefined],
    ['is none for null', { body: null }, {}, undefined, undefined],
    ['is JSON by default', { body: { a: 1 } }, {}, '{"a":1}', json],
    ['is JSON for a text by default', { body: 'a' }, {}, '"a"', json],
    ['is a number', { body: 0 }, {}, '0', json],
    ['is false', { body: false }, {}, 'false', json],
    [
      'is a text as it is under its type',
      { body: 'a', headers: {} },
      { 'content-type': 'text/csv' },
      'a',
      'text/csv',
    ],
    [
      'is JSON of a +json type',
      { body: [], headers: {} },
      { 'content-type': 'application/x+json' },
      '[]',
      'application/x+json',
    ],
    [
      'is msgpack',
      { body: [], headers: {} },
      { 'content-type': 'application/msgpack' },
      '\u0001',
      'application/msgpack',
    ],
    [
      'is a form, with a field for each item of a list',
      { body: { a: 1, b: ['x y', true] }, headers: {} },
      { 'content-type': form },
      'a=1&b=x+y&b=true',
      form,
    ],
    [
      "is JSON where the type was only the client's",
      { body: { a: [] } },
      { 'content-type': form },
      '{"a":[]}',
      json,
    ],
  ] as const) {
    it(title, () => {
      const headers = { ...sent }
      const made = upstreamBody(fields, runOf().run, headers, codec)
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

describe('the body of the request for an upstream', () => {
  const json = { 'content-type': 'application/json' }

  /** What is sent of it, and the fields that stay. */
  const passed = (rawBody: Run['rawBody'], sent: Record<string, string>, fields: object = {}) => {
    const { run } = runOf({ rawBody })
    const headers = { ...sent }
    const body = upstreamBody(
      { ...fields },
      { ...run, request: { ...run.request, headers: sent } },
      headers,
      codec,
    )
    return { body, headers }
  }
  const held = (isInflated: boolean) => ({ bytes: Buffer.from('{ "n": 1.0 }'), isInflated })

  it('is none for none, and keeps the type that the client names', () => {
    expect(passed(undefined, json)).to.deep.equal({ body: undefined, headers: json })
  })

  it('is none for no bytes, and keeps the type that the client names', () => {
    const none = { bytes: Buffer.alloc(0), isInflated: false }
    expect(passed(none, json)).to.deep.equal({ body: undefined, headers: json })
  })

  /** All of them hold for the bytes that the client has sent. */
  const ofBytes: Record<string, string> = {
    'content-encoding': 'gzip',
    'content-digest': 'sha-256=:AA==:',
    'repr-digest': 'sha-256=:AA==:',
    digest: 'sha-256=AA==',
    'content-md5': 'AA==',
    signature: 'sig1=:AA==:',
    'signature-input': 'sig1=("content-digest")',
    'x-hub-signature': 'sha1=00',
    'x-hub-signature-256': 'sha256=00',
    'webhook-signature': 'v1,AA==',
    'stripe-signature': 't=1,v1=00',
    'x-shopify-hmac-sha256': 'AA==',
    'x-amz-content-sha256': '00',
    'x-amz-checksum-crc32': 'AA==',
    'x-webhook-sig': '00',
  }
  const others: Record<string, string> = {
    ...json,
    'accept-signature': 'sig1=()',
    'want-content-digest': 'sha-256=1',
    'x-signal': '1',
    'x-design': '1',
    authorization: 'Digest username="a"',
    'content-language': 'de',
    etag: '"1"',
  }
  for (const name of Object.keys(ofBytes)) {
    const sent = { ...others, [name]: ofBytes[name] ?? '' }
    it(`keeps ${name} with the bytes that came`, () => {
      expect(passed(held(false), sent)).to.deep.equal({ body: held(false).bytes, headers: sent })
    })

    it(`loses ${name} with the content coding that the gateway takes off`, () => {
      expect(passed(held(true), sent)).to.deep.equal({ body: held(true).bytes, headers: others })
    })

    it(`loses ${name} to a declared body`, () => {
      const { headers } = passed(held(false), sent, { body: { n: 1 } })
      expect(headers).to.deep.equal(others)
    })
  }

  it('leaves a declared body the digest that the document sets', () => {
    const { run } = runOf()
    const request = { ...run.request, headers: { 'content-digest': 'old' } }
    const headers = { 'content-digest': 'new' }
    upstreamBody({ body: 1, headers }, { ...run, request }, headers, codec)
    expect(headers).to.include({ 'content-digest': 'new' })
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
