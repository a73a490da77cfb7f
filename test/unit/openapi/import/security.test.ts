/** Security requirements of OpenAPI as security objects. */
import { expect } from 'chai'
import { withRoles } from '#component/security/required-roles.ts'
import { at, get, imported, type Json, pathOf } from './imported.ts'

describe('Security of an OpenAPI document', () => {
  const secured = (scheme: Json, security: unknown = [{ s: [] }]) => {
    const { operation, losses } = get(
      { security },
      { components: { securitySchemes: { s: scheme } }, servers: [{ url: '/v1' }] },
    )
    return { security: at(operation, 'security'), count: losses.length }
  }

  const rows: readonly (readonly [what: string, scheme: Json, security: Json, losses: number])[] = [
    ['http basic', { type: 'http', scheme: 'basic' }, { type: 'basic' }, 0],
    [
      'http bearer',
      { type: 'http', scheme: 'Bearer' },
      { type: 'oauth2', flow: 'client_credentials' },
      1,
    ],
    [
      'an API key in a header',
      { type: 'apiKey', in: 'header', name: 'X-Key' },
      { type: 'api_key', header_name: 'x-key' },
      1,
    ],
    [
      'oauth2',
      {
        type: 'oauth2',
        flows: { password: { tokenUrl: 'https://a.example.com/v1/token', scopes: {} } },
      },
      { type: 'oauth2', flow: 'resource_owner_password_credentials', token_path: '/token' },
      0,
    ],
    [
      'OpenID Connect',
      { type: 'openIdConnect', openIdConnectUrl: 'https://a' },
      { type: 'oidc' },
      1,
    ],
    [
      'an API key in the query',
      { type: 'apiKey', in: 'query', name: 'key' },
      { type: 'api_key' },
      1,
    ],
    ['mutual TLS', { type: 'mutualTLS' }, { type: 'mtls', authid: 'san_dns' }, 1],
  ]
  for (const [what, scheme, security, losses] of rows) {
    it(`has an equal or is closed: ${what}`, () => {
      expect(secured(scheme)).to.deep.equal({ security, count: losses })
    })
  }

  for (const [what, scheme, listed, scopes, losses] of [
    [
      'of OAuth2',
      { type: 'oauth2', flows: { password: { tokenUrl: '/t', scopes: {} } } },
      ['a', 'b:c', 'a'],
      ['a', 'b:c'],
      0,
    ],
    [
      'of OAuth2, declared',
      { type: 'oauth2', flows: { password: { tokenUrl: '/t', scopes: { a: 'A.' } } } },
      ['a'],
      ['a'],
      1,
    ],
    [
      'none',
      { type: 'oauth2', flows: { password: { tokenUrl: '/t', scopes: {} } } },
      [],
      undefined,
      0,
    ],
    [
      'that are no scopes',
      { type: 'oauth2', flows: { password: { tokenUrl: '/t', scopes: {} } } },
      ['a b'],
      undefined,
      1,
    ],
    ['of a bearer token', { type: 'http', scheme: 'bearer' }, ['a'], ['a'], 1],
    ['of a scheme without scopes', { type: 'http', scheme: 'basic' }, ['a'], undefined, 1],
  ] as const) {
    it(`asks for the scopes of the requirement: ${what}`, () => {
      const found = secured(scheme, [{ s: listed }])
      expect(at(found.security, 'scopes')).to.deep.equal(scopes)
      expect(found.count).to.equal(losses)
    })
  }

  describe('with the roles of x-required-roles', () => {
    const schemes = { components: { securitySchemes: { s: { type: 'http', scheme: 'basic' } } } }
    for (const [what, operation, parts, security, losses] of [
      ['of the operation', { security: [{ s: [] }] }, {}, { type: 'basic', roles: ['a', 'b'] }, 0],
      ['of the document', {}, { security: [{ s: [] }] }, { type: 'basic', roles: ['a', 'b'] }, 0],
      ['none', {}, {}, { type: 'api_key', roles: ['a', 'b'] }, 1],
      [
        'that is open',
        { security: [] },
        { security: [{ s: [] }] },
        { type: 'api_key', roles: ['a', 'b'] },
        1,
      ],
      [
        'and no list',
        { 'x-required-roles': 'a' },
        { security: [{ s: [] }] },
        { type: 'api_key' },
        1,
      ],
      [
        'and no texts',
        { 'x-required-roles': [7] },
        { security: [{ s: [] }] },
        { type: 'api_key' },
        1,
      ],
      [
        'and no roles',
        { 'x-required-roles': [] },
        { security: [{ s: [] }] },
        { type: 'api_key' },
        1,
      ],
    ] as const) {
      it(`asks for them: ${what}`, () => {
        const found = get(
          { 'x-required-roles': ['a', 'b'], ...operation },
          { ...schemes, ...parts },
        )
        expect(at(found.operation, 'security')).to.deep.equal(security)
        expect(found.losses).to.have.length(losses)
      })
    }

    it('has the description of the author back', () => {
      const roles = ['auditors', 'staff']
      for (const written of [undefined, 'All.', 'All.\n\nTwice.']) {
        const { operation } = get(
          { 'x-required-roles': roles, description: withRoles(written, roles) },
          schemes,
        )
        expect(at(operation, 'description')).to.equal(written)
      }
      const other = get({ 'x-required-roles': roles, description: withRoles('A.', ['b']) }, schemes)
      expect(at(other.operation, 'description')).to.equal('A.\n\nOnly for users with the role b.')
    })
  })

  it('is closed where its scheme is unknown', () => {
    expect(secured({ type: 'basic' }, [{ other: [] }]).security).to.deep.equal({ type: 'api_key' })
    expect(secured({ type: 'basic' }, 'x').security).to.deep.equal({ type: 'api_key' })
  })

  describe('with several schemes', () => {
    const flow = (name: string) => ({
      type: 'oauth2',
      flows: { [name]: { tokenUrl: 'https://a.example.com', scopes: {} } },
    })
    const securitySchemes = {
      basic: { type: 'http', scheme: 'basic' },
      machine: { type: 'apiKey', in: 'header', name: 'X-Key' },
      id: { type: 'apiKey', in: 'header', name: 'X-Id' },
      twin: { type: 'apiKey', in: 'header', name: 'x-key' },
      inQuery: { type: 'apiKey', in: 'query', name: 'key' },
      people: flow('password'),
      programs: flow('clientCredentials'),
      'login of people': { type: 'openIdConnect', openIdConnectUrl: 'https://a' },
      cert: { type: 'mutualTLS' },
    }
    const machine = { type: 'api_key', header_name: 'x-key', name: 'machine' }
    const id = { type: 'api_key', header_name: 'x-id', name: 'id' }
    const people = { type: 'oauth2', flow: 'resource_owner_password_credentials', name: 'people' }
    const programs = { type: 'oauth2', flow: 'client_credentials', name: 'programs' }
    const cert = { type: 'mtls', authid: 'san_dns', name: 'cert' }
    for (const [what, security, expected, lost] of [
      ['alternatives', [{ basic: [] }, { machine: [] }], { any: [{ type: 'basic' }, machine] }],
      ['both', [{ machine: [], id: [] }], { all: [machine, id] }],
      [
        'both, or another',
        [{ machine: [], id: [] }, { basic: [] }],
        { any: [{ all: [machine, id] }, { type: 'basic' }] },
      ],
      ['one, or none', [{ basic: [] }, {}], { any: [{ type: 'basic' }], optional: true }],
      [
        'both, or none',
        [{}, { machine: [], cert: [] }],
        { any: [{ all: [machine, cert] }], optional: true },
      ],
      ['one twice', [{ basic: [] }, { basic: [] }], { type: 'basic' }],
      ['two of one header', [{ machine: [], twin: [] }], { type: 'api_key', header_name: 'x-key' }],
      [
        'a token as two flows',
        [{ people: [], programs: [] }],
        { type: 'oauth2', flow: 'resource_owner_password_credentials' },
      ],
      [
        'the flows of one token path',
        [{ people: [] }, { programs: [] }],
        { any: [people, programs] },
      ],
      [
        'a token, and a key that no header has',
        [{ inQuery: [], people: [] }],
        { all: [{ type: 'api_key', header_name: 'x-api-key', name: 'inQuery' }, people] },
      ],
      [
        'names that expressions could not have',
        [{ 'login of people': [] }, { cert: [] }],
        { any: [{ type: 'oidc', name: 'login_of_people' }, cert] },
      ],
      [
        'what one field cannot hold',
        [{ basic: [], people: [] }],
        { type: 'basic' },
        'without people',
      ],
      [
        'more than four',
        [{ machine: [], id: [], cert: [], 'login of people': [], basic: [] }],
        { all: [machine, id, cert, { type: 'oidc', name: 'login_of_people' }] },
        'without basic',
      ],
    ] as const) {
      it(`asks for what it asks: ${what}`, () => {
        const found = get({ security }, { components: { securitySchemes } })
        expect(at(found.operation, 'security')).to.deep.equal(expected)
        const told = found.losses.map(({ message }) => message)
        expect(told.some((one) => one.includes('one kind of credentials'))).to.equal(
          lost !== undefined,
        )
        if (lost !== undefined) expect(told.join()).to.contain(lost)
      })
    }
  })

  it('of the document is a default, which an operation may take back', () => {
    const found = imported({
      security: [{ s: [] }],
      components: { securitySchemes: { s: { type: 'http', scheme: 'basic' } } },
      paths: { '/a': { get: { security: [] }, put: {} } },
    })
    expect(at(found.document, 'versions', '1.0', 'defaults')).to.deep.equal({
      security: { type: 'basic' },
    })
    expect(at(pathOf(found, '/a'), 'get', 'security')).to.deep.equal({})
    expect(at(pathOf(found, '/a'), 'put')).not.to.have.property('security')
  })
})
