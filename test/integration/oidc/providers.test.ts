/** A realm with two identity providers: a ticket opens the paths of the provider that made it, and no others. */
import { expect } from 'chai'
import { FakeProvider } from '#test/unit/oidc/fake-provider.ts'
import { type LoginNode, openLogins, realm_uri, StillClock } from '#test/unit/oidc/login-fixture.ts'
import { providerOf } from './example-apis.ts'
import { Browser, gatewayOf } from './gateway.ts'

describe('a browser at an API with two identity providers', () => {
  let mock: FakeProvider
  let partners: FakeProvider
  let node: LoginNode
  let browser: Browser

  beforeEach(async () => {
    const clock = new StillClock()
    mock = await FakeProvider.open(() => clock.now())
    partners = await FakeProvider.open(() => clock.now())
    partners.twist = { claims: { preferred_username: 'paul' } }
    node = await openLogins(mock, { clock })
    await node.realms.load({
      uri: realm_uri,
      authmethods: ['oidcrp', 'cookie'],
      info: { oidc_providers: { mock: providerOf(mock), partners: providerOf(partners) } },
    })
    browser = new Browser(gatewayOf(node, realm_uri))
  })
  afterEach(async () => {
    await node.close()
    await mock.close()
    await partners.close()
  })

  it('is refused with the ticket of the other one, in the cookie and as a bearer', async () => {
    await browser.logIn(mock)
    expect((await browser.ask('GET /v1/me')).status).to.equal(200)
    expect((await browser.ask('GET /v1/partners')).status).to.equal(401)
    const ticket = browser.cookies.get(`service_ticket_${realm_uri}`)
    browser.cookies.clear()
    const headers = { authorization: `Bearer ${ticket}` }
    expect((await browser.ask('GET /v1/me', headers)).status).to.equal(200)
    expect((await browser.ask('GET /v1/partners', headers)).status).to.equal(401)
  })

  it('is sent to the provider of the page, once, and its ticket there replaces the other one', async () => {
    await browser.logIn(mock)
    await browser.get(await browser.begin(partners, '/v1/partners'))
    const { status, value } = await browser.get('/v1/partners')
    expect([status, value]).to.deep.equal([200, 'paul'])
    expect((await browser.get('/v1/me')).location).to.contain('/v1/oidc/login?provider=mock')
  })
})
