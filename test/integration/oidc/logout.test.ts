/** Logouts at a whole gateway: which cookies they clear, for which domain, and that they work when the rest is gone. */
import { expect } from 'chai'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { send } from '#test/support/http-request.ts'
import { FakeProvider } from '#test/unit/oidc/fake-provider.ts'
import {
  Browser,
  declare,
  documentOf,
  openShop,
  providerOf,
  realmOf,
  refusalOf,
} from './example-apis.ts'

const shop = { realm_uri: 'com.example.shop', base: '/shop' }
const ticketName = `service_ticket_${shop.realm_uri}`
const csrfName = `service_csrf_${shop.realm_uri}`
const host = 'www.shop.example.com'

/** What a ticket says, whoever signed it. */
const claimsOf = (ticket: string): Readonly<Record<string, unknown>> =>
  JSON.parse(Buffer.from(ticket.split('.')[1] ?? '', 'base64url').toString())

const cleared = (domain: string | undefined) => {
  const attributes = `=; Max-Age=0; Path=/; SameSite=Lax; Secure${domain ? `; Domain=${domain}` : ''}`
  return [ticketName + attributes, csrfName + attributes]
}
const finishedName = `__Host-service_finished_${shop.realm_uri}`
/** What a logout clears. */
const ended = (domain: string | undefined) => [
  ...cleared(domain),
  `${finishedName}=; Max-Age=0; Path=/; SameSite=Lax; Secure; HttpOnly`,
]

describe('a browser at a gateway with an identity provider', () => {
  let provider: FakeProvider
  let gateway: TestGateway
  let browser: Browser
  const declareWith = (settings: object = {}) =>
    declare(gateway, realmOf(shop, providerOf(provider, settings)))
  const logOut = (query = '') =>
    browser.visit(gateway.url, `${shop.base}/oidc/logout${query}`, { host })

  before(async () => {
    provider = await FakeProvider.open(Date.now)
    gateway = await startGateway({}, { isEmbedded: true })
    await openShop([gateway], shop, realmOf(shop, providerOf(provider)))
  })
  after(async () => {
    await gateway?.stop()
    await provider?.close()
  })
  beforeEach(async () => {
    await declareWith()
    browser = new Browser()
  })

  for (const [query, client_id, device_id] of [
    ['', 'all', 'all'],
    ['?client_id=kiosk', 'kiosk', 'all'],
    ['?device_id=till-7', 'all', 'till-7'],
    ['?client_id=kiosk&device_id=till-7', 'kiosk', 'till-7'],
  ] as const) {
    it(`has a ticket for ${client_id} and ${device_id} after login${query}`, async () => {
      await browser.logIn(gateway.url, shop, provider, { query })
      const { scope } = claimsOf(browser.ticketOf(shop))
      expect(scope).to.deep.equal({ realm: shop.realm_uri, client_id, device_id })
    })
  }

  for (const query of ['?client_id=', '?client_id=a%20b', `?device_id=${'x'.repeat(129)}`]) {
    it(`begins no login with ${query.slice(0, 20)}`, async () => {
      const { status, set } = await browser.visit(gateway.url, `/shop/oidc/login${query}`)
      expect([status, set]).to.deep.equal([400, []])
    })
  }

  for (const [cookie_domain, expected] of [
    [undefined, undefined],
    [host, host],
    ['shop.example.com', 'shop.example.com'],
    ['.example.com', 'example.com'],
    ['Example.COM', 'example.com'],
    ['com', undefined],
    ['evil.com', undefined],
    ['op.example.com', undefined],
    [`a.${host}`, undefined],
  ] as const) {
    const what = `cookie_domain ${cookie_domain} at ${host}`

    it(`has cookies of ${expected ?? 'the host alone'} with ${what}`, async () => {
      await declareWith(cookie_domain === undefined ? {} : { cookie_domain })
      const { set } = await browser.logIn(gateway.url, shop, provider, { host })
      const tickets = set.filter((line) => /^service_/.test(line))
      const attributes = `Path=/; Max-Age=2592000; SameSite=Lax; Secure${expected ? `; Domain=${expected}` : ''}`
      expect(tickets).to.deep.equal([
        `${ticketName}=${browser.ticketOf(shop)}; ${attributes}; HttpOnly`,
        `${csrfName}=${browser.csrfOf(shop)}; ${attributes}`,
      ])
      const left = (await logOut()).set.filter((line) => /^service_/.test(line))
      expect(left, 'by the settings of the provider').to.deep.equal(cleared(expected))
    })

    it(`clears cookies of ${expected ?? 'the host alone'} when a logout asks for ${what}`, async () => {
      const query = cookie_domain === undefined ? '' : `?cookie_domain=${cookie_domain}`
      await browser.logIn(gateway.url, shop, provider, { host })
      expect((await logOut(query)).set).to.deep.equal(ended(expected))
    })
  }

  it('has cookies of the host alone at an address, whatever the settings say', async () => {
    await declareWith({ cookie_domain: '0.0.1' })
    const { set } = await browser.logIn(gateway.url, shop, provider)
    expect(set.join())
      .to.include(ticketName)
      .and.not.match(/domain/i)
  })

  it('clears with the settings of the provider where a logout asks for another domain', async () => {
    await declareWith({ cookie_domain: 'example.com' })
    await browser.logIn(gateway.url, shop, provider, { host })
    const { set } = await logOut('?cookie_domain=evil.com')
    expect(set.filter((line) => /^service_/.test(line))).to.deep.equal(cleared('example.com'))
  })

  const unknown = [404, { error: 'unknown_provider' }] as const
  const unavailable = [500, { error: 'provider_unavailable' }] as const
  // where nothing listens
  const gone = { issuer: 'http://127.0.0.1:9' }
  const post = (path: string, body: unknown) =>
    send(gateway.adminUrl, path, { method: 'POST', body })
  for (const { what, change, refusal } of [
    {
      what: 'the realm is gone',
      change: () => send(gateway.adminUrl, `/realms/${shop.realm_uri}`, { method: 'DELETE' }),
      refusal: unknown,
    },
    {
      what: 'the provider is gone from the realm',
      change: () =>
        post('/realms', realmOf(shop, {}, { info: { oidc_providers: { x: providerOf(gone) } } })),
      refusal: unknown,
    },
    {
      what: 'the realm serves oidcrp no more',
      change: () =>
        post('/realms', realmOf(shop, providerOf(provider), { authmethods: ['cookie'] })),
      refusal: unknown,
    },
    {
      what: 'the provider is where nobody answers',
      change: () => post('/realms', realmOf(shop, providerOf(gone))),
      refusal: unavailable,
    },
    {
      what: 'the settings of the provider make no sense',
      change: () => post('/realms', realmOf(shop, { issuer: 'x' })),
      refusal: unavailable,
    },
  ]) {
    it(`logs out all the same when ${what}, and a login is ${refusal[1].error}`, async () => {
      await browser.logIn(gateway.url, shop, provider)
      const old = browser.copy()
      const { status } = await change()
      expect(status).to.be.oneOf([200, 201, 204])
      const out = await logOut('?redirect_uri=/bye')
      expect([out.status, out.location, out.set]).to.deep.equal([302, '/bye', ended(undefined)])
      expect(browser.cookies.size).to.equal(0)
      expect(await old.status(gateway, shop), 'the ticket').to.equal(401)
      const begun = await browser.visit(gateway.url, '/shop/oidc/login')
      expect(refusalOf(begun)).to.deep.equal(refusal)
      expect(begun.set).to.deep.equal([])
      await declareWith()
      expect(await old.status(gateway, shop), 'the ticket, when all is well again').to.equal(401)
      expect((await gateway.load(documentOf(shop))).status).to.be.oneOf([200, 201])
      await browser.logIn(gateway.url, shop, provider)
    })
  }

  it('logs out all the same while the provider that it knows is down, and comes back to no ticket', async () => {
    await browser.logIn(gateway.url, shop, provider)
    const stranger = new Browser()
    const callback = await stranger.begin(gateway.url, shop, provider)
    await provider.close()
    const out = await logOut('?redirect_uri=/bye')
    expect([out.status, out.set]).to.deep.equal([302, ended(undefined)])
    const back = await stranger.visit(gateway.url, callback)
    expect(refusalOf(back)).to.deep.equal(unavailable)
    expect(stranger.cookies.size, 'the login is over').to.equal(0)
    provider = await FakeProvider.open(Date.now)
  })
})
