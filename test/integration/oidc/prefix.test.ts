/** Logins at a gateway behind a proxy that takes a part of the path away (`gateway.public_base_url` with a path). */
import { expect } from 'chai'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { FakeProvider } from '#test/unit/oidc/fake-provider.ts'
import { Browser, openShop, providerOf, realmOf } from './example-apis.ts'

const shop = { realm_uri: 'com.example.shop', base: '/v1' }
const publicUrl = 'https://www.example.com/shop'
const accept = 'text/html,*/*;q=0.8'

describe('a login behind a proxy that takes a part of the path away', () => {
  let provider: FakeProvider
  let gateway: TestGateway
  before(async () => {
    provider = await FakeProvider.open(Date.now)
    gateway = await startGateway({ 'gateway.public_base_url': publicUrl }, { isEmbedded: true })
    await openShop([gateway], shop, realmOf(shop, providerOf(provider)))
  })
  after(async () => {
    await gateway.stop()
    await provider.close()
  })

  it('begins, comes back and ends under the path that browsers know', async () => {
    const browser = new Browser()
    /** What the proxy does. */
    const visit = (path: string) => {
      expect(path).to.match(/^\/shop\//)
      return browser.visit(gateway.url, path.slice('/shop'.length), { headers: { accept } })
    }
    const refused = await visit('/shop/v1/me?a=b')
    expect([refused.status, refused.location]).to.deep.equal([
      302,
      '/shop/v1/oidc/login?provider=mock&redirect_uri=%2Fshop%2Fv1%2Fme%3Fa%3Db',
    ])
    const begun = await visit(refused.location)
    const callback = new URL(provider.authorize(begun.location))
    expect(callback.origin + callback.pathname).to.equal(`${publicUrl}/v1/oidc/mock/callback`)
    const back = await visit(callback.pathname + callback.search)
    expect(back.location).to.equal('/shop/v1/me?a=b')
    expect((await visit(back.location)).status).to.equal(200)
  })
})
