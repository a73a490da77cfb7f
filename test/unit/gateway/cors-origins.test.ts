/** CORS of several origins: the one that asks is answered, and caches are told. */
import { expect } from 'chai'
import { configIssues } from '#component/config/config.ts'
import { documentOf, fixed, serve } from './fake-exchange.ts'

const shop = 'https://shop.example.com'
const admin = 'http://localhost:3000'

describe('a list of origins', () => {
  const document = documentOf({
    '/x': { get: fixed() },
    '/own': { headers: { 'Access-Control-Allow-Origin': 'https://own.example' }, get: fixed() },
    '/any': { headers: { vary: '*' }, get: fixed() },
    '/varies': { headers: { vary: 'Origin' }, get: fixed() },
  })
  const served = serve(document, undefined, undefined, undefined, [shop, admin])

  for (const [line, origin, allowed, vary] of [
    ['GET /v1/x', shop, shop, 'Accept, Origin'],
    ['GET /v1/x', admin, admin, 'Accept, Origin'],
    ['GET /v1/x', 'https://evil.example', undefined, 'Accept, Origin'],
    ['GET /v1/x', `${shop}.evil.example`, undefined, 'Accept, Origin'],
    ['GET /v1/x', 'null', undefined, 'Accept, Origin'],
    ['GET /v1/x', undefined, undefined, 'Accept, Origin'],
    ['OPTIONS /v1/x', shop, shop, 'Origin'],
    ['OPTIONS /v1/x', 'https://evil.example', undefined, 'Origin'],
    ['PUT /v1/x', shop, shop, 'Accept, Origin'],
    ['GET /v1/varies', shop, shop, 'Accept, Origin'],
    ['GET /v1/own', shop, 'https://own.example', 'Accept, Origin'],
  ] as const) {
    it(`answers ${line} of ${origin} with ${allowed}`, async () => {
      const { headers } = await served.ask(line, { headers: origin ? { origin } : {} })
      expect(headers['access-control-allow-origin']).to.equal(allowed)
      expect(headers.vary).to.equal(vary)
      expect(headers).to.not.have.property('access-control-allow-credentials')
    })
  }

  it('holds origins as browsers send them, and no pattern', () => {
    const issues = (allow_origin: unknown) => configIssues({ gateway: { cors: { allow_origin } } })
    expect(issues([shop, admin, 'https://[::1]:8443'])).to.deep.equal([])
    for (const wrong of ['*', 'null', `${shop}/`, 'shop.example.com', 'https://Shop.example']) {
      expect(issues([shop, wrong]), wrong).to.have.lengthOf(1)
    }
    expect(issues([])).to.have.lengthOf(1)
  })

  it('is no text: a text is *, empty or one origin', () => {
    const issues = (allow_origin: unknown) => configIssues({ gateway: { cors: { allow_origin } } })
    for (const right of ['*', '', shop, admin]) expect(issues(right), right).to.deep.equal([])
    for (const wrong of [`${shop},${admin}`, `${shop} ${admin}`, `${shop}/`, '**', 'null']) {
      const [issue] = issues(wrong)
      expect(issue?.message, wrong).to.include('must be "*", "", one origin such as')
      expect(issue?.message).to.include('or a list such as ["https://a.example", "https://b')
    }
  })

  it('leaves a Vary of all as it is', async () => {
    const { headers } = await served.ask('GET /v1/any', { headers: { origin: shop } })
    expect(headers.vary).to.equal('*')
  })
})

describe('one value for all origins', () => {
  it('does not vary', async () => {
    const served = serve(documentOf({ '/x': { get: fixed() } }))
    const { headers } = await served.ask('GET /v1/x', { headers: { origin: shop } })
    expect(headers).to.include({ 'access-control-allow-origin': '*', vary: 'Accept' })
  })
})

describe('cors of a version', () => {
  const served = serve({
    ...documentOf({}),
    versions: {
      list: {
        base_path: '/list',
        cors: {
          origins: [shop, admin],
          methods: ['GET', 'PURGE'],
          headers: ['x-csrf-token', 'content-type'],
          expose: ['x-total', 'etag'],
          credentials: true,
          max_age: 60,
        },
        openapi: { path: '/openapi' },
        paths: {
          '/x': { get: fixed() },
          '/own': {
            headers: { 'Access-Control-Expose-Headers': 'x-own', 'Access-Control-Max-Age': '1' },
            get: fixed(),
          },
        },
      },
      all: { base_path: '/all', cors: { origins: '*' }, paths: { '/x': { get: fixed() } } },
      none: { base_path: '/none', cors: { origins: [] }, paths: { '/x': { get: fixed() } } },
      silent: { base_path: '/silent', paths: { '/x': { get: fixed() } } },
    },
  })
  const corsOf = async (line: string, origin: string | undefined) => {
    const { headers } = await served.ask(line, { headers: origin ? { origin } : {} })
    const own = Object.entries(headers).filter(([name]) => name.startsWith('access-control-'))
    const named = own.map(([name, value]) => [name.slice('access-control-'.length), value])
    return { ...Object.fromEntries(named), vary: headers.vary }
  }
  const preflight = {
    'allow-methods': 'GET,PURGE',
    'allow-headers': 'x-csrf-token,content-type',
    'max-age': '60',
    vary: 'Origin',
  }
  const configured = {
    'allow-origin': '*',
    'allow-methods': 'GET,HEAD,PUT,PATCH,POST,DELETE',
    'allow-headers': 'content-type',
    'max-age': '600',
  }
  const listed = (origin: string) => ({ 'allow-origin': origin, 'allow-credentials': 'true' })
  const exposed = { 'expose-headers': 'x-total,etag', vary: 'Accept, Origin' }

  for (const [line, origin, expected] of [
    ['GET /list/x', shop, { ...listed(shop), ...exposed }],
    ['GET /list/x', admin, { ...listed(admin), ...exposed }],
    ['GET /list/x', 'https://evil.example', exposed],
    ['GET /list/x', undefined, exposed],
    ['PUT /list/x', shop, { ...listed(shop), ...exposed }],
    ['OPTIONS /list/x', shop, { ...listed(shop), ...preflight }],
    ['OPTIONS /list/x', 'https://evil.example', preflight],
    ['GET /list/openapi', shop, { ...listed(shop), ...exposed, vary: 'Origin' }],
    [
      'GET /list/own',
      shop,
      { ...listed(shop), ...exposed, 'expose-headers': 'x-own', 'max-age': '1' },
    ],
    [
      'OPTIONS /list/own',
      shop,
      { ...listed(shop), ...preflight, 'expose-headers': 'x-own', 'max-age': '1' },
    ],
    ['GET /all/x', shop, { 'allow-origin': '*', vary: 'Accept' }],
    ['OPTIONS /all/x', shop, { ...configured, vary: undefined }],
    ['GET /none/x', shop, { vary: 'Accept, Origin' }],
    ['GET /silent/x', shop, { 'allow-origin': '*', vary: 'Accept' }],
    ['OPTIONS /silent/x', shop, { ...configured, vary: undefined }],
  ] as const) {
    it(`answers ${line} of ${origin} with ${Object.keys(expected).join(', ')}`, async () => {
      expect(await corsOf(line, origin)).to.deep.equal(expected)
    })
  }

  it('is a feature that other gateways must know', () => {
    expect(served.api.features).to.deep.equal(['cors'])
    expect(serve(documentOf({ '/x': { get: fixed() } })).api.features).to.deep.equal([])
  })
})

describe('the CORS headers of another service', () => {
  const foreign = {
    'access-control-allow-origin': '*',
    'access-control-allow-credentials': 'true',
    'access-control-expose-headers': 'x-up',
    'x-up': '1',
  }
  const forward = (response: object = {}) => ({
    get: { action: { type: 'forward', host: 'up.example', path: '/' }, response },
  })
  const paths = {
    '/x': forward(),
    '/body': forward({ on_result: { body: 'own' } }),
    '/own': forward({ on_result: { headers: { 'Access-Control-Expose-Headers': 'x-own' } } }),
  }
  const version = (name: string, cors?: object) => ({
    base_path: `/${name}`,
    ...(cors && { cors }),
    paths,
  })
  const document = {
    ...documentOf({}),
    versions: {
      users: version('users', { origins: [shop], credentials: true, expose: ['etag'] }),
      list: version('list', { origins: [shop] }),
      all: version('all', { origins: '*' }),
      silent: version('silent'),
    },
  }
  const served = (status_code: number) => {
    const answer = { status_code, headers: foreign, body: new Uint8Array([1]), length: 1 }
    const shown = { status_code, headers: foreign, body: '', uri: 'http://up.example/' }
    return serve(document, () =>
      status_code < 400
        ? { result: shown, answer }
        : { error: { ...shown, error_uri: 'com.up', args: [], kwargs: {}, details: {} }, answer },
    )
  }
  const users = { 'allow-credentials': 'true', 'expose-headers': 'etag' }

  for (const [line, origin, status, expected] of [
    ['GET /users/x', shop, 200, { ...users, 'allow-origin': shop }],
    ['GET /users/x', 'https://evil.example', 200, { 'expose-headers': 'etag' }],
    ['GET /users/x', undefined, 200, { 'expose-headers': 'etag' }],
    ['GET /users/x', shop, 404, { ...users, 'allow-origin': shop }],
    ['GET /users/x', 'https://evil.example', 500, { 'expose-headers': 'etag' }],
    ['HEAD /users/x', shop, 200, { ...users, 'allow-origin': shop }],
    ['GET /users/body', shop, 200, { ...users, 'allow-origin': shop }],
    ['GET /users/own', shop, 200, { ...users, 'allow-origin': shop, 'expose-headers': 'x-own' }],
    ['GET /list/x', shop, 200, { 'allow-origin': shop }],
    ['GET /list/x', 'https://evil.example', 200, {}],
    ['GET /all/x', shop, 200, { 'allow-origin': '*' }],
    [
      'GET /silent/x',
      shop,
      200,
      { 'allow-origin': '*', 'allow-credentials': 'true', 'expose-headers': 'x-up' },
    ],
  ] as const) {
    it(`are ${line.includes('silent') ? '' : 'not '}sent: ${line} of ${origin}, ${status}`, async () => {
      const headers = origin === undefined ? {} : { origin }
      const reply = await served(status).ask(line, { headers })
      const sent = Object.entries(reply.headers).flatMap(([name, value]) =>
        name.startsWith('access-control-') ? [[name.slice('access-control-'.length), value]] : [],
      )
      expect(Object.fromEntries(sent)).to.deep.equal(expected)
      expect(reply.headers).to.have.property('x-up', '1')
    })
  }
})
