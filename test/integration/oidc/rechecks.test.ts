/** Logins that are checked again at their provider, at a whole gateway: other roles and a disabled user count within the interval. */
import { expect } from 'chai'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { send } from '#test/support/http-request.ts'
import { joinUser } from '#test/support/peers/wamp-user.ts'
import { movedClock } from '#test/support/running/moved-clock.ts'
import { FakeProvider } from '#test/unit/oidc/fake-provider.ts'
import { Browser, declare, openShop, providerOf, realmOf } from './example-apis.ts'

const shop = { realm_uri: 'com.example.shop', base: '/shop' }
const interval = 60

/** `/roles` says what the user may do. */
const document = {
  ...{ id: 'com.example.roles', host: '_', realm_uri: shop.realm_uri },
  defaults: { security: { type: 'oidc', provider: 'mock' } },
  versions: {
    one: {
      base_path: '/roles',
      paths: {
        '/now': {
          get: {
            action: {
              type: 'static',
              body: ['{{security.authroles}}', '{{security.claims.email |> default(none)}}'],
            },
            response: { on_result: {}, on_error: {} },
          },
        },
      },
    },
  },
}

describe('a user whose provider is asked again', () => {
  const clock = movedClock()
  const pass = (seconds: number) => {
    clock.aheadMs += seconds * 1_000
  }
  let provider: FakeProvider
  let gateway: TestGateway
  let browser: Browser

  before(async () => {
    provider = await FakeProvider.open(() => clock.now())
    gateway = await startGateway({}, { isEmbedded: true, clock })
    const settings = { recheck_interval: interval, claims: ['email'] }
    await openShop([gateway], shop, realmOf(shop, providerOf(provider, settings)))
    await gateway.mustLoad(document)
  })
  after(async () => {
    await gateway?.stop()
    await provider?.close()
  })
  beforeEach(async () => {
    provider.givesRefreshTokens = true
    provider.person = { sub: 'sub-1', preferred_username: 'ada', roles: ['staff'] }
    browser = new Browser()
    await browser.logIn(gateway.url, shop, provider)
  })

  const roles = async (by = browser, headers = {}) => {
    const { status, set, json } = await by.visit(gateway.url, '/roles/now', { headers })
    return { status, set, roles: status === 200 ? json() : undefined }
  }

  it('has other roles and claims, and a new ticket cookie with the same answer', async () => {
    const bearer = { authorization: `Bearer ${browser.ticketOf(shop)}` }
    const old = browser.copy()
    expect(await roles()).to.deep.include({ set: [], roles: [['staff'], 'none'] })
    provider.person = { ...provider.person, roles: ['admins'], email: 'ada@example.com' }
    pass(interval)
    const now = [['admins'], 'ada@example.com']
    const answer = await roles()
    expect(answer.roles).to.deep.equal(now)
    expect(answer.set).to.have.length(1)
    expect(answer.set[0]).to.match(/^service_ticket_com\.example\.shop=ey.*; HttpOnly$/)
    expect(await roles()).to.deep.include({ set: [], roles: now })
    expect((await roles(old)).roles, 'the ticket of before').to.deep.equal(now)
    expect((await roles(new Browser(), bearer)).roles, 'as a bearer').to.deep.equal(now)

    const headers = { 'x-csrf-token': browser.csrfOf(shop) }
    const posted = await browser.status(gateway, shop, { method: 'POST', headers })
    expect(posted, 'the CSRF value holds').to.equal(200)
    await browser.visit(gateway.url, '/shop/oidc/logout')
    expect((await roles(old)).status, 'the logout ends both').to.equal(401)
  })

  it('is out when the provider has disabled it, over HTTP and over WAMP', async () => {
    const ticket = browser.ticketOf(shop)
    const session = await joinUser(gateway.routerUrl, shop.realm_uri, {
      ...{ authid: 'ada', authmethod: 'ticket', secret: ticket },
    })
    provider.refreshToken = undefined
    expect((await roles()).status).to.equal(200)
    pass(interval)
    expect((await roles()).status).to.equal(401)
    await session.ended
    expect((await roles()).status).to.equal(401)
  })

  it('is told as a bearer why its ticket is refused', async () => {
    const headers = { authorization: `Bearer ${browser.ticketOf(shop)}` }
    provider.refreshToken = undefined
    pass(interval)
    const answer = await send(gateway.url, '/roles/now', { headers })
    expect(answer.headers['www-authenticate']).to.include('the provider has ended the login')
  })

  it('is told of in the metrics', async () => {
    const { text } = await send(gateway.adminUrl, '/metrics')
    for (const result of ['changed', 'ended']) {
      expect(text).to.include(`gateway_login_rechecks_total{result="${result}"}`)
    }
  })

  it('is refused settings that make no sense at the login', async () => {
    await declare(gateway, realmOf(shop, providerOf(provider, { recheck_interval: 59 })))
    const { status } = await new Browser().visit(gateway.url, '/shop/oidc/login')
    expect(status).to.equal(500)
  })
})
