/** Streams of users of a provider: they end with the ticket of the login. */
import { expect } from 'chai'
import { type EventStream, openEventStream } from '#test/support/event-stream.ts'
import { endOf, within } from '#test/support/examples/live-api.ts'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { FakeProvider } from '#test/unit/oidc/fake-provider.ts'
import {
  Browser,
  declare,
  loadPaths,
  loginEnds,
  openShop,
  providerOf,
  realmOf,
} from './example-apis.ts'

const shop = { realm_uri: 'com.example.shop', base: '/shop' }

const news = {
  action: { type: 'wamp_subscribe', topic: 'com.example.news' },
  response: { on_event: {}, on_error: {} },
}

describe('a stream of a user of a provider', () => {
  let provider: FakeProvider
  let gateway: TestGateway
  let browser: Browser
  let open: EventStream[]

  beforeEach(async () => {
    open = []
    provider = await FakeProvider.open(Date.now)
    gateway = await startGateway({}, { isEmbedded: true })
    await openShop([gateway], shop, realmOf(shop, providerOf(provider)))
    await loadPaths(gateway, shop, { '/news': { get: news, post: news } })
    browser = new Browser()
  })
  afterEach(async () => {
    for (const stream of open) stream.close()
    await gateway.stop()
    await provider.close()
  })

  /** Streams by the cookie, by the ticket as a bearer token, and by POST with the proof against CSRF. */
  async function watched(): Promise<EventStream[]> {
    const cookie = browser.field
    const asked = [
      { headers: { cookie } },
      { headers: { authorization: `Bearer ${browser.ticketOf(shop)}` } },
      { method: 'POST', headers: { cookie, 'x-csrf-token': browser.csrfOf(shop) } },
    ]
    open = await Promise.all(
      asked.map((request) => openEventStream(`${gateway.url}${shop.base}/news`, request)),
    )
    expect(open.map(({ status }) => status)).to.deep.equal([200, 200, 200])
    return open
  }

  const expectEnds = async (streams: readonly EventStream[]) => {
    const codes = await within('the ends', Promise.all(streams.map(endOf)))
    expect(codes).to.deep.equal(streams.map(() => 'service.error.unauthorized'))
  }

  for (const [what, end] of Object.entries(loginEnds(shop))) {
    it(`ends when the user ${what}`, async () => {
      await browser.logIn(gateway.url, shop, provider)
      const streams = await watched()
      await end({ gateway, provider, browser })
      await expectEnds(streams)
    })
  }

  it('ends when the ticket expires, and not before', async () => {
    const seconds = 4
    await declare(gateway, realmOf(shop, providerOf(provider, { ticket_expiry_secs: seconds })))
    const issuedBefore = Date.now()
    await browser.logIn(gateway.url, shop, provider)
    const streams = await watched()
    const codes = await within('the ends', Promise.all(streams.map(endOf)))
    expect(Date.now() - issuedBefore).to.be.at.least((seconds - 1) * 1_000)
    expect(codes).to.deep.equal(streams.map(() => 'service.error.unauthorized'))
  })
})
