/** What a client sends is what an upstream gets: bodies that were read on their way arrive byte for byte. */
import { gzipSync } from 'node:zlib'
import { expect } from 'chai'
import { type HttpRequest, send } from '#test/support/http-request.ts'
import { recordedForwards } from './recorded.setup.ts'

const json = { 'content-type': 'application/json' }
const form = { 'content-type': 'application/x-www-form-urlencoded' }
const msgpack = { 'content-type': 'application/msgpack' }

/** Fields that hold for the bytes of a body. */
const digests = { 'content-digest': 'sha-256=:AA==:', 'x-hub-signature-256': 'sha256=00' }

/** A schema that makes the gateway read the body. */
const checked = {
  accepts: [json, msgpack, form].map((one) => one['content-type']),
  request: { body: { properties: { x: { type: 'integer' } } } },
}

const documentOf = (host: string) => {
  const forward = { type: 'forward', host }
  const post = (operation: object, action: object | readonly object[] = forward) => ({
    post: { action, response: { on_result: {}, on_error: {} }, ...operation },
  })
  const read = { ...forward, path: '/read/{{request.body.x}}' }
  return {
    ...{ id: 'com.example.as-it-came', host: '_', realm_uri: 'com.example.test' },
    versions: {
      1: {
        base_path: '/v1',
        mcp: { path: '/mcp', name: 'test' },
        paths: {
          '/plain': post({}),
          '/checked': {
            ...post(checked),
            get: post(checked).post,
            put: { ...post(checked).post, action: { ...forward, retries: 2, retry_timeout: 5000 } },
            delete: post(checked).post,
            options: post({}).post,
          },
          '/log': post({ ...checked, validate_requests: 'log' }),
          '/read': post({}, read),
          '/list': { ...post({}, [forward, forward]), options: post({}, [forward, forward]).post },
          '/checked-list': post(checked, [forward, { type: 'static', body: 1 }, forward]),
          '/once': post({ idempotency: { ttl: 60 } }),
          '/checked-once': post({ ...checked, idempotency: { ttl: 60 } }),
          '/declared': post({}, { ...forward, body: '{{request.body}}' }),
          '/tool': post({
            ...checked,
            tool: {
              ...{ name: 'post', description: 'Posts.' },
              input: { type: 'object', properties: { x: { type: 'integer' } } },
            },
          }),
        },
      },
    },
  }
}

describe('A request body on its way to an upstream', () => {
  const recorded = recordedForwards(documentOf)
  afterEach(() => recorded().upstream.take())

  /** Sends a request, and takes what has arrived of it. */
  const passed = async (path: string, ask: HttpRequest) => {
    const { gateway, upstream } = recorded()
    const { status, text } = await send(gateway.url, `/v1${path}`, { method: 'POST', ...ask })
    return { status, text, arrived: upstream.take() }
  }

  /** Bodies that reading and writing would change. */
  const bodies: readonly (readonly [
    what: string,
    headers: Record<string, string>,
    body: unknown,
  ])[] = [
    ['a form with a repeated field', form, 'x=1&tags=a&tags=b&tags=c'],
    ['a form with escapes of its own', form, 'x=1&a=%7e%2B+%20&b=&c&&d=%C3%A9&'],
    [
      'fractions and digits of JSON',
      json,
      '{"price": 1.10, "big": 123456789012345678.25, "n": 1.0}',
    ],
    ['exponents of JSON', json, '{"x": 1E0, "e": 1e+2, "z": -0, "small": 1e-400}'],
    ['blanks and escapes of JSON', json, ' {\r\n\t"x" : 1 , "\\u0061\\/" : "\\u00e9é" }\n'],
    ['the order of keys in JSON', json, '{"b":1,"10":2,"2":3,"a":4,"x":1}'],
    ['great integers of JSON', json, '{"x":1,"a":18446744073709551615,"b":-9223372036854775808}'],
    ['JSON that is no map', json, '[1.0,null,"a"]'],
    ['bytes that JSON would write as text', json, '{"x":1,"a":"\\u0000AAEC"}'],
    [
      'MessagePack with long forms',
      msgpack,
      Buffer.from([0x81, 0xd9, 1, 0x78, 0xd3, 0, 0, 0, 0, 0, 0, 0, 1]),
    ],
    [
      'MessagePack with a 32-bit float',
      msgpack,
      Buffer.from([0x81, 0xa1, 0x79, 0xca, 0x3f, 0x80, 0, 0]),
    ],
    ['a body that is decoded in its turn', json, `{"x":1, "a":"${'é'.repeat(400_000)}"}`],
  ]

  for (const path of ['/plain', '/log', '/once', '/list']) {
    for (const type of [
      'application/json',
      'application/json; charset=utf-8',
      'application/x-www-form-urlencoded',
    ]) {
      for (const length of [{ 'content-length': '0' }, { 'transfer-encoding': 'chunked' }]) {
        it(`has its type where it is empty: ${type} of ${Object.keys(length)}, by ${path}`, async () => {
          const { arrived } = await passed(path, { headers: { 'content-type': type, ...length } })
          const types = arrived.map(({ headers }) => headers['content-type'])
          expect(types).to.deep.equal(path === '/list' ? [type, type] : [type])
          expect(arrived.every(({ body }) => body.length === 0)).to.equal(true)
        })
      }
    }
  }

  for (const path of [
    '/plain',
    '/checked',
    '/log',
    '/once',
    '/checked-once',
    '/list',
    '/checked-list',
  ]) {
    for (const [what, headers, body] of bodies) {
      it(`arrives as it came: ${what}, by ${path}`, async () => {
        const key = { 'idempotency-key': `"${path} ${what}"` }
        const { status, text, arrived } = await passed(path, {
          headers: { ...headers, ...digests, ...key },
          body,
        })
        expect(status, text).to.equal(200)
        expect(arrived).to.have.length(path.endsWith('list') ? 2 : 1)
        for (const { body: bytes, headers: told } of arrived) {
          expect(bytes.equals(Buffer.from(body as string))).to.equal(true)
          expect(told).to.include({ ...headers, ...digests })
        }
      })
    }
  }

  const body = '{"x": 1.0}'

  for (const [method, path] of [
    ['GET', '/checked'],
    ['PUT', '/checked'],
    ['DELETE', '/checked'],
    ['OPTIONS', '/checked'],
    ['OPTIONS', '/list'],
  ] as const) {
    it(`arrives as it came by ${method} ${path}`, async () => {
      const { arrived } = await passed(path, {
        ...{ method, body },
        headers: { ...json, ...digests, 'content-length': String(body.length) },
      })
      expect(arrived).to.have.length(path === '/list' ? 2 : 1)
      for (const one of arrived)
        expect([one.method, String(one.body)]).to.deep.equal([method, body])
    })
  }

  it('arrives as it came where an expression reads it', async () => {
    const { arrived } = await passed('/read', { headers: { ...json, ...digests }, body })
    expect(arrived.map((one) => [one.target, String(one.body)])).to.deep.equal([['/read/1', body]])
    expect(arrived[0]?.headers).to.include(digests)
  })

  it('arrives as it came by chunks', async () => {
    const headers = { ...json, 'transfer-encoding': 'chunked' }
    const { arrived } = await passed('/checked', { headers, body })
    expect(arrived.map((one) => String(one.body))).to.deep.equal([body])
  })

  it('arrives as it came at each attempt', async () => {
    recorded().upstream.statuses.push(503, 503)
    const { status, arrived } = await passed('/checked', { method: 'PUT', headers: json, body })
    expect([status, ...arrived.map((one) => String(one.body))]).to.deep.equal([
      200,
      body,
      body,
      body,
    ])
  })

  it('arrives as the arguments of a tool', async () => {
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    }
    const message = {
      ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
      params: { _meta, name: 'post', arguments: { x: 1, tags: ['a', 'b'] } },
    }
    const headers = {
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      ...{ 'mcp-method': 'tools/call', 'mcp-name': 'post' },
    }
    const { text, arrived } = await passed('/mcp', { headers, body: message })
    expect(
      arrived.map((one) => String(one.body)),
      text,
    ).to.deep.equal(['{"x":1,"tags":["a","b"]}'])
  })

  const coded = { ...json, ...digests, 'content-encoding': 'gzip' }
  const sent = gzipSync(body)

  for (const path of ['/plain', '/once', '/list']) {
    it(`keeps its content coding where nothing reads it: ${path}`, async () => {
      const key = { 'idempotency-key': `"coded ${path}"` }
      const { arrived } = await passed(path, { headers: { ...coded, ...key }, body: sent })
      expect(arrived).to.have.length(path === '/list' ? 2 : 1)
      for (const one of arrived) {
        expect(one.body.equals(sent)).to.equal(true)
        expect(one.headers).to.include(coded)
      }
    })
  }

  for (const path of ['/checked', '/log', '/read', '/checked-once', '/checked-list']) {
    it(`arrives without the content coding that the gateway has read, and without digests: ${path}`, async () => {
      const key = { 'idempotency-key': `"coded ${path}"` }
      const { arrived } = await passed(path, { headers: { ...coded, ...key }, body: sent })
      expect(arrived).to.have.length(path === '/checked-list' ? 2 : 1)
      for (const one of arrived) {
        expect([String(one.body), one.headers['content-type']]).to.deep.equal([
          body,
          json['content-type'],
        ])
        expect(one.headers).to.not.have.any.keys('content-encoding', ...Object.keys(digests))
      }
    })
  }

  it('is what the document declares, without digests of another one', async () => {
    const { arrived } = await passed('/declared', { headers: { ...json, ...digests }, body })
    expect(arrived.map((one) => String(one.body))).to.deep.equal(['{"x":1}'])
    expect(arrived[0]?.headers).to.not.have.any.keys(...Object.keys(digests))
  })

  for (const [what, more, sentBody, status] of [
    ['is broken', json, '{"x":', 400],
    ['does not fit', json, '{"x":"1"}', 400],
    ['has a key twice', json, '{"x":1,"x":2}', 400],
    ['is of another type', { 'content-type': 'text/csv' }, 'x', 415],
  ] as const) {
    it(`is not sent where it is read and ${what}`, async () => {
      const { status: answered, arrived } = await passed('/checked', {
        headers: more,
        body: sentBody,
      })
      expect([answered, arrived.length]).to.deep.equal([status, 0])
    })

    it(`is sent to several forwards that do not read it where it ${what}`, async () => {
      const { status: answered, arrived } = await passed('/list', { headers: more, body: sentBody })
      expect([answered, ...arrived.map((one) => String(one.body))]).to.deep.equal([
        200,
        sentBody,
        sentBody,
      ])
    })
  }
})
