/** Tickets that end when they are not used, at a whole gateway: the cookie slides, idle ones are refused over HTTP and WAMP. */
import { expect } from 'chai'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { send } from '#test/support/http-request.ts'
import { joinUser } from '#test/support/peers/wamp-user.ts'
import { movedClock } from '#test/support/running/moved-clock.ts'
import { FakeProvider } from '#test/unit/oidc/fake-provider.ts'
import { decode } from '#test/unit/token/doubles.ts'
import { Browser, openShop, providerOf, realmOf } from './example-apis.ts'

const idle = 600
const shop = { realm_uri: 'com.example.idle_shop', base: '/idle-shop' }
const other = { realm_uri: 'com.example.busy_shop', base: '/busy-shop' }

describe('a ticket that may not be idle for long', () => {
  const clock = movedClock()
  const pass = (seconds: number) => {
    clock.aheadMs += seconds * 1_000
  }
  let provider: FakeProvider
  let gateway: TestGateway
  let browser: Browser

  before(async () => {
    clock.stop()
    provider = await FakeProvider.open(() => clock.now())
    gateway = await startGateway({}, { isEmbedded: true, clock })
    const settings = { ticket_idle_secs: idle }
    await openShop([gateway], shop, realmOf(shop, providerOf(provider, settings)))
    await openShop([gateway], other, realmOf(other, providerOf(provider)))
  })
  after(async () => {
    await gateway?.stop()
    await provider?.close()
  })
  beforeEach(async () => {
    browser = new Browser()
    await browser.logIn(gateway.url, shop, provider)
  })

  const me = (by = browser) => by.visit(gateway.url, `${shop.base}/me`)
  const bearer = async (ticket: string) => {
    const headers = { authorization: `Bearer ${ticket}` }
    return send(gateway.url, `${shop.base}/me`, { headers })
  }

  it('is refused once it was not used for so long, in a cookie and as a bearer', async () => {
    const ticket = browser.ticketOf(shop)
    expect((await me()).status).to.equal(200)
    pass(idle - 10)
    expect((await bearer(ticket)).status).to.equal(200)
    pass(idle + 1)
    expect((await me()).status).to.equal(401)
    const { status, headers } = await bearer(ticket)
    expect(status).to.equal(401)
    expect(headers['www-authenticate']).to.include('the ticket was not used for too long')
  })

  it('slides: a new cookie goes out after a tenth of the time, and no earlier', async () => {
    const first = browser.ticketOf(shop)
    pass(idle / 10 - 2)
    expect((await me()).set).to.deep.equal([])
    pass(4)
    const { status, set } = await me()
    expect([status, set.length]).to.deep.equal([200, 1])
    expect(set[0]).to.match(/^service_ticket_com\.example\.idle_shop=[^;]+; Path=\/; Max-Age=\d+; /)
    expect(set[0]).to.include('HttpOnly').and.include('Secure').and.include('SameSite=Lax')
    const [before, after] = [first, browser.ticketOf(shop)].map((one) => decode(one, 1))
    const { oidc_used_at: was, ...same } = before as Record<string, number>
    expect(after).to.deep.include(same)
    expect(after).to.have.property('oidc_used_at').that.is.above(Number(was))
    expect((await me()).set).to.deep.equal([])
  })

  it('lives on for a browser that comes back in time, longer than it may be idle', async () => {
    for (let turn = 0; turn < 4; turn += 1) {
      pass(idle - 5)
      expect((await me()).status).to.equal(200)
    }
  })

  it('is not used by a request that is refused for another reason', async () => {
    pass(idle - 5)
    const headers = { 'x-csrf-token': 'wrong' }
    const post = await browser.visit(gateway.url, `${shop.base}/me`, { method: 'POST', headers })
    expect([post.status, post.set]).to.deep.equal([403, []])
    pass(10)
    expect((await me()).status).to.equal(401)
  })

  it('keeps its CSRF value when it slides, and ends with a logout under both of its texts', async () => {
    const old = browser.copy()
    pass(idle / 2)
    await me()
    expect(browser.ticketOf(shop)).to.not.equal(old.ticketOf(shop))
    const headers = { 'x-csrf-token': browser.csrfOf(shop) }
    const post = await browser.visit(gateway.url, `${shop.base}/me`, { method: 'POST', headers })
    expect(post.status).to.equal(200)
    await browser.copy().visit(gateway.url, `${shop.base}/oidc/logout`)
    expect((await me()).status).to.equal(401)
    expect((await me(old)).status).to.equal(401)
  })

  it('opens WAMP sessions as long as it is not idle', async () => {
    const login = { authid: 'ada', authmethod: 'ticket', secret: browser.ticketOf(shop) } as const
    const session = await joinUser(gateway.routerUrl, shop.realm_uri, login)
    await session.leave()
    pass(idle - 5)
    expect((await me()).status, 'the session was a use').to.equal(200)
    pass(idle + 5)
    const refusal = await joinUser(gateway.routerUrl, shop.realm_uri, login).catch(String)
    expect(String(refusal)).to.include('authentication_failed')
  })

  it('is any ticket of a realm without the key: it needs no use, and its cookie stays', async () => {
    const guest = new Browser()
    await guest.logIn(gateway.url, other, provider)
    pass(idle * 10)
    const { status, set } = await guest.visit(gateway.url, `${other.base}/me`)
    expect([status, set]).to.deep.equal([200, []])
  })
})
