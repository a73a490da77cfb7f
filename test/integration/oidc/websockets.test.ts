/** WebSockets of users of a provider: the ticket cookie opens them, and they end with the login. */
import { expect } from 'chai'
import { closing, echoed, opened } from '#test/integration/websockets/clients.ts'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { send } from '#test/support/http-request.ts'
import { echoingUpstream, type SocketUpstream } from '#test/support/peers/websocket-upstream.ts'
import { FakeProvider } from '#test/unit/oidc/fake-provider.ts'
import { Browser, declare, documentOf, openShop, providerOf, realmOf } from './example-apis.ts'

const shop = { realm_uri: 'com.example.shop', base: '/shop' }

describe('a WebSocket of a user of a provider', function () {
  this.timeout(30_000)
  let provider: FakeProvider
  let gateway: TestGateway
  let upstream: SocketUpstream
  let browser: Browser

  beforeEach(async () => {
    provider = await FakeProvider.open(Date.now)
    upstream = await echoingUpstream()
    gateway = await startGateway({}, { isEmbedded: true })
    await openShop([gateway], shop, realmOf(shop, providerOf(provider)))
    const { versions, ...document } = documentOf(shop)
    const { one } = versions
    const action = { type: 'forward', host: upstream.host, path: '/up', websocket: true }
    const paths = { ...one.paths, '/live': { get: { action, response: {} } } }
    const { status, body } = await gateway.load({
      ...document,
      versions: { one: { ...one, paths } },
    })
    expect(status, JSON.stringify(body)).to.be.within(200, 201)
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

  for (const [what, end] of [
    ['logs out', () => browser.visit(gateway.url, '/shop/oidc/logout')],
    [
      'is disabled',
      () =>
        declare(
          gateway,
          realmOf(shop, providerOf(provider), { users: [{ username: 'ada', enabled: false }] }),
        ),
    ],
    [
      'is revoked',
      () =>
        send(gateway.adminUrl, `/realms/${shop.realm_uri}/users/ada/revoke_all`, {
          method: 'POST',
          body: {},
        }),
    ],
  ] as const) {
    it(`ends with 1008 when the user ${what}`, async () => {
      const socket = await open()
      expect((await echoed(socket, 'hello')).toString()).to.equal('hello')
      const closed = closing(socket)
      await end()
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
