/** Paths under `oauth2`: who passes with an access token, and what everybody else is told (RFC 6750 §3). */
import { expect } from 'chai'
import type { Identity } from '#component/identity.ts'
import { BearerScheme } from '#component/security/oauth2/authenticate.ts'
import type { AccessClaims } from '#component/token/access-token.ts'
import { TokenError } from '#component/token/token-error.ts'
import {
  anyIssuer,
  FakeLogins,
  outcomeOf,
  protectedBy,
  realm_uri,
  requestWith,
  userNamed,
} from './doubles.ts'

const protection = protectedBy('oauth2', { flow: 'client_credentials' })

const claimsOf = (sub: string, roles: readonly string[]): AccessClaims => ({
  ...{
    iss: 'https://api.example/v1',
    sub,
    aud: realm_uri,
    exp: 2_000,
    iat: 1_000,
    jti: `of ${sub}`,
  },
  ...{ client_id: 'app', scope: roles.join(' ') },
  auth: { realm: realm_uri, roles, client_id: 'app', device_id: 'd', authmethod: 'password' },
})

describe('a path under oauth2', () => {
  let logins: FakeLogins
  let scheme: BearerScheme
  let claims: Record<string, AccessClaims>
  let isFresh: boolean

  beforeEach(() => {
    logins = new FakeLogins()
    isFresh = false
    claims = { good: claimsOf('ada', ['staff', 'admins']), ghost: claimsOf('eve', ['staff']) }
    const verify = (token: string, realm: string) => {
      const found = realm === realm_uri ? claims[token] : undefined
      if (!found) throw new TokenError('the token has expired')
      return isFresh ? Promise.resolve(found) : found
    }
    scheme = new BearerScheme({ accessTokens: { verify }, issuers: anyIssuer, logins })
  })

  const ask = (headers: Readonly<Record<string, string>>) =>
    outcomeOf(() => scheme.authenticate(requestWith(headers), protection))

  it('passes on who the token was issued to, with the roles of the token that the user has', async () => {
    const expected = {
      realm_uri,
      authid: 'ada',
      username: 'ada',
      authmethod: 'password',
      authroles: ['staff'],
      groups: ['staff', 'buyers'],
      meta: { locale: 'de', age: 7 },
      locale: 'de',
      client_id: 'app',
      session: 'of ada',
      granted_scopes: [],
    }
    for (const authorization of ['Bearer good', 'bearer good', 'BEARER  good']) {
      expect(await ask({ authorization })).to.deep.equal(expected)
    }
    isFresh = true
    expect(await ask({ authorization: 'Bearer good' })).to.deep.equal(expected)
  })

  it('tells when the token expires, beside what expressions see', async () => {
    const identity = await ask({ authorization: 'Bearer good' })
    expect(identity).to.have.property('expires_at', 2_000_000)
    expect({ ...identity }).to.not.have.property('expires_at')
  })

  const refused = (error = '') => [
    401,
    'service.error.unauthorized',
    `Bearer realm="${realm_uri}"${error}`,
  ]

  for (const [what, headers] of [
    ['nothing', {}],
    ['another scheme', { authorization: 'Basic good' }],
    ['a scheme that begins like it', { authorization: 'Bearers good' }],
    ['the token without a scheme', { authorization: 'good' }],
    ['the scheme without a token', { authorization: 'Bearer ' }],
    ['the token in another header', { 'x-access-token': 'good', cookie: 'access_token=good' }],
  ] as const) {
    it(`asks for a token, and calls none invalid, when there is ${what}`, async () => {
      expect(await ask(headers)).to.deep.equal(refused())
    })
  }

  it('says what is wrong with a token', async () => {
    expect(await ask({ authorization: 'Bearer bad' })).to.deep.equal(
      refused(', error="invalid_token", error_description="the token has expired"'),
    )
  })

  for (const fresh of [true, false]) {
    it(`refuses the token of a user that is gone, ${fresh ? 'first' : 'last'} seen`, async () => {
      isFresh = fresh
      const gone =
        ', error="invalid_token", error_description="the user of the token no longer exists"'
      expect(await ask({ authorization: 'Bearer ghost' })).to.deep.equal(refused(gone))
      expect(await ask({ authorization: 'Bearer good' })).to.have.property('authid', 'ada')
      logins.change({}, '')
      expect(await ask({ authorization: 'Bearer good' })).to.deep.equal(refused(gone))
    })
  }

  for (const [flow, family, opens] of [
    ['client_credentials', undefined, true],
    ['client_credentials', 'f1', false],
    ['resource_owner_password_credentials', 'f1', true],
    ['resource_owner_password_credentials', undefined, false],
    ['authorization_code', 'f1', false],
    ['implicit', undefined, false],
  ] as const) {
    const of = family ? 'an owner' : 'a client'
    it(`${opens ? 'takes' : 'refuses'} a token of ${of} on a path of the flow ${flow}`, async () => {
      for (const fresh of [true, false]) {
        isFresh = fresh
        claims.good = { ...claimsOf('ada', ['staff']), ...(family && { family }) }
        const request = requestWith({ authorization: 'Bearer good' })
        const at = protectedBy('oauth2', { flow })
        const outcome = await outcomeOf(() => scheme.authenticate(request, at))
        const reason = 'the flow of the path does not accept tokens of this grant'
        const error = `, error="invalid_token", error_description="${reason}"`
        if (opens) expect(outcome).to.include({ authid: 'ada' })
        else expect(outcome).to.deep.equal(refused(error))
      }
    })
  }

  it('refuses the token of an issuer that the API does not trust, also where another API takes it', async () => {
    const verify = () => claimsOf('ada', ['staff'])
    const trusted: unknown[][] = []
    const isTrusted = (api: string, iss: string) => {
      trusted.push([api, iss])
      return api === 'shop'
    }
    const strict = new BearerScheme({ accessTokens: { verify }, issuers: { isTrusted }, logins })
    const request = requestWith({ authorization: 'Bearer good' })
    const at = (api: string) =>
      outcomeOf(() => strict.authenticate(request, { ...protection, api }))
    expect(await at('shop')).to.include({ authid: 'ada' })
    const reason = 'the token was issued for another API'
    const error = `, error="invalid_token", error_description="${reason}"`
    expect(await at('stock')).to.deep.equal(refused(error))
    const iss = 'https://api.example/v1'
    expect(trusted).to.deep.equal([
      ['shop', iss],
      ['stock', iss],
    ])
  })

  it('passes a failure on that is not about the token', async () => {
    const verify = () => Promise.reject(new RangeError('the store is away'))
    const broken = new BearerScheme({ accessTokens: { verify }, issuers: anyIssuer, logins })
    const request = requestWith({ authorization: 'Bearer good' })
    const error: unknown = await Promise.resolve(broken.authenticate(request, protection)).catch(
      (thrown: unknown) => thrown,
    )
    expect(error).to.be.instanceOf(RangeError)
  })

  it('gives the same frozen identity at once for a token that is known, until its user changes', () => {
    const request = requestWith({ authorization: 'Bearer good' })
    const first = scheme.authenticate(request, protection) as Identity
    expect(scheme.authenticate(request, protection)).to.equal(first)
    expect(first).to.be.frozen
    expect(first.authroles).to.be.frozen
    logins.change({ ada: userNamed('ada', ['admins'], {}) }, '')
    const second = scheme.authenticate(request, protection) as Identity
    expect(second).to.deep.include({ authroles: ['admins'], groups: ['admins'] })
    expect(second).to.not.have.property('locale')
    expect(scheme.authenticate(request, protection)).to.equal(second)
  })
})
