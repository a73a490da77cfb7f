/** Two realms with a provider each, in one browser: what belongs to one is worth nothing in the other. */
import { expect } from 'chai'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { joinRefusal } from '#test/support/peers/wamp-user.ts'
import { FakeProvider } from '#test/unit/oidc/fake-provider.ts'
import { Browser, openShop, providerOf, realmOf, refusalOf, type Shop } from './example-apis.ts'

const a = { realm_uri: 'com.example.a', base: '/a' }
const b = { realm_uri: 'com.example.b', base: '/b' }

describe('a browser at two realms with a provider each', () => {
  let gateway: TestGateway
  let browser: Browser
  const providers = new Map<Shop, FakeProvider>()
  const providerAt = (shop: Shop) => {
    const provider = providers.get(shop)
    if (!provider) throw new TypeError('no such provider')
    return provider
  }
  const logIn = (at: Browser, shop: Shop) => at.logIn(gateway.url, shop, providerAt(shop))

  before(async () => {
    gateway = await startGateway({}, { isEmbedded: true })
    for (const shop of [a, b]) {
      const provider = await FakeProvider.open(Date.now)
      providers.set(shop, provider)
      // one name in both realms: two persons
      provider.person = { sub: `sub of ${shop.base}`, preferred_username: 'ada', roles: ['staff'] }
      await openShop([gateway], shop, realmOf(shop, providerOf(provider)))
    }
  })
  after(async () => {
    await gateway?.stop()
    for (const provider of providers.values()) await provider.close()
  })
  beforeEach(async () => {
    browser = new Browser()
    for (const shop of [a, b]) await logIn(browser, shop)
  })

  it('is logged in to both', async () => {
    expect(browser.cookies.size).to.equal(6)
    for (const shop of [a, b]) {
      expect(await browser.status(gateway, shop)).to.equal(200)
      const headers = { 'x-csrf-token': browser.csrfOf(shop) }
      expect(await browser.status(gateway, shop, { method: 'POST', headers })).to.equal(200)
    }
  })

  for (const [shop, target, heading] of [
    [a, '/a/oidc/login?provider=nobody', 'Login'],
    [b, '/b/oidc/login?provider=nobody', 'Login'],
    [a, '/a/nothing', 'Page not found'],
    [b, '/b/nothing/here', 'Page not found'],
    [undefined, '/nothing', 'Page not found'],
  ] as const) {
    it(`sees of which realm the page ${target} is`, async () => {
      const headers = { accept: 'text/html' }
      const { status, text } = await browser.visit(gateway.url, target, { headers })
      expect(status).to.equal(404)
      const name = shop?.realm_uri.slice('com.example.'.length)
      const title = name === undefined ? heading : `${heading} · ${name}`
      expect(text).to.include(`<title>${title}</title>`)
    })
  }

  for (const [own, other] of [
    [a, b],
    [b, a],
  ] as const) {
    const crossing = `of ${own.base} at ${other.base}`
    const ticketName = `service_ticket_${other.realm_uri}`
    const csrfName = `service_csrf_${other.realm_uri}`
    const finishedName = `__Host-service_finished_${other.realm_uri}`

    it(`has a ticket ${crossing} refused: its cookie, renamed, as bearer, and over WAMP`, async () => {
      const only = new Browser()
      await logIn(only, own)
      expect(await only.status(gateway, other), 'the cookies as they are').to.equal(401)
      const authorization = `Bearer ${browser.ticketOf(own)}`
      const bearer = { headers: { authorization } }
      expect(await new Browser().status(gateway, other, bearer), 'bearer').to.equal(401)
      expect(await browser.status(gateway, other, bearer), 'beside the right cookie').to.equal(401)
      expect(await new Browser().status(gateway, own, bearer), 'its own realm').to.equal(200)
      only.cookies.set(ticketName, only.ticketOf(own))
      only.cookies.set(csrfName, only.csrfOf(own))
      expect(await only.status(gateway, other), 'renamed').to.equal(401)
      const headers = { 'x-csrf-token': only.csrfOf(own) }
      const posted = await only.status(gateway, other, { method: 'POST', headers })
      expect(posted, 'renamed, with its CSRF value').to.equal(401)

      const login = { authid: 'ada', authmethod: 'ticket', secret: browser.ticketOf(own) } as const
      const { routerUrl } = gateway
      expect(await joinRefusal(routerUrl, own.realm_uri, login)).to.equal('joined')
      const refused = await joinRefusal(routerUrl, other.realm_uri, login)
      expect(refused).to.equal('wamp.error.authentication_failed')
    })

    it(`has the CSRF value ${crossing} refused beside the right ticket`, async () => {
      const headers = { 'x-csrf-token': browser.csrfOf(own) }
      const post = { method: 'POST', headers }
      expect(await browser.status(gateway, other, post), 'in the header').to.equal(403)
      browser.cookies.set(csrfName, browser.csrfOf(own))
      expect(await browser.status(gateway, other, post), 'in header and cookie').to.equal(403)
    })

    it(`has a state ${crossing} refused: realm_mismatch`, async () => {
      const callback = await browser.begin(gateway.url, own, providerAt(own))
      const before = browser.ticketOf(other)
      const exchanges = providerAt(other).asked.length
      const crossed = callback.replace(`${own.base}/`, `${other.base}/`)
      const answer = await browser.visit(gateway.url, crossed)
      expect(refusalOf(answer)).to.deep.equal([400, { error: 'realm_mismatch' }])
      expect(browser.ticketOf(other)).to.equal(before)
      expect(providerAt(other).asked.length, 'the other provider hears nothing').to.equal(exchanges)
    })

    it(`stays logged in to ${other.base} when it logs out of ${own.base}`, async () => {
      const old = browser.copy()
      const { status, location } = await browser.visit(gateway.url, `${own.base}/oidc/logout`)
      expect(status).to.equal(302)
      expect(new URL(location).origin).to.equal(providerAt(own).issuer)
      expect([...browser.cookies.keys()]).to.have.members([ticketName, csrfName, finishedName])
      expect(await browser.status(gateway, other)).to.equal(200)
      expect(await old.status(gateway, other)).to.equal(200)
      expect(await old.status(gateway, own)).to.equal(401)
    })

    it(`logs out of ${other.base} at ${own.base} with ?realm=`, async () => {
      const old = browser.copy()
      const target = `${own.base}/oidc/logout?realm=${other.realm_uri}`
      const { status, location, set } = await browser.visit(gateway.url, target)
      expect(status).to.equal(302)
      expect(new URL(location).origin).to.equal(providerAt(other).issuer)
      const cleared = '=; Max-Age=0; Path=/; SameSite=Lax; Secure'
      expect(set).to.deep.equal([
        ...[ticketName, csrfName].map((name) => name + cleared),
        `${finishedName}${cleared}; HttpOnly`,
      ])
      expect(await browser.status(gateway, own)).to.equal(200)
      expect(await old.status(gateway, other)).to.equal(401)
    })
  }
})
