/** What other pages have a browser send with its cookies, byte by byte to a whole gateway. */
import { expect } from 'chai'
import { systemClock } from '#component/clock.ts'
import {
  Browser,
  openShop,
  providerOf,
  realmOf,
  type Shop,
} from '#test/integration/oidc/example-apis.ts'
import { FakeProvider } from '#test/unit/oidc/fake-provider.ts'
import { describeArea } from './cases.ts'
import { ask, expectRefusal, post } from './sockets.ts'

const lifetime = 600

/** How far the clocks are ahead; milliseconds. */
let ahead = 0
const now = () => Date.now() + ahead

const shop: Shop = { realm_uri: 'com.example.shop', base: '/shop' }
const mall: Shop = { realm_uri: 'com.example.mall', base: '/mall' }
const ticketName = `service_ticket_${shop.realm_uri}`
const csrfName = `service_csrf_${shop.realm_uri}`

describeArea(
  'csrf',
  {},
  (area) => {
    let provider: FakeProvider
    let browser: Browser

    before(async () => {
      provider = await FakeProvider.open(now)
      for (const one of [shop, mall]) {
        const entry = providerOf(provider, { ticket_expiry_secs: lifetime })
        await openShop([area.gateway], one, realmOf(one, entry))
      }
    })
    after(() => provider?.close())
    beforeEach(async () => {
      provider.person = { sub: 'sub-1', preferred_username: 'ada', roles: ['staff'] }
      browser = await loggedIn()
    })
    afterEach(() => {
      ahead = 0
    })

    async function loggedIn(at = shop): Promise<Browser> {
      const fresh = new Browser()
      await fresh.logIn(area.gateway.url, at, provider)
      return fresh
    }

    /** A POST with the cookies that the browser has now. */
    const send = (
      lines: readonly string[] = [],
      type = 'application/json',
      field = browser.field,
    ) => ask(area.port, post('/shop/me', type, '{}', [`Cookie: ${field}`, ...lines]))
    const read = (field = browser.field) =>
      ask(area.port, `GET /shop/me HTTP/1.1\r\nHost: localhost\r\nCookie: ${field}\r\n\r\n`)
    const header = (token = browser.csrfOf(shop)) => `X-CSRF-Token: ${token}`

    area.test(140, async (entry) => {
      expectRefusal(await send(), entry)
      for (const token of ['', 'x', browser.csrfOf(shop).slice(0, -1)]) {
        expectRefusal(await send([header(token)]), entry)
      }
      const passed = await send([header()])
      expect([passed.status, passed.body]).to.deep.equal([200, '"ada"'])
      const { status } = await read()
      expect(status, 'a method that changes nothing').to.equal(200)
    })

    area.test(141, async (entry) => {
      for (const twice of [
        [header(), header()],
        [header('a'), header('a')],
        [header(), header().toLowerCase()],
      ]) {
        expectRefusal(await send(twice), entry)
      }
    })

    area.test(142, async (entry) => {
      for (const type of [
        'text/plain',
        'application/x-www-form-urlencoded',
        'multipart/form-data',
      ]) {
        expectRefusal(await send([], type), entry)
      }
      expect((await send([header()], 'text/plain')).status).to.equal(415)
    })

    area.test(143, async (entry) => {
      provider.person = { sub: 'sub-2', preferred_username: 'eve', roles: [] }
      const eve = (await loggedIn()).csrfOf(shop)
      const own = browser.csrfOf(shop)
      for (const planted of [
        'planted',
        eve,
        `${own}x`,
        `${eve.split('.')[0]}.${own.split('.')[1]}`,
      ]) {
        const tossed = new Browser()
        tossed.cookies.set(ticketName, browser.ticketOf(shop)).set(csrfName, planted)
        expectRefusal(await send([header(planted)], 'application/json', tossed.field), entry)
        // a cookie of a subdomain stands beside the own one
        for (const field of [
          `${browser.field}; ${csrfName}=${planted}`,
          `${csrfName}=${planted}; ${browser.field}`,
        ]) {
          expectRefusal(await send([header(planted)], 'application/json', field), entry)
          expectRefusal(await send([header(own)], 'application/json', field), entry)
        }
      }
    })

    area.test(144, async (entry) => {
      const own = browser.ticketOf(shop)
      const refuses = async (what: string, ticket: string, csrf = browser.csrfOf(shop)) => {
        const field = `${ticketName}=${ticket}; ${csrfName}=${csrf}`
        expect((await read(field)).status, what).to.equal(entry.expected.status)
        expectRefusal(await read(field), entry)
        expectRefusal(await send([header(csrf)], 'application/json', field), entry)
      }
      const [head, claims, signature = ''] = own.split('.')
      const bytes = Buffer.from(signature, 'base64url').map((byte) => byte ^ 1)
      await refuses('wrong key', [head, claims, Buffer.from(bytes).toString('base64url')].join('.'))
      const elsewhere = await loggedIn(mall)
      await refuses('other realm', elsewhere.ticketOf(mall), elsewhere.csrfOf(mall))
      for (const text of ['x.y.z', 'x', '..', own.slice(0, -2)]) await refuses(text, text)
      const twice = `${browser.field}; ${ticketName}=${own}`
      expectRefusal(await read(twice), entry)
      expect((await read()).status, 'as it is').to.equal(200)

      const out = browser.copy()
      await out.visit(area.gateway.url, '/shop/oidc/logout')
      await refuses('revoked', own)
      browser = await loggedIn()
      expect((await read()).status, 'another login').to.equal(200)
      ahead = (lifetime + 1) * 1000
      await refuses('expired', browser.ticketOf(shop))
    })
  },
  { clock: { ...systemClock, now }, isEmbedded: true, notProblems: [141] },
)
