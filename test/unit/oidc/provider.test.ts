/** How a provider is spoken with: the ways of a client to authenticate, its keys, its userinfo, and whose clock counts. */
import { expect } from 'chai'
import { FakeProvider } from './fake-provider.ts'
import { browser, codeOf, type LoginNode, openLogins, StillClock } from './login-fixture.ts'

describe('a provider', () => {
  let provider: FakeProvider
  let clock: StillClock
  let node: LoginNode
  beforeEach(async () => {
    clock = new StillClock()
    provider = await FakeProvider.open(() => clock.now())
    node = await openLogins(provider, { clock })
  })
  afterEach(async () => {
    await node.close()
    await provider.close()
  })

  const times = (line: string) => provider.asked.filter((one) => one === line).length

  for (const [clientBy, methods] of [
    ['basic', undefined],
    ['basic', ['client_secret_basic', 'private_key_jwt']],
    ['post', ['client_secret_basic', 'client_secret_post']],
    ['post', ['client_secret_post']],
  ] as const) {
    it(`that announces ${methods ?? 'no method'} is given the secret by ${clientBy}`, async () => {
      provider.clientBy = clientBy
      provider.twist = { metadata: { token_endpoint_auth_methods_supported: methods } }
      expect(await codeOf(() => node.logIn())).to.equal(undefined)
    })
  }

  it('that takes clients by private_key_jwt only is refused before a browser is sent there', async () => {
    provider.twist = { metadata: { token_endpoint_auth_methods_supported: ['private_key_jwt'] } }
    expect(await codeOf(() => node.begin(browser()))).to.equal('provider_unavailable')
    expect(times('POST /token')).to.equal(0)
  })

  it('is given the secret by the method that the realm names', async () => {
    provider.clientBy = 'post'
    await node.declare({ token_endpoint_auth_method: 'client_secret_post' })
    expect(await codeOf(() => node.logIn())).to.equal(undefined)
  })

  it('may have a client without a secret', async () => {
    await node.declare({ client_secret: null })
    expect(await codeOf(() => node.logIn()), 'of a client with one').to.equal(
      'token_exchange_failed',
    )
    provider.clientBy = 'none'
    expect(await codeOf(() => node.logIn())).to.equal(undefined)
  })

  it('is given the secret that the realm has now', async () => {
    await node.declare({ client_secret: 'an old one' })
    expect(await codeOf(() => node.logIn())).to.equal('token_exchange_failed')
    await node.declare()
    expect(await codeOf(() => node.logIn())).to.equal(undefined)
  })

  it('is asked for its keys once in a while, and for itself once', async () => {
    for (let turn = 0; turn < 3; turn++) await node.logIn()
    expect(times('GET /jwks')).to.equal(1)
    expect(times('GET /.well-known/openid-configuration')).to.equal(1)
    expect(times('POST /token')).to.equal(3)
  })

  it('may say in userinfo what the ID token does not, and nothing else', async () => {
    provider.twist = {
      claims: { preferred_username: undefined },
      userinfo: { preferred_username: 'ada', roles: ['root'], email: 'x' },
    }
    const { claims } = await node.logIn()
    expect(claims).to.deep.include({ authid: 'ada', authroles: ['staff'] })
  })

  it('may have no userinfo', async () => {
    provider.twist = { metadata: { userinfo_endpoint: undefined } }
    expect(await codeOf(() => node.logIn())).to.equal(undefined)
    expect(times('GET /userinfo')).to.equal(0)
  })

  it('is judged by the clock of the gateway, with half a minute to spare', async () => {
    const now = Math.floor(clock.now() / 1000)
    const codes = []
    for (const exp of [now - 29, now - 31]) {
      provider.twist = { claims: { exp } }
      codes.push(await codeOf(() => node.logIn()))
    }
    expect(codes).to.deep.equal([undefined, 'token_exchange_failed'])
  })

  it('need not say how long the access token holds', async () => {
    provider.twist = { tokens: { expires_in: undefined } }
    const { claims } = await node.logIn()
    expect(claims).to.not.have.property('oidc_access_token_expires_at')
  })

  it('gives no role that is the name of another user', async () => {
    await node.declare({}, { users: [{ username: 'root', password: 'x' }] })
    provider.person = { sub: 's', preferred_username: 'ada', roles: ['root', 'ada', 'staff'] }
    expect((await node.logIn()).claims.authroles).to.deep.equal(['ada', 'staff'])
  })

  it('lets tickets live as long as its settings say', async () => {
    await node.declare({ ticket_expiry_secs: 60 })
    const { claims, maxAge } = await node.logIn()
    expect([maxAge, claims.exp - claims.iat]).to.deep.equal([60, 60])
  })

  it('lets nobody in while what must be remembered cannot be', async () => {
    await node.logIn()
    node.store.isAway = true
    expect(await codeOf(() => node.logIn()), 'that the login is used').to.equal(
      'ticket_issue_failed',
    )
    node.store.isAway = false
    provider.person = { sub: 'sub-2', preferred_username: 'bob' }
    const isAsked = provider.askedFor('/userinfo').then(() => {
      node.store.isAway = true
    })
    expect(await codeOf(() => node.logIn()), 'whose the name is').to.equal('ticket_issue_failed')
    await isAsked
  })
})
