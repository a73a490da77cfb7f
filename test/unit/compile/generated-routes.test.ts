/** The routes that `oauth2` security brings along: where they are, and how requests to them are answered (behaviour §3, §7). */
import { expect } from 'chai'
import { OAuthError, ServiceError } from '#component/errors.ts'
import type { Exchange } from '#component/gateway/exchange.ts'
import { bodyOf, documentOf, FakeExchange, fixed, serve } from '#test/unit/gateway/fake-exchange.ts'
import { generated, linesOf, open, type Row } from './generated.ts'

const oauth2 = { type: 'oauth2', flow: 'resource_owner_password_credentials' }
const secured = { defaults: { security: oauth2 } }

const below = (base: string): string[] => [
  `post ${base}/oauth/token oauth.token`,
  `post ${base}/oauth/revoke oauth.revoke`,
  `post ${base}/oauth/introspect oauth.introspect`,
  `get ${base}/oauth/verify oauth.verify`,
  `get ${base}/oauth/jwks oauth.jwks`,
  `get ${base}/.well-known/oauth-authorization-server oauth.metadata`,
]
const resourceAtV1 = 'get /.well-known/oauth-protected-resource/v1 oauth.resource'
const atV1 = [
  ...below('/v1'),
  'get /.well-known/oauth-authorization-server/v1 oauth.metadata',
  resourceAtV1,
]

const jwt = { type: 'jwt', issuer: 'corp' }

const rows: readonly Row[] = [
  ['defaults of the API', documentOf(open, secured), atV1],
  ['defaults of the version', documentOf(open, {}, secured), atV1],
  [
    'defaults by way of a variable',
    documentOf(open, {
      defaults: { security: '{{variables.o}}' },
      variables: { o: oauth2 },
    }),
    atV1,
  ],
  ['variables.security', documentOf(open, { variables: { security: oauth2 } }), atV1],
  ['a path', documentOf({ '/x': { security: oauth2, get: fixed() } }), atV1],
  ['an operation', documentOf({ '/x': { get: { ...fixed(), security: oauth2 } } }), atV1],
  ['defaults where paths is empty', documentOf({}, secured), atV1],
  ['defaults that no path uses', documentOf(open, secured), atV1],
  [
    'its own paths for tokens',
    documentOf(
      {},
      {
        defaults: { security: { ...oauth2, token_path: '/t', revoke_token_path: '/a/r/' } },
      },
    ),
    atV1.map((line) => line.replace('/oauth/token', '/t').replace('/oauth/revoke', '/a/r/')),
  ],
  [
    'base_path "/"',
    documentOf({}, secured, { base_path: '/' }),
    [...below(''), 'get /.well-known/oauth-protected-resource oauth.resource'],
  ],
  [
    'tokens of other issuers, once for all of them',
    documentOf({
      '/x': { security: jwt, get: fixed() },
      '/y': { security: { ...jwt, issuer: 'other', scopes: ['a'] }, get: fixed() },
    }),
    [resourceAtV1],
  ],
  [
    'tokens of its own and of other issuers',
    documentOf({ '/x': { security: jwt, get: fixed() } }, secured),
    atV1,
  ],
  [
    'nothing: another type',
    documentOf({ '/x': { security: { type: 'basic' }, get: fixed() } }),
    [],
  ],
  ['nothing: a variable that protects nothing', documentOf(open, { variables: { o: oauth2 } }), []],
  ['nothing: a version that is not active', documentOf(open, secured, { is_active: false }), []],
]

describe('the routes generated for tokens', () => {
  for (const [title, document, lines] of rows) {
    it(`by ${title}`, () => {
      expect(linesOf(document)).to.have.members(lines)
    })
  }

  it('are there for each different security object of a version, once', () => {
    const other = { ...oauth2, token_path: '/other' }
    const paths = {
      '/x': { get: fixed() },
      '/y': { security: other, get: fixed() },
      '/z': { security: { ...other }, get: fixed() },
    }
    expect(linesOf(documentOf(paths, secured))).to.have.members([
      ...atV1,
      'post /v1/other oauth.token',
    ])
  })

  it('are one with those of an object that spells the defaults out, for https where either is', async () => {
    const spelled = { ...oauth2, token_path: '/oauth/token' }
    const document = documentOf({
      '/x': { security: oauth2, get: fixed() },
      '/y': { security: spelled, schemes: ['https'], get: fixed() },
    })
    expect(linesOf(document)).to.have.members(atV1)
    expect((await serve(document).ask('POST /v1/oauth/token')).status).to.equal(403)
  })

  it('answer under every form of base_path, with its bindings', async () => {
    const { ask } = serve(documentOf({}, secured, { base_path: '/[:tenant]/[v1]' }))
    for (const [line, kind, bindings] of [
      ['POST /oauth/token', 'oauth.token', {}],
      ['POST /v1/oauth/token/', 'oauth.token', {}],
      ['POST /a%20b/oauth/token', 'oauth.token', { tenant: 'a b' }],
      ['POST /a/v1/oauth/introspect', 'oauth.introspect', { tenant: 'a' }],
      ['GET /a/v1/oauth/jwks', 'oauth.jwks', { tenant: 'a' }],
      ['HEAD /v1/oauth/verify', 'oauth.verify', {}],
      ['GET /a/.well-known/oauth-authorization-server', 'oauth.metadata', { tenant: 'a' }],
      ['GET /.well-known/oauth-authorization-server/a/v1', 'oauth.metadata', { tenant: 'a' }],
      ['GET /.well-known/oauth-protected-resource/a/v1', 'oauth.resource', { tenant: 'a' }],
    ] as const) {
      expect(bodyOf(await ask(line)), line).to.deep.equal({
        kind,
        base: '/[:tenant]/[v1]',
        bindings,
      })
    }
  })

  it('belong to the realm of the document and have its security object', () => {
    const [entry] = generated(documentOf({}, secured))
    const endpoint = entry?.routes.post
    if (endpoint?.kind === undefined) throw new Error('expected an endpoint')
    expect(entry?.realm_uri).to.equal('com.example.realm')
    expect(endpoint.realm_uri).to.equal('com.example.realm')
    expect(endpoint.security).to.deep.equal(oauth2)
  })
})

describe('a request to a generated route', () => {
  const refusing = (error: Error) => {
    const { ask } = serve(documentOf({}, secured), undefined, async () => {
      throw error
    })
    return ask('POST /v1/oauth/token', { headers: { accept: 'application/problem+json' } })
  }

  it('is answered under the name of its route, not to be kept, outside CORS', async () => {
    const { status, pattern, headers } = await serve(documentOf({}, secured)).ask(
      'POST /v1/oauth/token',
    )
    expect([status, pattern]).to.deep.equal([200, '/v1/oauth/token'])
    expect(headers).to.deep.equal({ 'cache-control': 'no-store' })
  })

  it('with another method is 405 with Allow', async () => {
    const { ask } = serve(documentOf({}, secured))
    for (const [line, allow] of [
      ['GET /v1/oauth/token', 'OPTIONS, POST'],
      ['POST /v1/oauth/jwks', 'GET, HEAD, OPTIONS'],
    ] as const) {
      const reply = await ask(line)
      expect([reply.status, reply.headers.allow], line).to.deep.equal([405, allow])
      expect(reply.headers).to.have.property('cache-control', 'no-store')
      expect(reply.headers).not.to.have.property('access-control-allow-origin')
    }
  })

  it('with OPTIONS is told what it allows, and no CORS policy', async () => {
    const { status, headers } = await serve(documentOf({}, secured)).ask('OPTIONS /v1/oauth/token')
    expect(status).to.equal(204)
    expect(headers).to.deep.equal({ allow: 'OPTIONS, POST', 'cache-control': 'no-store' })
  })

  it('over http is 403 where the version is served over https only', async () => {
    const { ask } = serve(documentOf({}, { defaults: { security: oauth2, schemes: ['https'] } }))
    expect((await ask('POST /v1/oauth/token')).status).to.equal(403)
    expect((await ask('POST /v1/oauth/token', { scheme: 'https' })).status).to.equal(200)
  })

  it('over http is 403 where any path that brings it is served over https only', async () => {
    const security = { security: oauth2 }
    const { ask } = serve(
      documentOf({
        '/x': { ...security, get: fixed() },
        '/y': { ...security, schemes: ['https'], get: fixed() },
      }),
    )
    expect((await ask('POST /v1/oauth/token')).status).to.equal(403)
  })

  it('of a deprecated version is told so', async () => {
    const version = { is_deprecated: true, info: { sunset: '2030-01-01' } }
    const { ask } = serve(documentOf({}, secured, version))
    const { headers } = await ask('GET /v1/oauth/jwks')
    expect(headers).to.include.keys('deprecation', 'sunset')
  })

  it('that is refused is told why as OAuth says, in JSON', async () => {
    const reply = await refusing(
      new OAuthError('invalid_client', 'no', { headers: { 'www-authenticate': 'Basic' } }),
    )
    expect([reply.status, reply.pattern]).to.deep.equal([401, '/v1/oauth/token'])
    expect(reply.headers).to.include({ 'cache-control': 'no-store', 'www-authenticate': 'Basic' })
    expect(bodyOf(reply)).to.deep.equal({
      error: 'invalid_client',
      error_description: 'no',
      code: 'invalid_client',
      message: 'no',
      description: 'The request lacks valid credentials.',
    })
    expect(reply.body).to.have.property('type', 'application/json')
  })

  it('that fails by a bug is left to the boundary of the listener', async () => {
    const error = await refusing(new TypeError('bug')).catch((caught: unknown) => caught)
    expect(error).to.be.instanceOf(TypeError).and.not.instanceOf(ServiceError)
  })
})

describe('what an endpoint is handed', () => {
  it('is the request with its body unread', async () => {
    const asked: Exchange[] = []
    const { handle } = serve(documentOf({}, secured), undefined, async (exchange) => {
      asked.push(exchange)
      return { status: 200, headers: { 'cache-control': 'max-age=1' }, body: { kind: 'none' } }
    })
    const exchange = new FakeExchange('POST /v1/oauth/token', { body: 'a=1' })
    const reply = await handle(exchange)
    expect(asked).to.deep.equal([exchange])
    expect(exchange.bodyUse).to.equal(undefined)
    expect(reply?.headers).to.deep.equal({ 'cache-control': 'max-age=1' })
  })
})
