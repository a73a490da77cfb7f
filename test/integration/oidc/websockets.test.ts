/** WebSockets of users of a provider: the ticket cookie opens them, and they end with the login. */
import { expect } from 'chai'
import { closing, echoed, opened } from '#test/integration/websockets/clients.ts'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { echoingUpstream, type SocketUpstream } from '#test/support/peers/websocket-upstream.ts'
import { FakeProvider } from '#test/unit/oidc/fake-provider.ts'
import { Browser, loadPaths, loginEnds, openShop, providerOf, realmOf } from './example-apis.ts'

const shop = { realm_uri: 'com.example.shop', base: '/shop' }

describe('a WebSocket of a user of a provider', () => {
  let provider: FakeProvider
  let gateway: TestGateway
  let upstream: SocketUpstream
  let browser: Browser

  beforeEach(async () => {
    provider = await FakeProvider.open(Date.now)
    upstream = await echoingUpstream()
    gateway = await startGateway({}, { isEmbedded: true })
    await openShop([gateway], shop, realmOf(shop, providerOf(provider)))
    const action = { type: 'forward', host: upstream.host, path: '/up', websocket: true }
    await loadPaths(gateway, shop, { '/live': { get: { action, response: {} } } })
    browser = new Browser()
    await browser.logIn(gateway.url, shop, provider)
  })
  afterEach(async () => {
    await gateway.stop()
    await provider.close()
    upstream.close()
  })

  /** By the cookie of a page of the host itself. */
  const open = (origin = gateway.url) =>
    opened(gateway.url, '/shop/live', { headers: { cookie: browser.field, origin } })

  for (const [what, end] of Object.entries(loginEnds(shop))) {
    it(`ends with 1008 when the user ${what}`, async () => {
      const socket = await open()
      expect((await echoed(socket, 'hello')).toString()).to.equal('hello')
      const closed = closing(socket)
      await end({ gateway, provider, browser })
      expect(await closed).to.deep.equal([1008, 'the credentials have ended'])
    })
  }

  it('is opened by no cookie for a page of another origin, and without a login for nobody', async () => {
    const refusal = (opening: Promise<unknown>) =>
      opening.then(
        () => 'opened',
        (error: Error) => error.message,
      )
    expect(await refusal(open('https://evil.example'))).to.equal('answered 403')
    browser.cookies.clear()
    expect(await refusal(open())).to.equal('answered 401')
    expect(upstream.handshakes.length).to.equal(0)
  })

  it('passes no ticket on', async () => {
    browser.cookies.set('theirs', '1')
    const socket = await open()
    expect(upstream.handshakes[0]?.headers.cookie).to.equal('theirs=1')
    socket.terminate()
  })
})
