/** The security of an operation in a description, by the type of its security object. */
import { expect } from 'chai'
import { documentOf, fixed } from '#test/unit/gateway/fake-exchange.ts'
import { describeDocument } from './describe.ts'

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

  it('is absent where the operation is open', () => {
    expect(seen({})).to.deep.equal({ security: undefined, schemes: undefined })
  })
})
