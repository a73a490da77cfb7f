/** Logins, tickets and logouts where a browser meets several gateways: behind one name, on one router. */
import { expect } from 'chai'
import type { JsonMap } from '#component/syntax/values.ts'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { send } from '#test/support/http-request.ts'
import { openEmbeddedRouter, type TestRouter } from '#test/support/peers/router.ts'
import { until } from '#test/support/running/until.ts'
import { FakeProvider } from '#test/unit/oidc/fake-provider.ts'
import {
  Browser,
  declare,
  endSession,
  openShop,
  providerOf,
  realmOf,
  refusalOf,
} from './example-apis.ts'

const shop = { realm_uri: 'com.example.shop', base: '/shop' }

describe('a browser that meets two gateways of one router', () => {
  let router: TestRouter
  let provider: FakeProvider
  let nodes: readonly [TestGateway, TestGateway]

  before(async () => {
    router = await openEmbeddedRouter()
    provider = await FakeProvider.open(Date.now)
    const start = (node: string) => startGateway({ 'wamp.url': router.url, node })
    nodes = [await start('a'), await start('b')]
    await openShop(nodes, shop, realmOf(shop, providerOf(provider)))
  })
  after(async () => {
    for (const node of nodes ?? []) await node.stop()
    await provider?.close()
    await router?.stop()
  })

  /** What has happened on one is known on the other. */
  const haveTheSame = () =>
    until('both have the same', async () => {
      const found = await Promise.all(nodes.map(({ adminUrl }) => send(adminUrl, '/registry')))
      const digests = found.map((answer) => (answer.json() as { readonly digest: string }).digest)
      return digests[0] === digests[1]
    })

  for (const [what, begins, finishes] of [
    ['first', 0, 1],
    ['second', 1, 0],
  ] as const) {
    it(`begins a login on the ${what} and finishes it on the other, once on all`, async () => {
      const [here, there] = [nodes[begins], nodes[finishes]]
      const browser = new Browser()
      const callback = await browser.begin(here.url, shop, provider, '?redirect_uri=/cart')
      const underWay = browser.copy()
      const back = await browser.visit(there.url, callback)
      expect([back.status, back.location], back.text).to.deep.equal([302, '/cart'])
      expect([...browser.cookies.keys()]).to.have.members([
        `service_ticket_${shop.realm_uri}`,
        `service_csrf_${shop.realm_uri}`,
        `__Host-service_finished_${shop.realm_uri}`,
      ])
      expect(await browser.status(there, shop)).to.equal(200)
      await until('the ticket holds on the other', async () => {
        return (await browser.status(here, shop)) === 200
      })
      await haveTheSame()
      const exchanges = () => provider.asked.filter((line) => line === 'POST /token').length
      const before = exchanges()
      for (const { url } of [here, there]) {
        const again = await underWay.copy().visit(url, callback)
        expect(refusalOf(again)).to.deep.equal([400, { error: 'invalid_state' }])
        expect(again.set.join()).to.not.include('service_ticket')
      }
      expect(exchanges(), 'codes that were exchanged').to.equal(before)
    })

    it(`logs out on the ${what}, and within 2 s the ticket is refused on the other`, async () => {
      const [here, there] = [nodes[begins], nodes[finishes]]
      const browser = new Browser()
      await browser.logIn(here.url, shop, provider)
      await until('the ticket holds on the other', async () => {
        return (await browser.status(there, shop)) === 200
      })
      const old = browser.copy()
      const { status } = await browser.visit(here.url, '/shop/oidc/logout')
      expect([status, browser.cookies.size]).to.deep.equal([302, 0])
      expect(await old.status(here, shop)).to.equal(401)
      await until('the other refuses it', async () => (await old.status(there, shop)) === 401)
      const headers = { authorization: `Bearer ${old.ticketOf(shop)}` }
      expect(await new Browser().status(there, shop, { headers })).to.equal(401)
    })

    it(`is told by the ${what} with its tickets on both, until they end`, async () => {
      const [here, there] = [nodes[begins], nodes[finishes]]
      const list = async () => {
        const path = `/realms/${shop.realm_uri}/tickets?authid=ada`
        const answer = await send(here.adminUrl, path)
        expect(answer.status, answer.text).to.equal(200)
        return answer.json() as { readonly sessions: JsonMap[]; readonly is_whole: boolean }
      }
      const path = `/realms/${shop.realm_uri}/end_sessions`
      await send(here.adminUrl, path, { method: 'POST', body: { authid: 'ada' } })
      await haveTheSame()
      expect(await list()).to.deep.equal({ sessions: [], is_whole: true, unheard: [] })
      const [one, other] = [new Browser(), new Browser()]
      await one.logIn(here.url, shop, provider)
      await other.logIn(there.url, shop, provider)
      expect(await one.status(here, shop)).to.equal(200)
      expect(await other.status(there, shop)).to.equal(200)
      const { sessions } = await list()
      expect(sessions.map(({ node }) => node)).to.have.members(['a', 'b'])
      for (const session of sessions) {
        expect(session).to.include({ authid: 'ada', provider: 'mock', address: '127.0.0.1' })
      }
      await other.visit(there.url, '/shop/oidc/logout')
      await haveTheSame()
      expect((await list()).sessions).to.have.length(1)
    })

    it(`is out of both within 2 s when the provider tells the ${what}, which has no session of it`, async () => {
      const [here, there] = [nodes[begins], nodes[finishes]]
      const browser = new Browser()
      provider.twist = { claims: { sid: what } }
      await browser.logIn(there.url, shop, provider)
      provider.twist = {}
      await until('the ticket holds on both', async () => {
        return (await browser.status(here, shop)) === 200
      })
      const token = await provider.logoutToken({ sid: what })
      expect((await endSession(here.url, shop, token)).status).to.equal(200)
      expect(await browser.status(here, shop)).to.equal(401)
      await until('the other refuses it', async () => (await browser.status(there, shop)) === 401)
      const again = await endSession(there.url, shop, token)
      expect([again.status, again.text]).to.deep.equal([400, '{"error":"invalid_request"}'])
    })

    it(`is out of both within 2 s when an operator disables or revokes it on the ${what}`, async () => {
      const [here, there] = [nodes[begins], nodes[finishes]]
      const realm = realmOf(shop, providerOf(provider))
      const ada = (enabled: boolean) => ({ ...realm, users: [{ username: 'ada', enabled }] })
      const path = `/realms/${shop.realm_uri}/users/ada/revoke_all`
      for (const end of [
        () => declare(here, ada(false)),
        () => send(here.adminUrl, path, { method: 'POST', body: {} }),
      ]) {
        await declare(here, ada(true))
        await haveTheSame()
        const browser = new Browser()
        await browser.logIn(there.url, shop, provider)
        expect(await browser.status(there, shop)).to.equal(200)
        await end()
        await until('the other refuses it', async () => (await browser.status(there, shop)) === 401)
        await declare(here, ada(true))
        await haveTheSame()
        for (const node of nodes) expect(await browser.status(node, shop)).to.equal(401)
      }
    })
  }
})
