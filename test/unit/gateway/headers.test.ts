/** The headers of answers: CORS, lifetime, language, Vary, and the levels they are merged from (behaviour §1, §3). */
import { expect } from 'chai'
import { bodyOf, call, documentOf, fixed, serve } from './fake-exchange.ts'

const secured = { security: { type: 'oauth2', flow: 'client_credentials' } }

describe('CORS', () => {
  const declared = {
    headers: { 'Access-Control-Allow-Origin': 'https://a.example', 'x-path': 'p' },
  }
  const served = serve(
    documentOf({
      '/plain': { get: fixed() },
      '/declared': { ...declared, get: fixed(), options: { action: {}, response: {} } },
      '/secured': { ...declared, ...secured, get: fixed() },
    }),
  )

  it('is the configured policy where nothing is declared', async () => {
    const { headers } = await served.ask('GET /v1/plain')
    expect(headers).to.have.property('access-control-allow-origin', '*')
    expect(headers).to.not.have.any.keys(
      'access-control-max-age',
      'access-control-allow-credentials',
    )
  })

  it('answers a preflight that nobody declared', async () => {
    const { status, headers, body } = await served.ask('OPTIONS /v1/plain')
    expect([status, body.kind]).to.deep.equal([204, 'none'])
    expect(headers).to.include({
      allow: 'GET, HEAD, OPTIONS',
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'GET,HEAD,PUT,PATCH,POST,DELETE',
      'access-control-allow-headers': 'content-type',
      'access-control-max-age': '600',
    })
  })

  it('answers declared OPTIONS with {} by 200, header by header as declared', async () => {
    const { status, headers } = await served.ask('OPTIONS /v1/declared')
    expect(status).to.equal(200)
    expect(headers).to.include({
      allow: 'GET, HEAD, OPTIONS',
      'x-path': 'p',
      'access-control-allow-origin': 'https://a.example',
      'access-control-max-age': '600',
    })
  })

  it('lets a browser read errors after a path has matched', async () => {
    const { status, headers } = await served.ask('GET /v1/secured')
    expect(status).to.equal(401)
    expect(headers).to.include({
      'x-path': 'p',
      'access-control-allow-origin': 'https://a.example',
      'www-authenticate': 'Bearer realm="com.example.realm"',
    })
    const missed = await served.ask('PUT /v1/secured')
    expect([missed.status, missed.headers['x-path']]).to.deep.equal([405, 'p'])
  })

  it('computes the path’s headers for a preflight, too', async () => {
    const headers = { 'access-control-allow-origin': "{{request.headers |> get(origin, '*')}}" }
    const computed = serve(documentOf({ '/x': { headers, get: fixed() } }))
    const ask = { headers: { origin: 'https://b.example' } }
    for (const line of ['OPTIONS /v1/x', 'GET /v1/x']) {
      const reply = await computed.ask(line, ask)
      expect(reply.headers['access-control-allow-origin']).to.equal('https://b.example')
    }
  })

  it('computes them with the bindings of the path', async () => {
    const path = { headers: { link: '</shops/{{request.bindings.shop}}>; rel="up"' }, get: fixed() }
    const bound = serve(documentOf({ '/shops/:shop/books': path }))
    for (const [line, status] of [
      ['OPTIONS /v1/shops/7/books', 204],
      ['GET /v1/shops/7/books', 200],
    ] as const) {
      const reply = await bound.ask(line)
      expect([reply.status, reply.headers.link]).to.deep.equal([status, '</shops/7>; rel="up"'])
    }
  })

  it('answers a preflight on a secured path', async () => {
    const { status, headers } = await served.ask('OPTIONS /v1/secured')
    expect([status, headers['x-path']]).to.deep.equal([204, 'p'])
  })
})

describe('a header with an empty value', () => {
  const paths = (on_result: object) => ({
    '/x': { headers: { 'x-a': 'a', 'x-b': '{{request.method}}' }, get: fixed('', on_result) },
  })

  for (const [title, headers] of [
    ['computed', { 'X-A': "{{request.query_params |> get(a, '')}}" }],
    ['computed with its name', '{{request.query_params |> put(x-a, {{request.query_string}})}}'],
    ['written', { 'x-a': '' }],
    ['known at load', { 'x-a': "{{status_codes |> get(none, '')}}" }],
  ] as const) {
    it(`is left out, ${title}, also where a lower layer has another value`, async () => {
      const reply = await serve(documentOf(paths({ headers }))).ask('GET /v1/x')
      expect(reply.headers).to.include({ 'x-b': 'get' }).and.not.have.any.keys('x-a', 'X-A')
    })
  }

  it('is left out of the headers of a path, for a preflight, too', async () => {
    const headers = { 'x-a': '', 'access-control-allow-origin': '{{request.query_string}}' }
    const served = serve(documentOf({ '/x': { headers, get: fixed() } }))
    for (const line of ['GET /v1/x', 'OPTIONS /v1/x']) {
      const reply = await served.ask(line)
      expect(reply.headers).to.not.have.any.keys(Object.keys(headers))
    }
  })
})

describe('a deprecated version', () => {
  const version = { is_deprecated: true, info: { sunset: '2027-06-30' } }
  const paths = {
    '/x': { get: call(), headers: { 'x-a': 'a' } },
    '/s': { ...secured, get: call() },
  }

  for (const [line, status] of [
    ['GET /v1/x', 200],
    ['DELETE /v1/x', 405],
    ['OPTIONS /v1/x', 204],
    ['GET /v1/s', 401],
  ] as const) {
    it(`says so, and when it ends, in the ${status} to ${line}`, async () => {
      const reply = await serve(documentOf(paths, {}, version)).ask(line)
      expect(reply.status).to.equal(status)
      expect(reply.headers.deprecation).to.match(/^@\d+$/)
      expect(reply.headers.sunset).to.equal('Wed, 30 Jun 2027 00:00:00 GMT')
    })
  }

  for (const [deprecated_at, since] of [
    ['2024-06-30', '@1719705600'],
    ['2099-01-01T00:00:00+01:00', '@4070905200'],
    ['1969-12-31T23:59:59.5Z', '@-1'],
  ] as const) {
    it(`is deprecated since ${deprecated_at}, and says it`, async () => {
      const { headers } = await serve(documentOf(paths, {}, { deprecated_at })).ask('GET /v1/x')
      expect(headers.deprecation).to.equal(since)
    })
  }

  for (const [title, given] of [
    ['Sunset where the date is none', { is_deprecated: true, info: { sunset: 'later' } }],
    ['Sunset where there is no date', { is_deprecated: true }],
    ['anything where it is not deprecated', { info: { sunset: '2027-06-30' } }],
  ] as const) {
    it(`does not say ${title}`, async () => {
      const { headers } = await serve(documentOf(paths, {}, given)).ask('GET /v1/x')
      expect(headers).to.not.have.property('sunset')
      expect(headers.deprecation !== undefined).to.equal('is_deprecated' in given)
    })
  }
})

describe('the language', () => {
  const served = serve(
    documentOf(
      { '/x': { get: call({ args: ['{{request.language}}'] }) } },
      {},
      { languages: ['de', 'fr'] },
    ),
  )
  for (const [accept, language] of [
    ['fr', 'fr'],
    ['fr-CH, de;q=0.5', 'fr'],
    ['es', 'de'],
  ] as const) {
    it(`of an answer to ${accept} is ${language}`, async () => {
      const { headers } = await served.ask('GET /v1/x', { headers: { 'accept-language': accept } })
      expect(headers['content-language']).to.equal(language)
      expect(served.performed.at(-1)?.fields.args).to.deep.equal([language])
    })
  }

  it('varies the answer only where there are several', async () => {
    expect((await served.ask('GET /v1/x')).headers.vary).to.equal('Accept, Accept-Language')
    const { headers } = await serve(documentOf({ '/x': { get: call() } })).ask('GET /v1/x')
    expect(headers).to.include({ vary: 'Accept', 'content-language': 'en' })
  })

  it('is told by errors, too', async () => {
    const { headers } = await served.ask('PUT /v1/x', { headers: { 'accept-language': 'fr' } })
    expect(headers['content-language']).to.equal('fr')
  })
})

describe('declared headers', () => {
  it('come from the path, else from the nearest defaults, whole', async () => {
    const served = serve(
      documentOf(
        {
          '/api': { get: fixed() },
          '/defaults': { defaults: { headers: { 'x-b': 2 } }, get: fixed() },
          '/path': { headers: { 'x-c': '{{variables.c}}' }, get: fixed(), variables: { c: true } },
        },
        { defaults: { headers: '{{variables.h}}' }, variables: { h: { 'x-a': 'a' } } },
      ),
    )
    const seen = async (path: string) => {
      const { headers } = await served.ask(`GET /v1${path}`)
      return [headers['x-a'], headers['x-b'], headers['x-c']]
    }
    expect(await seen('/api')).to.deep.equal(['a', undefined, undefined])
    expect(await seen('/defaults')).to.deep.equal([undefined, '2', undefined])
    expect(await seen('/path')).to.deep.equal([undefined, undefined, 'true'])
  })

  it('are laid over the path’s by on_result and on_error, names in any case', async () => {
    const headers = { 'X-A': 'over', 'x-q': '{{request.query_params.q}}' }
    const operation = call({}, { headers }, { headers: { 'x-a': 'error' } })
    const document = documentOf({
      '/x': { headers: { 'x-a': 'path', 'x-p': 'p' }, get: operation },
    })
    const good = await serve(document).ask('GET /v1/x?q=1')
    expect(good.headers).to.include({ 'x-a': 'over', 'x-q': '1', 'x-p': 'p' })
    const error = { error_uri: 'com.x', args: [], kwargs: {}, details: {} }
    const bad = await serve(document, () => ({ error })).ask('GET /v1/x?q=1')
    expect(bad.headers).to.include({ 'x-a': 'error', 'x-p': 'p' })
    expect(bad.headers).to.not.have.property('x-q')
  })

  it('add to Vary', async () => {
    const { headers } = await serve(
      documentOf({ '/x': { headers: { Vary: 'Origin' }, get: fixed() } }),
    ).ask('GET /v1/x')
    expect(headers.vary).to.equal('Accept, Origin')
  })

  for (const [line, path, vary] of [
    ['GET /v1/x', { get: call({ args: ['{{request.body.n}}'] }) }, 'Accept'],
    ['PUT /v1/x', { get: fixed() }, 'Accept'],
    ['GET /v1/x', { headers: { Vary: 'accept, Origin' }, get: fixed() }, 'Accept, Origin'],
    ['PUT /v1/x', { headers: { Vary: 'accept, Origin' }, get: fixed() }, 'Accept, Origin'],
    ['GET /v1/x', { headers: { Vary: '*' }, get: fixed() }, '*'],
  ] as const) {
    it(`name each member of Vary once: ${line} of ${JSON.stringify(path)}`, async () => {
      const { headers } = await serve(documentOf({ '/x': path })).ask(line)
      expect(headers.vary).to.equal(vary)
    })
  }

  it('of another type are not those of an error', async () => {
    const path = { headers: { 'content-type': 'text/html' }, get: fixed('<p>') }
    const { headers, body } = await serve(documentOf({ '/x': path })).ask('PUT /v1/x')
    expect(headers).to.not.have.property('content-type')
    expect(body).to.include({ type: 'application/json' })
  })
})

describe('an error of the gateway', () => {
  const served = serve(documentOf({ '/x': { get: fixed() } }))
  for (const [accept, type] of [
    [undefined, 'application/json'],
    ['text/html', 'application/json'],
    ['application/msgpack', 'application/msgpack'],
    ['application/problem+json', 'application/problem+json'],
    ['application/problem+json, application/json;q=0.9', 'application/problem+json'],
    ['application/json, application/problem+json', 'application/json'],
  ] as const) {
    it(`is told as ${type} to a client that accepts ${accept ?? 'anything'}`, async () => {
      const reply = await served.ask('PUT /v1/x', accept ? { headers: { accept } } : {})
      expect(reply.status).to.equal(405)
      expect(reply.body).to.include({ kind: 'value', type })
      // MessagePack knows no toJSON
      expect(reply.body).to.have.property('value').that.is.not.instanceOf(Error)
      const isProblem = type === 'application/problem+json'
      const more = isProblem ? { title: description, status: 405, detail: message } : {}
      expect(bodyOf(reply)).to.deep.equal({
        ...more,
        code: 'service.error.method_not_allowed',
        message,
        description,
      })
      expect(reply.pattern).to.equal('/v1/x')
    })
  }
})

const message = 'the path does not serve this method'
const description = 'The resource does not serve this method.'
