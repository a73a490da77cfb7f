/** From a password to a protected path and out again: the OAuth2 endpoints with real realms, grants, tokens and keys. */

import { expect } from 'chai'
import { forEachType as forEachAction } from '#component/action/kinds.ts'
import { staticAction } from '#component/action/static/perform.ts'
import { systemClock } from '#component/clock.ts'
import { compileSpec } from '#component/compile/compile.ts'
import { TokenIssuers } from '#component/compile/token-issuers.ts'
import { Gateway } from '#component/gateway/handle.ts'
import { LoginCounts } from '#component/login-counts.ts'
import { Logins } from '#component/realm/logins.ts'
import type { Realms } from '#component/realm/realms.ts'
import { RoutingTable } from '#component/routes/routing-table.ts'
import { Attempts } from '#component/security/attempts.ts'
import { openSchemes } from '#component/security/schemes.ts'
import { validateSpec } from '#component/spec/validate.ts'
import { ApiKeys } from '#component/token/api-key.ts'
import { openGrants } from '#component/token/grants.ts'
import { oauthEndpoints } from '#http/oauth/endpoints.ts'
import { bodyOf, documentOf, FakeExchange, fixed } from '#test/unit/gateway/fake-exchange.ts'
import { basic, type FormAsk } from '#test/unit/http/oauth/fixture.ts'
import { realmsWith } from '#test/unit/realm/doubles.ts'
import { noIssuers, noLogins } from '#test/unit/security/doubles.ts'
import { openTokens } from '#test/unit/token/doubles.ts'
import { MemoryKeyUses } from '#test/unit/token/memory-key-uses.ts'

const realm_uri = 'com.example.realm'
const from = (usernames: readonly string[], authmethod: string) => ({
  usernames,
  authmethod,
  cidr: '0.0.0.0/0',
})

const realm = {
  uri: realm_uri,
  authmethods: ['wampcra', 'oauth2'],
  users: [
    { username: 'app', password: 's3cret', groups: ['api_clients'] },
    { username: 'ada', password: 'lovelace', groups: ['resource_owners', 'staff'] },
    { username: 'ben', password: 'no oauth2', groups: ['resource_owners'] },
    { username: 'cleo', password: 'no owner', groups: ['staff'] },
  ],
  sources: [from(['app', 'ada', 'ben', 'cleo'], 'wampcra'), from(['ada', 'cleo'], 'oauth2')],
}

const app = basic('app:s3cret')
const login = { grant_type: 'password', username: 'ada', password: 'lovelace' }

/** Loaded once: hashing the passwords takes its time. */
let loaded: Promise<Realms> | undefined
async function load(): Promise<Realms> {
  const { realms } = await realmsWith()
  await realms.load(realm)
  return realms
}

/** No document here has `oidc`. */
const nobody = () => Promise.reject(new Error('nobody logs in here'))

async function open(flow = 'resource_owner_password_credentials') {
  loaded ??= load()
  const realms = await loaded
  const tokens = await openTokens()
  const logins = new Logins({ realms })
  const attempts = new Attempts({ user_failures: 20, address_failures: 100 })
  const issuers = new TokenIssuers('https://api.example.com')
  const schemes = openSchemes({
    ...{
      ...tokens,
      logins,
      attempts,
      apiKeys: new ApiKeys({ ...tokens, uses: new MemoryKeyUses() }),
    },
    accounts: { isKnown: () => false },
    ...noIssuers,
    ...{ issuers, realms, authService: noLogins.authService },
  })
  const ports = { clock: systemClock, callTimeout: 1000 }
  const gateway = new Gateway({
    clock: ports.clock,
    actions: forEachAction(() => staticAction),
    schemes,
    endpoints: {
      ...oauthEndpoints({
        ...tokens,
        grants: openGrants(tokens),
        issuerBase: () => 'https://api.example.com',
        baseOf: () => 'https://api.example.com',
        realms,
        logins,
        attempts,
        counts: new LoginCounts(),
        bearer: schemes.oauth2,
      }),
      'oidc.login': nobody,
      'oidc.callback': nobody,
      'oidc.jwks': nobody,
      'oidc.logout': nobody,
      'oidc.backchannel_logout': nobody,
      'openapi.document': nobody,
      'openapi.docs': nobody,
      'openapi.asset': nobody,
    },
    cors: { allow_origin: '', allow_methods: '', allow_headers: '', max_age: 1 },
  })
  const defaults = { security: { type: 'oauth2', flow } }
  const { spec } = validateSpec(
    documentOf({ '/me': { get: fixed('{{security.authid}}') } }, { defaults }),
  )
  if (!spec) throw new Error('the document is not valid')
  const { table } = RoutingTable.build(compileSpec(spec, ports).api?.entries ?? [])
  gateway.table = table
  issuers.follow({ added: [...table.apis], removed: [] })
  const ask = async (line: string, asked: ConstructorParameters<typeof FakeExchange>[1] = {}) => {
    const reply = await gateway.handle(new FakeExchange(line, asked))
    if (!reply) throw new Error(`${line} matches no path`)
    return { ...reply, value: bodyOf(reply) as Record<string, string> }
  }
  const post = (path: string, { form = {}, headers }: FormAsk = {}) => {
    const type = { 'content-type': 'application/x-www-form-urlencoded' }
    const body = new URLSearchParams(form).toString()
    return ask(`POST /v1/oauth/${path}`, { body, headers: { ...type, ...headers } })
  }
  const use = async (token: string | undefined, path = '/me') =>
    await ask(`GET /v1${path}`, { headers: { authorization: `Bearer ${token}` } })
  return { ...tokens, ask, post, use }
}

describe('OAuth2 with passwords', () => {
  it('gives tokens that open paths, can be looked at, renewed once, and revoked', async () => {
    const { ask, post, use } = await open()
    const { status, value: first } = await post('token', { form: login, headers: app })
    expect(status, JSON.stringify(first)).to.equal(200)
    expect(first).to.include({
      token_type: 'bearer',
      expires_in: 900,
      scope: 'resource_owners staff',
    })
    expect(await use(first.access_token)).to.include({ status: 200, value: 'ada' })

    const verified = await use(first.access_token, '/oauth/verify')
    expect(verified.headers).to.include({
      'x-service-authid': 'ada',
      'x-service-authroles': 'resource_owners,staff',
    })
    const { value: keys } = await ask('GET /v1/oauth/jwks')
    expect(keys.keys).to.have.length(1)
    const form = { token: String(first.access_token) }
    const { value: seen } = await post('introspect', { form, headers: app })
    expect(seen).to.include({ active: true, sub: 'ada', iss: 'https://api.example.com/v1' })

    const refresh = { grant_type: 'refresh_token', refresh_token: String(first.refresh_token) }
    const { value: second } = await post('token', { form: refresh })
    expect(await use(second.access_token)).to.include({ status: 200 })

    expect((await post('revoke', { form })).status).to.equal(200)
    expect(await use(first.access_token)).to.include({ status: 401 })
    expect((await post('introspect', { form, headers: app })).value).to.deep.equal({
      active: false,
    })
    expect(await use(second.access_token), 'another token').to.include({ status: 200 })
    await post('revoke', { form: { token: String(second.refresh_token) } })
    expect(await use(second.access_token), 'its family has ended').to.include({ status: 401 })
  })

  it('refuses a refresh token that is used again later, and ends what came of it', async () => {
    const { pass, post, use } = await open()
    const { value: first } = await post('token', { form: login, headers: app })
    const form = { grant_type: 'refresh_token', refresh_token: String(first.refresh_token) }
    const { value: second } = await post('token', { form })
    expect((await post('token', { form })).value.refresh_token).to.equal(second.refresh_token)
    pass(11)
    const { status, value } = await post('token', { form })
    expect([status, value.error]).to.deep.equal([400, 'invalid_grant'])
    expect(await use(second.access_token)).to.include({ status: 401 })
  })

  for (const [title, form, headers, status, error] of [
    ['without grant_type', {}, app, 400, 'invalid_request'],
    ['of an unknown grant', { grant_type: 'magic' }, {}, 400, 'unsupported_grant_type'],
    [
      'of a grant of another flow',
      { grant_type: 'authorization_code', code: 'x' },
      app,
      400,
      'unsupported_grant_type',
    ],
    [
      'for client_credentials',
      { grant_type: 'client_credentials' },
      app,
      400,
      'unsupported_grant_type',
    ],
    ['without a client', login, {}, 401, 'invalid_client'],
    ['with a wrong secret', login, basic('app:wrong'), 401, 'invalid_client'],
    ['by an unknown client', login, basic('client:wrong'), 401, 'invalid_client'],
    ['with a wrong password', { ...login, password: 'x' }, app, 400, 'invalid_grant'],
    ['of an unknown owner', { ...login, username: 'nobody' }, app, 400, 'invalid_grant'],
    [
      'of an owner without oauth2',
      { ...login, username: 'ben', password: 'no oauth2' },
      app,
      400,
      'invalid_grant',
    ],
    [
      'of a user who is no owner',
      { ...login, username: 'cleo', password: 'no owner' },
      app,
      400,
      'invalid_grant',
    ],
    ['of more than the roles', { ...login, scope: 'staff root' }, app, 400, 'invalid_scope'],
    [
      'with a made-up refresh token',
      { grant_type: 'refresh_token', refresh_token: 'x' },
      {},
      400,
      'invalid_grant',
    ],
  ] as const) {
    it(`refuses a request ${title}`, async () => {
      const { post } = await open()
      const reply = await post('token', { form, headers })
      expect([reply.status, reply.value.error]).to.deep.equal([status, error])
      expect(reply.headers['www-authenticate']).to.equal(
        status === 401 ? `Basic realm="${realm_uri}", charset="UTF-8"` : undefined,
      )
    })
  }

  it('tells owners who are wrong, unknown or not allowed the same', async () => {
    const { post } = await open()
    const told = new Set<string>()
    for (const [username, password] of [
      ['ada', 'x'],
      ['nobody', 'x'],
      ['cleo', 'no owner'],
    ] as const) {
      const { value } = await post('token', {
        form: { ...login, username, password },
        headers: app,
      })
      told.add(JSON.stringify(value))
    }
    expect(told.size).to.equal(1)
  })

  it('refuses an owner after 20 wrong passwords, and lets others log in', async () => {
    const { post } = await open()
    const guess = (username: string, password: string) =>
      post('token', { form: { ...login, username, password }, headers: app })
    for (let i = 0; i < 20; i += 1) expect((await guess('nobody', 'x')).status).to.equal(400)
    const { status, value, headers } = await guess('nobody', 'x')
    expect([status, value.error]).to.deep.equal([429, 'temporarily_unavailable'])
    expect(headers).to.have.property('retry-after')
    expect((await guess('ada', 'lovelace')).status).to.equal(200)
  })
})

describe('OAuth2 with client credentials', () => {
  it('gives the client a token of its own, and no refresh token', async () => {
    const { post, use } = await open('client_credentials')
    const { value } = await post('token', {
      form: { grant_type: 'client_credentials' },
      headers: app,
    })
    expect(value).to.include({ scope: 'api_clients' }).and.not.have.property('refresh_token')
    expect(await use(value.access_token)).to.include({ status: 200, value: 'app' })
  })
})
