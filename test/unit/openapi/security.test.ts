/** The security of an operation in a description, by the type of its security object. */
import { expect } from 'chai'
import { importOpenApi } from '#component/openapi/import/import.ts'
import { documentOf, fixed } from '#test/unit/gateway/fake-exchange.ts'
import { describeDocument, type Seen } from './describe.ts'

describe('the security of an operation', () => {
  const oauth2 = { type: 'oauth2', flow: 'resource_owner_password_credentials' }

  const seen = (security: object, method = 'get') => {
    const document = documentOf({ '/x': { [method]: { ...fixed('a'), security } } })
    const { paths, components } = describeDocument(document)
    return { security: paths['/x'][method].security, schemes: components.securitySchemes }
  }

  for (const [what, security, schemes] of [
    [
      'basic',
      { type: 'basic', description: 'B.' },
      { type: 'http', scheme: 'basic', description: 'B.' },
    ],
    [
      'api_key',
      { type: 'api_key', header_name: 'X-Key' },
      { type: 'apiKey', in: 'header', name: 'X-Key' },
    ],
    ['webhook', { type: 'webhook', sender: 'hub' }, { type: 'http', scheme: 'webhook' }],
    ['mtls', { type: 'mtls', authid: 'cn' }, { type: 'mutualTLS' }],
    [
      'forward_auth',
      { type: 'forward_auth', url: 'https://auth.example.com', request_headers: ['X-Token'] },
      { type: 'apiKey', in: 'header', name: 'X-Token' },
    ],
    [
      'oauth2',
      { ...oauth2, token_path: '/token' },
      {
        type: 'oauth2',
        flows: {
          password: {
            tokenUrl: 'https://api.example.com/v1/token',
            refreshUrl: 'https://api.example.com/v1/token',
            scopes: {},
          },
        },
      },
    ],
    [
      'oauth2',
      { type: 'oauth2', flow: 'client_credentials' },
      {
        type: 'oauth2',
        flows: {
          clientCredentials: { tokenUrl: 'https://api.example.com/v1/oauth/token', scopes: {} },
        },
      },
    ],
  ] as const) {
    it(`is ${JSON.stringify(security)}`, () => {
      expect(seen(security)).to.deep.equal({
        security: [{ [what]: [] }],
        schemes: { [what]: schemes },
      })
    })
  }

  it('of tokens of another issuer is a bearer token with the scopes of the path', () => {
    const { security, schemes } = seen({ type: 'jwt', issuer: 'corp', scopes: ['a', 'b'] })
    expect(security).to.deep.equal([{ jwt: ['a', 'b'] }])
    expect(schemes.jwt).to.deep.equal({ type: 'http', scheme: 'bearer', bearerFormat: 'JWT' })
    expect(seen({ type: 'jwt', issuer: 'corp' }).security).to.deep.equal([{ jwt: [] }])
  })

  it('with roles has them in their order, and a sentence; names of users are not published', () => {
    const described = (operation: object, roles: readonly string[]) => {
      const security = { type: 'basic', roles, authids: ['ada'] }
      const { paths } = describeDocument(
        documentOf({ '/x': { get: { ...fixed('a'), ...operation }, security } }),
      )
      const { description, security: asked, 'x-required-roles': required } = paths['/x'].get
      expect(JSON.stringify(paths)).to.not.include('ada')
      expect(asked).to.deep.equal([{ basic: [] }])
      return { description, required }
    }
    expect(described({}, ['staff'])).to.deep.equal({
      description: 'Only for users with the role staff.',
      required: ['staff'],
    })
    expect(described({ description: 'All.' }, ['staff', 'auditors'])).to.deep.equal({
      description: 'All.\n\nOnly for users with one of the roles auditors, staff.',
      required: ['auditors', 'staff'],
    })
  })

  it('of a login is the cookie of the ticket, or a bearer token', () => {
    const { security, schemes } = seen({ type: 'oidc' })
    expect(security).to.deep.equal([{ oidc_cookie: [] }, { oidc_bearer: [] }])
    expect(schemes.oidc_cookie).to.deep.equal({
      ...{ type: 'apiKey', in: 'cookie', name: 'service_ticket_com.example.realm' },
    })
  })

  it('of a login needs a proof beside the cookie for unsafe methods', () => {
    const { security } = seen({ type: 'oidc' }, 'delete')
    expect(security).to.deep.equal([{ oidc_cookie: [], oidc_csrf: [] }, { oidc_bearer: [] }])
  })

  it('of a login needs none of a page of this origin where the document says so', () => {
    const { security } = seen({ type: 'oidc', csrf: 'fetch_metadata' }, 'delete')
    expect(security).to.deep.equal([{ oidc_cookie: [] }, { oidc_bearer: [] }])
  })

  it('is absent where the operation is open', () => {
    expect(seen({})).to.deep.equal({ security: undefined, schemes: undefined })
  })

  const machine = { type: 'api_key', header_name: 'x-api-key', name: 'machine' }
  const scoped = (scope: string) => ({ type: 'jwt', issuer: 'corp', scopes: [scope] })
  const several = {
    any: [
      machine,
      { all: [scoped('write'), { type: 'mtls', authid: 'san_dns' }] },
      scoped('read'),
      { type: 'oidc', provider: 'main', name: 'login' },
    ],
    optional: true,
  }

  it('has a requirement for each alternative, all of its schemes in one map, and {} where none is needed', () => {
    const { security, schemes } = seen(several, 'post')
    expect(security).to.deep.equal([
      { machine: [] },
      { jwt: ['write'], mtls: [] },
      { jwt: ['read'] },
      { login_cookie: [], login_csrf: [] },
      { login_bearer: [] },
      {},
    ])
    expect(Object.keys(schemes)).to.have.members([
      ...['machine', 'jwt', 'mtls', 'login_cookie', 'login_csrf', 'login_bearer'],
    ])
    expect(schemes.machine).to.deep.equal({ type: 'apiKey', in: 'header', name: 'x-api-key' })
  })

  for (const security of [
    several,
    { all: [scoped('write'), { type: 'mtls', authid: 'cn', allow_from: ['10.0.0.0/8'] }] },
    { any: [{ type: 'basic', description: 'Old.' }], optional: true },
    { any: [machine, { type: 'forward_auth', url: 'https://auth.example.com', cache_secs: 5 }] },
    { any: [{ type: 'webhook', sender: 'hub' }, machine] },
    scoped('read'),
    { type: 'oidc', provider: 'main' },
    { ...machine, roles: ['staff'] },
    {
      any: [
        { ...machine, roles: ['staff'] },
        { type: 'basic', roles: ['staff'] },
      ],
    },
    { any: [{ ...machine, roles: ['staff'] }, { type: 'basic' }] },
  ]) {
    it(`comes back from a description for operators as it was: ${JSON.stringify(security)}`, () => {
      const document = documentOf({ '/x': { post: { ...fixed('a'), security } } })
      const description = describeDocument(document, { isInternal: true })
      const judge = () => ({ issues: [], warnings: [] })
      const { document: again } = importOpenApi(description, { realm_uri: 'com.example' }, judge)
      const [version] = Object.values(again.versions as Seen)
      const { post } = version.paths['/x']
      expect(post.security ?? version.defaults?.security).to.deep.equal(security)
    })
  }
})
