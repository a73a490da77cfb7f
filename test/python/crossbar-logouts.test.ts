/** A logout that oidc-provider orders at one of two gateways on Crossbar.io: requests, streams and WAMP sessions end on both. */
import { expect } from 'chai'
import { Browser, documentOf, openShop, realmOf } from '#test/integration/oidc/example-apis.ts'
import { RealProvider } from '#test/integration/oidc/real-provider.ts'
import { type EventStream, openEventStream } from '#test/support/event-stream.ts'
import { endOf } from '#test/support/examples/live-api.ts'
import { freePort } from '#test/support/free-port.ts'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { until } from '#test/support/running/until.ts'
import { decode } from '#test/unit/token/doubles.ts'
import { type Guest, joinAs } from './crossbar-clients.ts'
import { type DocumentedRouter, startDocumentedRouter } from './crossbar-page.ts'

const shop = { realm_uri: 'com.example.realm', base: '/shop' }
const client_secret = 'a secret of the client, long enough'

describe('a user of oidc-provider on two gateways on Crossbar.io', () => {
  let router: DocumentedRouter
  let provider: RealProvider
  let nodes: readonly [TestGateway, TestGateway]

  before(async () => {
    router = await startDocumentedRouter()
    const { authmethod, authid = '', secret = '' } = router.auth
    const port = await freePort()
    const start = (node: string, listen: number) =>
      startGateway({
        ...{ node, 'gateway.listen': `127.0.0.1:${listen}`, 'wamp.url': router.gatewayUrl },
        'wamp.auth.authmethod': authmethod,
        'wamp.auth.authid': authid,
        'wamp.auth.secret': String(secret),
      })
    nodes = [await start('a', port), await start('b', 0)]
    const at = `http://127.0.0.1:${port}${shop.base}/oidc/mock`
    provider = await RealProvider.open({
      redirect_uri: `${at}/callback`,
      client: {
        ...{ client_secret, token_endpoint_auth_method: 'client_secret_basic' },
        backchannel_logout_uri: `${at}/backchannel_logout`,
        backchannel_logout_session_required: true,
      },
      features: { backchannelLogout: { enabled: true } },
    })
    provider.claims = { roles: ['staff'] }
    const { issuer } = provider
    const entry = { issuer, client_id: 'app', client_secret, allow_unsafe_http: true }
    const grants = [
      { permissions: ['wamp.subscribe'], roles: ['staff'], uri: 'com.example.', match: 'prefix' },
    ]
    const sources = ['oidcrp', 'ticket'].map((authmethod) => ({
      ...{ usernames: 'all', authmethod, cidr: '0.0.0.0/0' },
    }))
    await openShop(nodes, shop, realmOf(shop, entry, { grants, sources }))
    const { versions, ...document } = documentOf(shop)
    const get = {
      action: { type: 'wamp_subscribe', topic: 'com.example.news' },
      response: { on_event: {}, on_error: {} },
    }
    const { one } = versions
    const paths = { ...one.paths, '/news': { get } }
    const { status, body } = await nodes[0].load({
      ...document,
      versions: { one: { ...one, paths } },
    })
    expect(status, JSON.stringify(body)).to.equal(200)
  })
  after(async () => {
    for (const node of nodes ?? []) await node.stop()
    await provider?.close()
    await router?.stop()
  })

  it('is out of both when the provider ends the session at one: streams, WAMP sessions and requests', async () => {
    const [first] = nodes
    const browser = new Browser()
    const { location } = await browser.visit(first.url, `${shop.base}/oidc/login`)
    const { pathname, search } = new URL(await provider.authorize(location))
    const back = await browser.visit(first.url, pathname + search)
    expect(back.status, back.text).to.equal(302)
    const secret = browser.ticketOf(shop)
    const { oidc_sid = '' } = decode(secret, 1) as { readonly oidc_sid?: string }
    const login = {
      ...{ url: router.crossbar.url, realm: shop.realm_uri, authid: provider.user, secret },
      authmethod: 'ticket',
    } as const
    const streams: EventStream[] = []
    for (const { url } of nodes) {
      await until('the stream is open', async () => {
        const headers = { cookie: browser.field }
        const stream = await openEventStream(`${url}${shop.base}/news`, { headers })
        if (stream.status === 200) streams.push(stream)
        else stream.close()
        return stream.status === 200
      })
    }
    // Crossbar.io asks one of the gateways in turn: both have the keys of the realm now
    const sessions: Guest[] = []
    for (let each = 0; each < 4; each += 1) sessions.push(await joinAs.wampy(login))

    const began = performance.now()
    const took: string[] = []
    const ended = async (what: string, end: Promise<unknown>) => {
      const found = await end
      took.push(`${what} ${Math.round(performance.now() - began)} ms`)
      return found
    }
    const ends = [
      ...streams.map((stream, index) => ended(`stream ${index}`, endOf(stream))),
      ...sessions.map((session, index) => ended(`session ${index}`, session.ended)),
    ]
    await provider.endSession(oidc_sid)
    const codes = await Promise.all(ends)
    expect(codes.slice(0, 2)).to.deep.equal(streams.map(() => 'service.error.unauthorized'))
    for (const node of nodes) {
      await until('it is refused', async () => (await browser.status(node, shop)) === 401)
    }
    console.log(`      ${took.join(', ')}`)
  })
})
