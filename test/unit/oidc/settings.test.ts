/** What a realm says of its providers: defaults, and what is wrong, by its key. */
import { expect } from 'chai'
import { settingsOf } from '#component/oidc/settings.ts'
import type { OidcError } from '#component/oidc-error.ts'
import { realmsOf } from './settings-fixture.ts'

const issuer = 'https://idp.example.com/realms/x'
const least = { issuer, client_id: 'app' }

describe('the settings of a provider', () => {
  const read = (entry: unknown) => settingsOf(realmsOf({ mock: entry }), 'r', 'mock')

  /** The message of the refusal. */
  const problemOf = (entry: unknown): string => {
    try {
      read(entry)
    } catch (error) {
      expect((error as OidcError).code).to.equal('provider_unavailable')
      return (error as OidcError).message
    }
    return ''
  }

  it('have defaults', () => {
    expect(read(least)).to.deep.equal({
      name: 'mock',
      issuer,
      client_id: 'app',
      scopes: ['openid', 'profile', 'email'],
      authid_claim: 'preferred_username',
      login_parameters: [],
      authorization_parameters: {},
      role_claim: 'roles',
      role_claim_fallback: 'role',
      role_mapping: {},
      claims: [],
      recheck_interval: 0,
      recheck_grace: 3_600,
      pass_access_token: false,
      auto_provision: true,
      ticket_expiry_secs: 2_592_000,
      allow_unsafe_http: false,
      cookie_same_site: 'lax',
      allowed_redirect_uris: [],
      post_logout_redirect_uris: [],
    })
  })

  it('are what the realm says', () => {
    const given = {
      ...least,
      client_secret: { env: 'SECRET' },
      redirect_uri: 'https://shop.example.com/v1/oidc/mock/callback',
      scopes: ['email'],
      login_parameters: ['login_hint', 'hd'],
      role_mapping: { a: 'b', c: ['d', 'e'] },
      auto_provision: false,
      ticket_expiry_secs: 60,
      cookie_domain: '.Example.com',
      cookie_same_site: 'strict',
      allowed_redirect_uris: ['https://app.example.com'],
    }
    expect(read(given)).to.deep.include({
      ...given,
      scopes: ['openid', 'email'],
      role_mapping: { a: ['b'], c: ['d', 'e'] },
      cookie_domain: 'example.com',
    })
  })

  for (const [key, value] of [
    ['issuer', undefined],
    ['issuer', 'idp.example.com'],
    ['issuer', 'http://idp.example.com'],
    ['issuer', 'file:///etc/passwd'],
    ['issuer', 'https://user:pw@idp.example.com'],
    ['issuer', `${issuer}/.well-known/openid-configuration`],
    ['issuer', `${issuer}?x=1`],
    ['client_id', undefined],
    ['client_id', ''],
    ['redirect_uri', '/oidc/mock/callback'],
    ['redirect_uri', 'https://shop.example.com/?x=1'],
    ['scopes', 'openid'],
    ['scopes', [5]],
    ['login_parameters', 'prompt'],
    ['login_parameters', ['']],
    ['login_parameters', ['prompt', 'scope']],
    ['login_parameters', ['redirect_uri']],
    ['login_parameters', ['request']],
    ['login_parameters', ['__proto__']],
    ['authorization_parameters', ['prompt']],
    ['authorization_parameters', { state: 'x' }],
    ['authorization_parameters', { prompt: '' }],
    ['authorization_parameters', { prompt: 'x'.repeat(257) }],
    ['authorization_parameters', { prompt: 'a\u0007' }],
    ['authorization_parameters', { max_age: 'soon' }],
    ['authorization_parameters', { max_age: -1 }],
    ['client_authentication', 'client_secret_basic'],
    ['token_endpoint_auth_method', 'private_key_jwt'],
    ['par', true],
    ['internal_issuer_url', 'http://keycloak.internal'],
    ['internal_issuer_url', 'keycloak.internal'],
    ['ca_file', { file: '/ca.pem' }],
    ['ticket_idle_secs', 299],
    ['ticket_idle_secs', 2_592_001],
    ['authid_claim', 5],
    ['authid_claim', []],
    ['authid_claim', ['a', 5]],
    ['role_claim', ''],
    ['role_claim', 'resource_access."com.example.app.roles'],
    ['role_claim_fallback', 'a."b"c'],
    ['role_claim_fallback', { a: 'b' }],
    ['claims', 'email'],
    ['claims', ['email', ['']]],
    ['claims', ['a."b']],
    ['role_mapping', ['a']],
    ['role_mapping', { a: { b: 'c' } }],
    ['auto_provision', 'false'],
    ['ticket_expiry_secs', 0],
    ['ticket_expiry_secs', 2_592_001],
    ['ticket_expiry_secs', '60'],
    ['allow_unsafe_http', 'true'],
    ['cookie_domain', 'example.com; HttpOnly'],
    ['cookie_same_site', 'Lax'],
    ['allowed_redirect_uris', 'https://app.example.com'],
  ] as const) {
    it(`are refused with ${key} ${JSON.stringify(value)}`, () => {
      expect(problemOf({ ...least, [key]: value })).to.include(
        `info.oidc_providers.mock: ${key}: expected`,
      )
    })
  }

  for (const [written, method] of [
    ['client_secret_basic', 'basic'],
    ['client_secret_post', 'post'],
    ['none', 'none'],
  ] as const) {
    it(`take the older name of a client authentication: ${written}`, () => {
      const entry = { ...least, token_endpoint_auth_method: written }
      expect(read(entry).token_endpoint_auth_method).to.equal(method)
      expect(problemOf({ ...entry, client_authentication: 'post' })).to.include(
        'token_endpoint_auth_method: expected no older name',
      )
    })
  }

  it('need a key for private_key_jwt', () => {
    const entry = { ...least, client_authentication: 'private_key_jwt' }
    expect(problemOf(entry)).to.include('private_key: expected a key')
    expect(problemOf({ ...entry, private_key: { file: '/k.pem' } })).to.equal('')
  })

  it('may name fixed parameters of the authorization request, numbers among them', () => {
    const authorization_parameters = { kc_idp_hint: 'github', max_age: 3600 }
    expect(read({ ...least, authorization_parameters }).authorization_parameters).to.deep.equal({
      kc_idp_hint: 'github',
      max_age: '3600',
    })
  })

  it('leave no parameter to the browser that is fixed', () => {
    const authorization_parameters = { prompt: 'login' }
    expect(
      problemOf({ ...least, authorization_parameters, login_parameters: ['prompt'] }),
    ).to.include('login_parameters: expected none of the names in authorization_parameters')
  })

  it('are an object', () => {
    expect(problemOf('https://idp.example.com')).to.include('expected an object')
  })

  it('may be of http where the realm says that this is unsafe', () => {
    const entry = { issuer: 'http://127.0.0.1:1', client_id: 'app', allow_unsafe_http: true }
    expect(read(entry)).to.deep.include(entry)
  })
})
