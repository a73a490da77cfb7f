/** Users of a provider whom an operator ends: they are out, over HTTP and over WAMP. */
import { expect } from 'chai'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { send } from '#test/support/http-request.ts'
import { joinRefusal, joinUser } from '#test/support/peers/wamp-user.ts'
import { FakeProvider } from '#test/unit/oidc/fake-provider.ts'
import { Browser, declare, openShop, providerOf, realmOf, refusalOf } from './example-apis.ts'

const shop = { realm_uri: 'com.example.shop', base: '/shop' }

describe('a user of a provider', () => {
  let provider: FakeProvider
  let gateway: TestGateway
  let browser: Browser
  const declareWith = (more: object) => declare(gateway, realmOf(shop, providerOf(provider), more))
  const ada = (enabled: boolean) => ({ users: [{ username: 'ada', enabled }] })
  const login = () =>
    ({ authid: 'ada', authmethod: 'ticket', secret: browser.ticketOf(shop) }) as const
  const join = () => joinUser(gateway.routerUrl, shop.realm_uri, login())
  const refusal = () => joinRefusal(gateway.routerUrl, shop.realm_uri, login())

  beforeEach(async () => {
    provider = await FakeProvider.open(Date.now)
    gateway = await startGateway({}, { isEmbedded: true })
    await openShop([gateway], shop, realmOf(shop, providerOf(provider)))
    browser = new Browser()
  })
  afterEach(async () => {
    await gateway.stop()
    await provider.close()
  })

  it('loses its session when its ticket expires', async () => {
    await declare(gateway, realmOf(shop, providerOf(provider, { ticket_expiry_secs: 2 })))
    await browser.logIn(gateway.url, shop, provider)
    const session = await join()
    await session.ended
    expect(await browser.status(gateway, shop)).to.equal(401)
  })

  for (const [what, before, end] of [
    ['is disabled', ada(true), () => declareWith(ada(false))],
    ['is disabled by a document that did not name it', {}, () => declareWith(ada(false))],
  ] as const) {
    it(`loses ticket and session when it ${what}, and gets no other until it is enabled`, async () => {
      await declareWith(before)
      await browser.logIn(gateway.url, shop, provider)
      expect(await browser.status(gateway, shop)).to.equal(200)
      const session = await join()
      await end()
      await session.ended
      expect(await browser.status(gateway, shop)).to.equal(401)
      expect(await refusal()).to.equal('wamp.error.authentication_failed')

      const stranger = new Browser()
      const callback = await stranger.begin(gateway.url, shop, provider)
      const back = await stranger.visit(gateway.url, callback)
      expect(refusalOf(back)).to.deep.equal([500, { error: 'ticket_issue_failed' }])
      expect(stranger.cookies.size).to.equal(0)

      await declareWith(ada(true))
      expect(await browser.status(gateway, shop), 'the ticket of before').to.equal(401)
      await stranger.logIn(gateway.url, shop, provider)
      expect(await stranger.status(gateway, shop)).to.equal(200)
    })
  }

  it('is out by service.revoke_all, and may log in again at once', async () => {
    await browser.logIn(gateway.url, shop, provider)
    const bystander = new Browser()
    provider.person = { sub: 'sub-2', preferred_username: 'eve', roles: ['staff'] }
    await bystander.logIn(gateway.url, shop, provider)
    const session = await join()
    const target = `/realms/${shop.realm_uri}/users/ada/revoke_all`
    expect((await send(gateway.adminUrl, target, { method: 'POST', body: {} })).status).to.equal(
      200,
    )
    await session.ended
    expect(await browser.status(gateway, shop)).to.equal(401)
    expect(await refusal()).to.equal('wamp.error.authentication_failed')
    expect(await bystander.status(gateway, shop), 'somebody else').to.equal(200)

    provider.person = { sub: 'sub-1', preferred_username: 'ada', roles: ['staff'] }
    await browser.logIn(gateway.url, shop, provider)
    expect(await browser.status(gateway, shop)).to.equal(200)
    await (await join()).leave()
  })

  for (const [how, body] of [
    ['its name', { authid: 'ada' }],
    ['its subject at the provider', { provider: 'mock', sub: 'sub-1' }],
  ] as const) {
    it(`is out everywhere by service.end_sessions with ${how}, and may log in again at once`, async () => {
      await browser.logIn(gateway.url, shop, provider)
      const other = new Browser()
      await other.logIn(gateway.url, shop, provider)
      const session = await join()
      const target = `/realms/${shop.realm_uri}/end_sessions`
      const { status, text } = await send(gateway.adminUrl, target, { method: 'POST', body })
      expect([status, JSON.parse(text)]).to.deep.equal([200, { uri: shop.realm_uri, ...body }])
      await session.ended
      for (const one of [browser, other]) expect(await one.status(gateway, shop)).to.equal(401)
      await browser.logIn(gateway.url, shop, provider)
      expect(await browser.status(gateway, shop)).to.equal(200)
    })
  }

  it('is out by service.forget_account, and the provider may have another one of that name', async () => {
    await browser.logIn(gateway.url, shop, provider)
    const session = await join()
    provider.person = { sub: 'sub-2', preferred_username: 'ada', roles: ['staff'] }
    const successor = new Browser()
    const back = await successor.visit(
      gateway.url,
      await successor.begin(gateway.url, shop, provider),
    )
    expect(back.status).to.equal(409)
    expect(JSON.parse(back.text)).to.include({ error: 'ticket_issue_failed' })
    expect(JSON.parse(back.text).message).to.include('service.forget_account')

    const target = `/realms/${shop.realm_uri}/accounts/ada`
    const forget = () => send(gateway.adminUrl, target, { method: 'DELETE' })
    expect((await forget()).status).to.equal(204)
    await session.ended
    expect(await browser.status(gateway, shop)).to.equal(401)
    expect((await forget()).status, 'again').to.equal(404)
    await successor.logIn(gateway.url, shop, provider)
    expect(await successor.status(gateway, shop)).to.equal(200)
    expect(await browser.status(gateway, shop), 'the ticket of before').to.equal(401)
  })

  it('loses ticket and session with the realm', async () => {
    await browser.logIn(gateway.url, shop, provider)
    const session = await join()
    const { status } = await send(gateway.adminUrl, `/realms/${shop.realm_uri}`, {
      method: 'DELETE',
    })
    expect(status).to.equal(204)
    await session.ended
    expect(await browser.status(gateway, shop)).to.equal(401)
    await declareWith({})
    expect(await browser.status(gateway, shop), 'when there is such a realm again').to.equal(401)
    await browser.logIn(gateway.url, shop, provider)
    expect(await browser.status(gateway, shop)).to.equal(200)
  })
})
