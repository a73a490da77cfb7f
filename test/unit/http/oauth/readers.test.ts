/** What others can find out about tokens: introspection, verification for a proxy, keys and metadata. */
import { expect } from 'chai'
import { basic, claims, oauth, realm_uri } from './fixture.ts'

describe('the introspection endpoint', () => {
  const ask = (token: string, headers: Readonly<Record<string, string>> = basic('app:s3cret')) =>
    oauth().post('/oauth/introspect', { form: { token }, headers })

  it('tells a client what a valid access token says', async () => {
    const { status, value, headers } = await ask('good')
    const { iss, sub, aud, exp, iat, jti, client_id, scope } = claims
    expect([status, value]).to.deep.equal([
      200,
      {
        ...{ active: true, token_type: 'bearer', username: 'ada', scope, client_id },
        ...{ iss, sub, aud, exp, iat, jti },
      },
    ])
    expect(headers).to.have.property('cache-control', 'no-store')
  })

  for (const [title, token] of [
    ['an unknown token', 'unknown'],
    ['a token of a user who is gone', 'orphan'],
    ['a refresh token', 'r-f1'],
  ] as const) {
    it(`tells nothing of ${title} but that it is not active`, async () => {
      const { status, value } = await ask(token)
      expect([status, value]).to.deep.equal([200, { active: false }])
    })
  }

  for (const [title, headers] of [
    ['nobody', {}],
    ['a wrong secret', basic('app:wrong')],
    ['a user who is no client', basic('ada:lovelace')],
    ['a token', { authorization: 'Bearer good' }],
  ] as const) {
    it(`tells ${title} nothing`, async () => {
      const { status, value, headers: answered } = await ask('good', headers)
      expect([status, value.error]).to.deep.equal([401, 'invalid_client'])
      expect(answered['www-authenticate']).to.match(/^Basic realm=/)
    })
  }

  it('wants a token', async () => {
    const { status, value } = await ask('')
    expect([status, value.error]).to.deep.equal([400, 'invalid_request'])
  })
})

describe('the verification endpoint', () => {
  for (const method of ['GET', 'HEAD']) {
    it(`tells by headers whom a token speaks for, to ${method}`, async () => {
      const { status, headers, body } = await oauth().get(`${method} /v1/oauth/verify`, {
        authorization: 'Bearer good',
      })
      expect([status, body.kind]).to.deep.equal([200, 'none'])
      expect(headers).to.deep.equal({
        'cache-control': 'no-store',
        'x-service-authid': 'ada l%C3%B6ve',
        'x-service-authrealm': realm_uri,
        'x-service-authroles': 'staff,a%2Cb%25,%C3%A9',
        'x-service-authmethod': 'oauth2',
        'x-service-expires-at': '2000000000',
      })
    })
  }

  it('refuses as a protected path does', async () => {
    const { get } = oauth()
    const nobody = await get('GET /v1/oauth/verify')
    expect(nobody.status).to.equal(401)
    expect(nobody.headers['www-authenticate']).to.equal(`Bearer realm="${realm_uri}"`)
    const wrong = await get('GET /v1/oauth/verify', { authorization: 'Bearer wrong' })
    expect(wrong.status).to.equal(401)
    expect(wrong.headers['www-authenticate']).to.contain('error="invalid_token"')
    expect(wrong.value.code).to.equal('service.error.unauthorized')
    for (const { headers } of [nobody, wrong]) {
      expect(Object.keys(headers).filter((name) => name.startsWith('x-service'))).to.deep.equal([])
    }
  })
})

describe('the keys of an issuer', () => {
  it('are public, and kept for less long than a key is published before it signs', async () => {
    const { status, value, headers } = await oauth().get('GET /v1/oauth/jwks')
    expect([status, value]).to.deep.equal([200, { keys: [{ kty: 'EC', kid: 'k1' }] }])
    expect(headers).to.have.property('cache-control', 'public, max-age=60')
  })

  it('are one at least: the first is made when somebody asks for it before the first token', async () => {
    const { get } = oauth({ kids: [] })
    for (const time of ['first', 'second']) {
      const { value } = await get('GET /v1/oauth/jwks')
      expect(value, time).to.deep.equal({ keys: [{ kty: 'EC', kid: 'first' }] })
    }
  })
})

describe('the metadata of an issuer', () => {
  const secret = ['client_secret_basic', 'client_secret_post']
  const metadata = (base: string, more: object = {}) => ({
    issuer: base,
    token_endpoint: `${base}/oauth/token`,
    token_endpoint_auth_methods_supported: secret,
    grant_types_supported: ['password', 'refresh_token'],
    response_types_supported: ['none'],
    revocation_endpoint: `${base}/oauth/revoke`,
    revocation_endpoint_auth_methods_supported: [...secret, 'none'],
    introspection_endpoint: `${base}/oauth/introspect`,
    introspection_endpoint_auth_methods_supported: secret,
    jwks_uri: `${base}/oauth/jwks`,
    ...more,
  })
  const wellKnown = '/.well-known/oauth-authorization-server'

  it('are the same below base_path and where RFC 8414 looks for them', async () => {
    const { get } = oauth({ version: { base_path: '/:tenant/[v1]' } })
    for (const path of [`/t${wellKnown}`, `/t/v1${wellKnown}`, `${wellKnown}/t/v1`]) {
      const { value, status } = await get(`GET ${path}`)
      expect([status, value], path).to.deep.equal([200, metadata('https://api.example.com/t/v1')])
    }
  })

  it('name the paths and grants that the document declares', async () => {
    const security = { token_path: '/t', revoke_token_path: '/r', flow: 'client_credentials' }
    const { value } = await oauth({ security }).get(`GET /v1${wellKnown}`)
    const base = 'https://api.example.com/v1'
    expect(value).to.deep.equal(
      metadata(base, {
        token_endpoint: `${base}/t`,
        revocation_endpoint: `${base}/r`,
        grant_types_supported: ['client_credentials'],
      }),
    )
  })

  it('name no grant for a flow that has none', async () => {
    const { value } = await oauth({ security: { flow: 'implicit' } }).get(`GET /v1${wellKnown}`)
    expect(value.grant_types_supported).to.deep.equal([])
  })
})
