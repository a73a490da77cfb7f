/** What a load warns of at forwards that send credentials. */
import { expect } from 'chai'
import { compileDocument } from '#component/compile/compile-document.ts'

const shown =
  'everybody who may read the document reads this secret: keep it in `auth` of an upstream of the realm'
const at = '/versions/1/paths/~1a/get/action'

/** The warnings of a forward. */
function warningsOf(action: object, security: object = {}, variables: object = {}) {
  const get = { action: { type: 'forward', ...action }, response: {} }
  const document = {
    ...{ id: 'a', host: '_', realm_uri: 'r', variables, defaults: { security } },
    versions: { '1': { base_path: '/v1', paths: { '/a': { get } } } },
  }
  const { warnings } = compileDocument(document, {
    callTimeout: 30_000,
    hasUpstream: () => true,
    takesUserToken: (_realm_uri, name) => name === 'of-users',
  })
  return warnings.filter(({ path }) => path.startsWith(at))
}

describe('a header of a forward with a secret', () => {
  const host = 'http://10.0.0.5'
  const cases: readonly (readonly [string, object, readonly string[]])[] = [
    ['the field Authorization', { headers: { Authorization: 'Bearer abc' } }, ['Authorization']],
    ['an API key', { headers: { 'x-api-key': 'abc', accept: 'text/plain' } }, ['x-api-key']],
    [
      'two of them',
      { headers: { 'X-Auth-Token': 'a', 'x-client-secret': 'b' } },
      ['X-Auth-Token', 'x-client-secret'],
    ],
    ['a variable', { headers: { 'x-apikey': '{{variables.key}}' } }, ['x-apikey']],
    [
      'what the client sends',
      { headers: { authorization: '{{request.headers.authorization}}' } },
      [],
    ],
    ['the token of the provider', { headers: { authorization: 'Bearer {{security.authid}}' } }, []],
    ['an empty field', { headers: { authorization: '' } }, []],
    ['other fields', { headers: { accept: 'text/plain', 'x-id': 'a' } }, []],
    ['no headers', {}, []],
  ]
  for (const [what, action, fields] of cases) {
    it(`${fields.length > 0 ? 'warns and names auth' : 'is none'}: ${what}`, () => {
      expect(warningsOf({ host, ...action }, {}, { key: 'abc' })).to.deep.equal(
        fields.map((field) => ({ path: `${at}/headers/${field}`, message: shown })),
      )
    })
  }
})

describe('a forward to an upstream that needs a token of the user', () => {
  const message =
    'the upstream "of-users" needs a token of the user, and the security of this operation proves none: every request gets 403'
  const cases: readonly (readonly [string, object, boolean])[] = [
    ['none', {}, true],
    ['basic', { type: 'basic' }, true],
    ['an API key', { type: 'api_key', header_name: 'x-key' }, true],
    ['a token', { type: 'jwt', issuer: 'corp' }, false],
    ['a login', { type: 'oidc', provider: 'main' }, false],
    [
      'a key or a token',
      {
        any: [
          { type: 'api_key', header_name: 'x-key' },
          { type: 'jwt', issuer: 'corp' },
        ],
      },
      false,
    ],
    [
      'two that prove none',
      { any: [{ type: 'api_key', header_name: 'x-key' }, { type: 'basic' }] },
      true,
    ],
  ]
  for (const [what, security, isWarned] of cases) {
    it(`${isWarned ? 'warns' : 'does not warn'} where the security is ${what}`, () => {
      const warnings = warningsOf({ upstream: 'of-users' }, security)
      expect(warnings).to.deep.equal(isWarned ? [{ path: `${at}/upstream`, message }] : [])
    })
  }

  it('does not warn of another upstream', () => {
    expect(warningsOf({ upstream: 'billing' })).to.deep.equal([])
  })
})
