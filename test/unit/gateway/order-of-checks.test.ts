/** The order of checks (behaviour §3): of two things that are wrong with a request, the earlier one is told. */
import { expect } from 'chai'
import { type Ask, bodyOf, call, documentOf, FakeExchange, fixed, serve } from './fake-exchange.ts'

const secured = { security: { type: 'basic' } }
const forward = { type: 'forward', host: 'http://upstream.example', path: '/x' }
const document = documentOf({
  '/open': { get: fixed(), post: fixed(), put: call({ args: ['{{request.body}}'] }) },
  '/https': { schemes: ['https'], ...secured, get: fixed(), options: fixed('', {}) },
  '/secured': { ...secured, get: fixed(), post: fixed(), options: fixed('options') },
  '/small': { body_max_bytes: 4, post: fixed(), put: call({ args: ['{{request.body}}'] }) },
  '/html': { get: fixed('<p>', { headers: { 'content-type': 'text/html' } }) },
  '/pass': { post: { action: forward, response: {} } },
  '/pass-read': { post: { action: { ...forward, path: '/{{request.body.x}}' }, response: {} } },
  '/pass-declared': {
    accepts: ['application/json'],
    provides: ['application/json'],
    post: { action: forward, response: {} },
  },
  '/languages': { get: fixed() },
  '/own-head': { put: fixed(), head: fixed() },
})

const xml = { 'content-type': 'text/xml' }
const html = { accept: 'text/html' }

/** Line, the request, status, code. */
const rows: readonly (readonly [line: string, ask: Ask, status: number, code?: string])[] = [
  ['PATCH /v1/open', {}, 405, 'service.error.method_not_allowed'],
  ['PATCH /v1/https', {}, 405, 'service.error.method_not_allowed'],
  ['GET /v1/https', {}, 403, 'wamp.error.not_authorized'],
  ['GET /v1/https', { scheme: 'https' }, 401, 'service.error.unauthorized'],
  ['OPTIONS /v1/https', {}, 403, 'wamp.error.not_authorized'],
  ['GET /v1/open', { scheme: 'https' }, 200],
  ['GET /v1/secured', { headers: html }, 401, 'service.error.unauthorized'],
  ['POST /v1/secured', { headers: xml, body: '<a>' }, 401, 'service.error.unauthorized'],
  ['OPTIONS /v1/secured', { headers: html }, 200],
  ['OPTIONS /v1/secured', { headers: xml, body: '<a>' }, 200],
  ['OPTIONS /v1/open', { headers: html }, 204],
  ['GET /v1/open', { headers: html }, 406, 'service.error.not_acceptable'],
  [
    'POST /v1/open',
    { headers: { ...xml, ...html }, body: '<' },
    406,
    'service.error.not_acceptable',
  ],
  ['POST /v1/open', { headers: xml, body: '<' }, 415, 'service.error.unsupported_media_type'],
  ['POST /v1/open', { headers: xml }, 200],
  ['GET /v1/open', { headers: xml, body: '<' }, 200],
  ['POST /v1/open', { body: '{' }, 400, 'service.error.bad_request'],
  ['PUT /v1/open', { body: '{' }, 400, 'service.error.bad_request'],
  ['POST /v1/small', { headers: xml, body: '12345' }, 415, 'service.error.unsupported_media_type'],
  ['POST /v1/small', { body: '12345' }, 413, 'service.error.payload_too_large'],
  ['PUT /v1/small', { body: '{{{{{' }, 413, 'service.error.payload_too_large'],
  ['PUT /v1/small', { body: '1234' }, 204],
  ['GET /v1/html', { headers: html }, 200],
  [
    'GET /v1/html',
    { headers: { accept: 'application/json' } },
    406,
    'service.error.not_acceptable',
  ],
  ['POST /v1/pass', { headers: { ...xml, ...html }, body: '<' }, 204],
  ['POST /v1/pass-read', { headers: xml, body: '<' }, 415, 'service.error.unsupported_media_type'],
  ['POST /v1/pass-read', { body: '{}' }, 400, 'service.error.http_gateway.invalid_request'],
  ['POST /v1/pass-declared', { headers: html, body: '1' }, 406, 'service.error.not_acceptable'],
  [
    'POST /v1/pass-declared',
    { headers: xml, body: '1' },
    415,
    'service.error.unsupported_media_type',
  ],
  ['POST /v1/pass-declared', { body: '1' }, 204],
]

describe('the order of checks', () => {
  for (const [line, ask, status, code] of rows) {
    const given = JSON.stringify(ask)
    it(`${line} with ${given} is ${status}${code ? ` ${code}` : ''}`, async () => {
      const reply = await serve(document).ask(line, ask)
      expect([reply.status, reply.error?.uri]).to.deep.equal([status, code])
      if (code) expect(bodyOf(reply)).to.include({ code }).and.have.keys(errorKeys)
    })
  }

  it('a path of no specification is not ours to answer', () => {
    expect(serve(document).handle(new FakeExchange('GET /v2/open'))).to.equal(undefined)
  })

  for (const [line, allow] of [
    ['DELETE /v1/open', 'GET, HEAD, OPTIONS, POST, PUT'],
    ['HEAD /v1/small', 'OPTIONS, POST, PUT'],
    ['DELETE /v1/own-head', 'HEAD, OPTIONS, PUT'],
  ] as const) {
    it(`a 405 tells the methods there are, with those implied: ${line}`, async () => {
      const reply = await serve(document).ask(line)
      expect([reply.status, reply.headers.allow]).to.deep.equal([405, allow])
    })
  }

  it('a forward is given the body unread', async () => {
    const served = serve(document)
    const exchange = new FakeExchange('POST /v1/pass', { body: 'abc' })
    await served.handle(exchange)
    expect(exchange.bodyUse).to.equal('raw')
    expect(served.performed[0]?.run.rawBody).to.deep.include({ length: 3 })
  })

  it('a forward whose body is read by an expression is given its bytes', async () => {
    const served = serve(document)
    const exchange = new FakeExchange('POST /v1/pass-read', { body: '{ "x":"y" }' })
    await served.handle(exchange)
    expect(exchange.bodyUse).to.equal('decoded')
    expect(served.performed[0]?.run.rawBody).to.deep.equal({
      bytes: Buffer.from('{ "x":"y" }'),
      isInflated: false,
    })
    expect(served.performed[0]?.fields.path).to.equal('/y')
  })

  it('a body that a GET reads is decoded', async () => {
    const served = serve(documentOf({ '/x': { get: call({ args: ['{{request.body.a}}'] }) } }))
    await served.ask('GET /v1/x', { body: '{"a":1}' })
    expect(served.performed[0]?.fields.args).to.deep.equal([1])
  })

  it('a client that goes away cancels the action', async () => {
    let isCanceled = false
    const served = serve(documentOf({ '/x': { get: call() } }), ({ run }) => {
      run.onCancel(() => {
        isCanceled = true
      })
      return { result: {} }
    })
    const exchange = new FakeExchange('GET /v1/x')
    await served.handle(exchange)
    for (const abort of exchange.aborts) abort()
    expect(isCanceled).to.equal(true)
  })
})

const errorKeys = ['code', 'message', 'description']
