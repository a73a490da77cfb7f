/** A user of oidc-provider who meets two gateways: whether the login still holds is known to both, whichever store they have. */
import { expect } from 'chai'
import { openLog } from '#component/log.ts'
import { freePort } from '#test/support/free-port.ts'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { send } from '#test/support/http-request.ts'
import { openEmbeddedRouter, type TestRouter } from '#test/support/peers/router.ts'
import { movedClock } from '#test/support/running/moved-clock.ts'
import { until } from '#test/support/running/until.ts'
import { Browser, documentOf, openShop, realmOf } from './example-apis.ts'
import { RealProvider } from './real-provider.ts'

const interval = 60
const client_secret = 'a secret of the client, long enough'

/** @param settings of a gateway, beside its name and router */
export function testTwoGateways(
  what: string,
  settings: () => Promise<Readonly<Record<string, string>>>,
): void {
  const shop = { realm_uri: 'com.example.two', base: '/two' }

  describe(`a user of oidc-provider who meets two gateways, with ${what}`, () => {
    const clock = movedClock()
    const logged: string[] = []
    const suspensions = () => logged.filter((line) => line.includes('was suspended')).length
    /** Lets time pass; the sessions of the gateways take it for a suspension, and join again. */
    const pass = async (seconds: number) => {
      clock.aheadMs += seconds * 1_000
      await until('both have noticed', () => suspensions() === nodes.length)
      for (const { adminUrl } of nodes) {
        await until('the other one is there', async () => {
          const { text } = await send(adminUrl, '/registry')
          const { nodes: others } = JSON.parse(text) as { readonly nodes: readonly unknown[] }
          return others.length > 0
        })
      }
    }
    let router: TestRouter
    let provider: RealProvider
    let nodes: readonly [TestGateway, TestGateway]
    let browser: Browser
    let asked: number

    beforeEach(async () => {
      clock.aheadMs = 0
      logged.length = 0
      router = await openEmbeddedRouter()
      const common = await settings()
      const log = openLog('warn', { write: (line: string) => void logged.push(line) })
      const port = await freePort()
      const start = (node: string, listen: number) =>
        startGateway(
          { 'wamp.url': router.url, node, 'gateway.listen': `127.0.0.1:${listen}`, ...common },
          { clock, log },
        )
      nodes = [await start('a', port), await start('b', 0)]
      provider = await RealProvider.open({
        redirect_uri: `http://127.0.0.1:${port}${shop.base}/oidc/mock/callback`,
        client: {
          ...{ client_secret, token_endpoint_auth_method: 'client_secret_basic' },
          grant_types: ['authorization_code', 'refresh_token'],
        },
        more: { issueRefreshToken: async () => true },
      })
      const { issuer } = provider
      const entry = {
        ...{ issuer, client_id: 'app', client_secret, allow_unsafe_http: true },
        recheck_interval: interval,
      }
      await openShop(nodes, shop, realmOf(shop, entry))
      const get = {
        action: { type: 'static', body: '{{security.authroles}}' },
        response: { on_result: {}, on_error: {} },
      }
      const { versions, ...document } = documentOf(shop)
      const { status } = await nodes[0].load({
        ...document,
        versions: { one: { ...versions.one, paths: { '/me': { get } } } },
      })
      expect(status).to.equal(200)
      provider.claims = { roles: ['staff'] }
      const [first] = nodes
      browser = new Browser()
      const { location } = await browser.visit(first.url, `${shop.base}/oidc/login`)
      const { pathname, search } = new URL(await provider.authorize(location))
      const back = await browser.visit(first.url, pathname + search)
      expect(back.status, back.text).to.equal(302)
      for (const node of nodes) {
        await until('the ticket holds', async () => (await roles(node)).status === 200)
        expect((await roles(node)).value).to.deep.equal(['staff'])
      }
      asked = questions()
    })
    afterEach(async () => {
      for (const node of nodes ?? []) await node.stop()
      await provider?.close()
      await router?.stop()
    })
    const questions = () => provider.asked.filter((line) => line === 'POST /token').length
    const roles = async ({ url }: TestGateway) => {
      const { status, json } = await browser.visit(url, `${shop.base}/me`)
      return { status, value: status === 200 ? json() : undefined }
    }

    it('has other roles on both within the interval, of which one asks', async () => {
      provider.claims = { roles: ['admins'] }
      for (const node of nodes) expect((await roles(node)).value).to.deep.equal(['staff'])
      await pass(interval)
      const [first, second] = nodes
      for (const node of [second, first])
        expect(await roles(node)).to.deep.equal({ status: 200, value: ['admins'] })
      expect(questions() - asked, 'questions to the provider').to.equal(1)
    })

    it('is out of both once the provider has disabled it', async () => {
      provider.isDisabled = true
      for (const node of nodes) expect((await roles(node)).status).to.equal(200)
      await pass(interval)
      const [first, second] = nodes
      expect((await roles(second)).status).to.equal(401)
      await until('the first refuses it', async () => (await roles(first)).status === 401)
      expect(questions() - asked, 'questions to the provider').to.equal(1)
    })
  })
}
