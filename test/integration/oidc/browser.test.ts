/** A browser, the gateway and an identity provider: login, requests by the ticket cookie, logout. */
import { expect } from 'chai'
import { FakeProvider } from '#test/unit/oidc/fake-provider.ts'
import { type LoginNode, openLogins, realm_uri, StillClock } from '#test/unit/oidc/login-fixture.ts'
import { Browser, base, gatewayOf } from './gateway.ts'

const other = 'com.example.other'

describe('a browser at an API with oidc', () => {
  let provider: FakeProvider
  let clock: StillClock
  let node: LoginNode
  let browser: Browser
  const csrf = () => ({ 'x-csrf-token': browser.cookies.get(`service_csrf_${realm_uri}`) ?? '' })

  beforeEach(async () => {
    clock = new StillClock()
    provider = await FakeProvider.open(() => clock.now())
    node = await openLogins(provider, { clock })
    browser = new Browser(gatewayOf(node, realm_uri))
  })
  afterEach(async () => {
    await node.close()
    await provider.close()
  })

  it('is sent to log in, comes back to the page, and is who has logged in', async () => {
    const { status, location } = await browser.get('/v1/me?a=b')
    expect([status, location]).to.deep.equal([
      302,
      '/v1/oidc/login?provider=mock&redirect_uri=%2Fv1%2Fme%3Fa%3Db',
    ])
    const begun = await browser.get(location)
    expect(new URL(begun.location).searchParams.get('redirect_uri')).to.equal(
      `${base}/v1/oidc/mock/callback`,
    )
    const back = await browser.get(provider.authorize(begun.location))
    expect([back.status, back.location]).to.deep.equal([302, '/v1/me?a=b'])
    expect([...browser.cookies.keys()]).to.have.members([
      `service_ticket_${realm_uri}`,
      `service_csrf_${realm_uri}`,
      `__Host-service_finished_${realm_uri}`,
    ])
    const { status: ok, value } = await browser.get('/v1/me')
    expect([ok, value]).to.deep.equal([200, 'ada'])
  })

  it('changes something only with the CSRF header', async () => {
    await browser.logIn(provider)
    expect((await browser.ask('POST /v1/me')).status).to.equal(403)
    expect((await browser.ask('POST /v1/me', { 'x-csrf-token': 'x' })).status).to.equal(403)
    const { status, value } = await browser.ask('POST /v1/me', csrf())
    expect([status, value]).to.deep.equal([200, ['staff']])
  })

  it('logs out at the provider, too, and the ticket is worth nothing any more', async () => {
    await browser.logIn(provider)
    const before = new Map(browser.cookies)
    const { status, location } = await browser.ask('POST /v1/oidc/logout?redirect_uri=/bye', csrf())
    expect(status).to.equal(302)
    const end = new URL(location)
    expect(end.origin + end.pathname).to.equal(`${provider.issuer}/end`)
    expect(end.searchParams.get('post_logout_redirect_uri')).to.equal(`${base}/bye`)
    expect(end.searchParams.get('id_token_hint')).to.match(/^ey/)
    expect([...browser.cookies]).to.deep.equal([])
    for (const [name, value] of before) browser.cookies.set(name, value)
    expect((await browser.ask('GET /v1/me')).status).to.equal(401)
    expect((await browser.get('/v1/me')).status).to.equal(302)
  })

  it('stays who it is when a form of another site logs it out of its cookies', async () => {
    await browser.logIn(provider)
    const before = new Map(browser.cookies)
    const { location } = await browser.ask('POST /v1/oidc/logout')
    expect([location, browser.cookies.size]).to.deep.equal(['/', 0])
    for (const [name, value] of before) browser.cookies.set(name, value)
    expect((await browser.ask('GET /v1/me')).status).to.equal(200)
  })

  it('goes back to the callback after a login, and on to its page', async () => {
    const url = await browser.begin(provider, '/v1/me?a=b')
    expect((await browser.get(url)).location).to.equal('/v1/me?a=b')
    const before = new Map(browser.cookies)
    const exchanged = () => provider.asked.filter((line) => line === 'POST /token').length
    for (let turn = 0; turn < 2; turn++) {
      const { status, location } = await browser.get(url)
      expect([status, location]).to.deep.equal([302, '/v1/me?a=b'])
    }
    expect([exchanged(), browser.cookies]).to.deep.equal([1, before])
    // the provider may have another code for the state that the browser still shows
    expect((await browser.get(`${url}x`)).location).to.equal('/v1/me?a=b')
    clock.ms += 800_000
    expect((await browser.get(url)).location, 'after a while').to.equal('/v1/me?a=b')
    await browser.get('/v1/oidc/logout')
    expect(browser.cookies.size, 'nothing is left by a logout').to.equal(0)
    const { status, value } = await browser.get(url)
    expect(status).to.equal(400)
    expect(value).to.include('invalid_state')
    expect(exchanged()).to.equal(1)
  })

  it('is led on where a login is answered twice at a time', async () => {
    const url = await browser.begin(provider)
    const cookies = new Map(browser.cookies)
    await browser.get(url)
    // the browser has dropped the first answer
    browser.cookies.clear()
    for (const [name, value] of cookies) browser.cookies.set(name, value)
    const { status, location } = await browser.get(url)
    expect([status, location]).to.deep.equal([302, '/v1/me'])
  })

  it('has a login that HEAD does not finish, and a ticket that HEAD does not end', async () => {
    const url = new URL(await browser.begin(provider))
    const head = await browser.ask(`HEAD ${url.pathname}${url.search}`, { accept: 'text/html' })
    expect([head.status, provider.asked.includes('POST /token')]).to.deep.equal([200, false])
    expect((await browser.get(url.href)).status).to.equal(302)
    expect((await browser.ask('HEAD /v1/oidc/logout')).status).to.equal(200)
    expect((await browser.get('/v1/me')).status).to.equal(200)
  })

  it('finishes a login once, in time, and where it was begun', async () => {
    const url = await browser.begin(provider)
    const error = async (by: Browser, at = url) => {
      const { status, value } = await by.read(at)
      return [status, (value as { error?: string } | undefined)?.error]
    }
    const stranger = new Browser(gatewayOf(node, realm_uri))
    expect(await error(stranger)).to.deep.equal([400, 'invalid_state'])
    expect(stranger.cookies.size).to.equal(0)
    const login = new Map(browser.cookies)
    expect(await error(browser)).to.deep.equal([302, undefined])
    for (const [name, value] of login) browser.cookies.set(name, value)
    expect(await error(browser)).to.deep.equal([400, 'invalid_state'])
    expect(await error(browser, '/v1/oidc/mock/callback?code=c')).to.deep.equal([
      400,
      'missing_code_or_state',
    ])
    const late = new Browser(gatewayOf(node, realm_uri))
    const lateUrl = await late.begin(provider)
    clock.ms += 301_000
    expect(await error(late, lateUrl)).to.deep.equal([400, 'state_expired'])
    expect(late.cookies.size).to.equal(0)
  })

  it('has the claims that the provider settings name, of the ID token and of userinfo, and no others', async () => {
    const { declare } = node
    await declare({ claims: ['email', 'name', 'address.country', 'absent'] })
    const address = { country: 'AT', street: 'x' }
    provider.twist = { claims: { email: '{{variables.secret}}', address } }
    await browser.logIn(provider)
    const { value } = await browser.ask('GET /v1/claims')
    const expected = { email: '{{variables.secret}}', name: 'Ada', address: { country: 'AT' } }
    expect(value).to.deep.equal(expected)
  })

  it('has no ticket when the claims are too large', async () => {
    await node.declare({ claims: ['email'] })
    provider.twist = { claims: { email: 'x'.repeat(2_100) } }
    const { status, value } = await browser.read(await browser.begin(provider))
    expect([status, value]).to.deep.equal([500, { error: 'claims_too_large' }])
    expect([...browser.cookies]).to.deep.equal([])
  })

  it('has tickets of one realm that no other takes', async () => {
    const { info } = node.realms.realm(realm_uri) ?? {}
    await node.realms.load({ uri: other, authmethods: ['oidcrp'], info })
    await browser.logIn(provider)
    const ticket = browser.cookies.get(`service_ticket_${realm_uri}`) ?? ''
    const elsewhere = new Browser(gatewayOf(node, other))
    for (const [name, value] of browser.cookies) elsewhere.cookies.set(name, value)
    expect((await elsewhere.ask('GET /v1/me')).status).to.equal(401)
    elsewhere.cookies.set(`service_ticket_${other}`, ticket)
    expect((await elsewhere.ask('GET /v1/me')).status).to.equal(401)
    const headers = { authorization: `Bearer ${ticket}` }
    expect((await elsewhere.ask('GET /v1/me', headers)).status).to.equal(401)
    expect(
      (await new Browser(gatewayOf(node, realm_uri)).ask('GET /v1/me', headers)).status,
    ).to.equal(200)
    const begun = await new Browser(gatewayOf(node, realm_uri)).begin(provider)
    const callback = await elsewhere.read(begun)
    expect(callback.value).to.deep.equal({ error: 'invalid_state' })
  })

  it('whose login was begun in one realm does not finish it in another', async () => {
    const { info } = node.realms.realm(realm_uri) ?? {}
    await node.realms.load({ uri: other, authmethods: ['oidcrp'], info })
    const url = await browser.begin(provider)
    const elsewhere = new Browser(gatewayOf(node, other))
    for (const [name, value] of browser.cookies) elsewhere.cookies.set(name, value)
    const { status, value } = await elsewhere.read(url)
    expect([status, value]).to.deep.equal([400, { error: 'realm_mismatch' }])
  })

  it('logs out visibly well when the realm is gone', async () => {
    await browser.logIn(provider)
    await node.realms.remove(realm_uri)
    const { status, location } = await browser.get('/v1/oidc/logout?redirect_uri=/bye')
    expect([status, location, browser.cookies.size]).to.deep.equal([302, '/bye', 0])
  })

  it('is out once the user is disabled', async () => {
    await node.declare({}, { users: [{ username: 'ada', enabled: true }] })
    await browser.logIn(provider)
    expect((await browser.ask('GET /v1/me')).status).to.equal(200)
    await node.declare({}, { users: [{ username: 'ada', enabled: false }] })
    expect((await browser.ask('GET /v1/me')).status).to.equal(401)
  })
})
