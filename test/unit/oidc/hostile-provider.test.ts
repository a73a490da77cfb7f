/** What a provider, or somebody on the way to it, may do to a login: each time an error of the list, no ticket, and nothing is left. */
import { createHmac } from 'node:crypto'
import { expect } from 'chai'
import { client_secret, encode, FakeProvider, type Twist } from './fake-provider.ts'
import { browser, codeOf, type LoginNode, openLogins, StillClock } from './login-fixture.ts'

const hs256 = (claims: object): string => {
  const signed = `${encode({ alg: 'HS256', kid: 'k1' })}.${encode(claims)}`
  return `${signed}.${createHmac('sha256', client_secret).update(signed).digest('base64url')}`
}

/** Its last bytes are others. */
const spoiled = (token: string): string => {
  const [header, claims, signature = ''] = token.split('.')
  const bytes = Buffer.from(signature, 'base64url').map((byte) => byte ^ 1)
  return [header, claims, Buffer.from(bytes).toString('base64url')].join('.')
}

const clock = new StillClock()
const now = Math.floor(clock.now() / 1000)
const algorithms = (...names: string[]) => ({ id_token_signing_alg_values_supported: names })
const huge = `{"x":"${'x'.repeat(1_000_000)}"}`

/** Why the exchange of the code fails. */
const exchanges: readonly (readonly [what: string, twist: Twist])[] = [
  ['the ID token of another issuer', { claims: { iss: 'https://evil.example.com' } }],
  ['an ID token without iss', { claims: { iss: undefined } }],
  ['an ID token for another client', { claims: { aud: 'other' } }],
  ['an ID token without aud', { claims: { aud: undefined } }],
  ['an ID token for several, authorized for another', { claims: { aud: ['app', 'x'], azp: 'x' } }],
  ['an ID token for several, authorized for nobody', { claims: { aud: ['app', 'x'] } }],
  ['another nonce', { claims: { nonce: 'other' } }],
  ['no nonce', { claims: { nonce: undefined } }],
  ['no sub', { claims: { sub: undefined } }],
  ['an empty sub', { claims: { sub: '' } }],
  [
    'an empty sub, and no userinfo',
    { claims: { sub: '' }, metadata: { userinfo_endpoint: undefined } },
  ],
  ['no iat', { claims: { iat: undefined } }],
  ['no exp', { claims: { exp: undefined } }],
  ['an ID token that has expired', { claims: { exp: now - 31 } }],
  ['an ID token from a day ahead', { claims: { iat: now + 86_400, exp: now + 90_000 } }],
  ['an ID token that is not valid yet', { claims: { nbf: now + 86_400 } }],
  ['an at_hash of another access token', { claims: { at_hash: 'AAAAAAAAAAAAAAAAAAAAAA' } }],
  ['an at_hash that is no text', { claims: { at_hash: 7 } }],
  [
    'alg none',
    {
      idToken: (claims) => `${encode({ alg: 'none' })}.${encode(claims)}.`,
      metadata: algorithms('none'),
    },
  ],
  ['alg HS256 with the secret of the client', { idToken: hs256, metadata: algorithms('HS256') }],
  ['alg HS256 that nobody has announced', { idToken: hs256 }],
  ['a bad signature', { idToken: async (claims, { sign }) => spoiled(await sign(claims)) }],
  ['no signature', { idToken: (claims) => `${encode({ alg: 'ES256' })}.${encode(claims)}.` }],
  ['the key in the header', { header: { kid: 'k2', jwk: { kty: 'EC', crv: 'P-256' } } }],
  ['an unknown kid', { header: { kid: 'k2' } }],
  [
    'no kid where several keys fit',
    {
      header: { kid: undefined },
      jwks: ([key = {}]) => [key, { ...key, kid: 'k2' }],
    },
  ],
  ['keys that are none', { jwks: () => ['key', null] }],
  ['no keys', { answers: { '/jwks': { body: {} } } }],
  ['an ID token that is garbage', { idToken: () => 'a.b.c' }],
  ['no ID token', { tokens: { id_token: undefined } }],
  ['no access token', { tokens: { access_token: undefined } }],
  ['an access token of another type', { tokens: { token_type: 'mac' } }],
  ['userinfo of another sub', { userinfo: { sub: 'sub-2', preferred_username: 'root' } }],
  ['userinfo without sub', { userinfo: { sub: undefined } }],
  ['userinfo that it keeps to itself', { answers: { '/userinfo': { status: 403, body: {} } } }],
  ['an error', { answers: { '/token': { status: 400, body: { error: 'invalid_grant' } } } }],
  ['a refusal of the client', { answers: { '/token': { status: 401, body: '' } } }],
  ['garbage for JSON', { answers: { '/token': { body: '{"access_token":' } } }],
  ['JSON that is no object', { answers: { '/token': { body: '[1]' } } }],
  ['a page', { answers: { '/token': { headers: { 'content-type': 'text/html' }, body: '<p>' } } }],
  [
    'a redirect',
    { answers: { '/token': { status: 307, headers: { location: '/elsewhere' }, body: '' } } },
  ],
  ['the answer of another issuer (mix-up)', { query: { iss: 'https://evil.example.com' } }],
  ['no issuer although it announces one', { query: { iss: undefined } }],
  ['another code', { query: { code: 'code-of-eve' } }],
  ['an ID token on the way through the browser', { query: { id_token: 'a.b.c' } }],
]

/** Why the provider counts as away during the exchange. */
const absences: readonly (readonly [what: string, twist: Twist])[] = [
  ['a huge token answer', { answers: { '/token': { body: huge } } }],
  ['huge keys', { answers: { '/jwks': { body: huge } } }],
  ['huge userinfo', { answers: { '/userinfo': { body: huge } } }],
  ['a failure', { answers: { '/token': { status: 503, body: 'away' } } }],
  ['a failure of userinfo', { answers: { '/userinfo': { status: 500, body: 'x' } } }],
  [
    'keys at the address of a cloud’s metadata',
    { metadata: { jwks_uri: 'http://169.254.169.254/' } },
  ],
  ['keys that nobody serves', { metadata: { jwks_uri: 'http://127.0.0.1:1/' } }],
]

/** Why nobody is sent there at all. */
const refusals: readonly (readonly [what: string, twist: Twist, code: string])[] = [
  [
    'the name of another issuer',
    { metadata: { issuer: 'https://evil.example.com' } },
    'provider_unavailable',
  ],
  ['no issuer', { metadata: { issuer: undefined } }, 'provider_unavailable'],
  [
    'an authorization endpoint of another scheme',
    { metadata: { authorization_endpoint: 'javascript:alert(1)' } },
    'provider_unavailable',
  ],
  [
    'an end of sessions that is none',
    { metadata: { end_session_endpoint: ['x'] } },
    'provider_unavailable',
  ],
  [
    'no authorization endpoint',
    { metadata: { authorization_endpoint: undefined } },
    'authorization_url_failed',
  ],
  [
    'a huge document',
    { answers: { '/.well-known/openid-configuration': { body: huge } } },
    'provider_unavailable',
  ],
  [
    'garbage',
    { answers: { '/.well-known/openid-configuration': { body: '{' } } },
    'provider_unavailable',
  ],
  [
    'a redirect',
    {
      answers: { '/.well-known/openid-configuration': { status: 302, headers: { location: '/' } } },
    },
    'provider_unavailable',
  ],
  [
    'a failure',
    { answers: { '/.well-known/openid-configuration': { status: 500 } } },
    'provider_unavailable',
  ],
]

describe('a hostile provider', () => {
  let provider: FakeProvider
  let node: LoginNode
  beforeEach(async () => {
    provider = await FakeProvider.open(() => clock.now())
    node = await openLogins(provider, { clock })
  })
  afterEach(async () => {
    await node.close()
    await provider.close()
  })

  /** The login fails, and another one does not suffer from it. */
  async function expectNothing(attempt: () => Promise<unknown>, code: string): Promise<void> {
    expect(await codeOf(attempt)).to.equal(code)
    expect(node.left()).to.deep.equal([])
    expect(node.replica.entries('realm_key'), 'nothing was signed').to.deep.equal([])
    expect(provider.asked.filter((one) => one.includes('elsewhere'))).to.deep.equal([])
  }

  it('that spoils an answer with tokens in it has nothing of it logged', async () => {
    const body = '{"access_token":"s3cr3t"'
    for (const spoilt of ['s3cr3t', body, body.replace(':', '')]) {
      provider.twist = { answers: { '/token': { body: spoilt } } }
      const error = await node.logIn().catch((thrown: unknown) => thrown)
      expect(error).to.have.property('code', 'token_exchange_failed')
      expect(error).to.have.property('message').that.does.not.include('s3cr')
    }
  })

  it('that is honest lets users log in', async () => {
    expect(await codeOf(() => node.logIn())).to.equal(undefined)
    expect(node.left()).to.deep.equal(['com.example.shop ada'])
  })

  for (const [what, twist] of exchanges) {
    it(`that gives ${what} gets no user in`, async () => {
      provider.twist = twist
      await expectNothing(() => node.logIn(), 'token_exchange_failed')
    })
  }

  // the gateway verifies the ID token by itself then
  for (const [what, twist] of exchanges) {
    it(`that gives ${what}, and claims of null, gets no user in`, async () => {
      provider.twist = { ...twist, claims: { auth_time: null, nbf: null, ...twist.claims } }
      await expectNothing(() => node.logIn(), 'token_exchange_failed')
    })
  }

  for (const name of ['iss', 'aud', 'sub', 'iat', 'exp', 'nonce']) {
    it(`that gives ${name} of null gets no user in`, async () => {
      provider.twist = { claims: { [name]: null, auth_time: null } }
      await expectNothing(() => node.logIn(), 'token_exchange_failed')
    })
  }

  for (const [what, twist] of absences) {
    it(`that gives ${what} is away`, async () => {
      provider.twist = twist
      await expectNothing(() => node.logIn(), 'provider_unavailable')
    })
  }

  for (const [what, twist, code] of refusals) {
    it(`that says of itself ${what} is sent nobody`, async () => {
      provider.twist = twist
      await expectNothing(() => node.begin(browser()), code)
    })
  }

  for (const path of ['/.well-known/openid-configuration', '/token', '/jwks', '/userinfo']) {
    it(`that does not answer at ${path} is away after the time that it has`, async () => {
      provider.twist = { answers: { [path]: { isNever: true } } }
      const isAsked = provider.askedFor(path).then(() => clock.elapse())
      await expectNothing(() => node.logIn(), 'provider_unavailable')
      await isAsked
    })
  }
})
