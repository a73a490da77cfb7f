/** What `GET /realms/:uri` gives is loaded again and again: every login holds, with the store that gateways have. */
import { expect } from 'chai'
import {
  loadOAuthApi,
  loadOAuthRealm,
  oauthClient,
  oauthOwner,
  oauthRealm,
} from '#test/support/examples/oauth-realm.ts'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { send } from '#test/support/http-request.ts'
import { joinUser } from '#test/support/peers/wamp-user.ts'

describe('a realm document that is loaded as GET shows it', () => {
  let gateway: TestGateway

  before(async () => {
    gateway = await startGateway({}, { isEmbedded: true })
    await loadOAuthRealm(gateway)
    await loadOAuthApi(gateway, '/v1', 'resource_owner_password_credentials')
  })
  after(() => gateway.stop())

  async function token(): Promise<string> {
    const form = { grant_type: 'password', ...oauthOwner, client_id: oauthClient.id }
    const answer = await fetch(`${gateway.url}/v1/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams({ ...form, client_secret: oauthClient.secret }),
    })
    expect(answer.status, await answer.clone().text()).to.equal(200)
    return ((await answer.json()) as { access_token: string }).access_token
  }

  const me = async (bearer: string) =>
    (await fetch(`${gateway.url}/v1/me`, { headers: { authorization: `Bearer ${bearer}` } })).status

  it('leaves every login, and what users were given, as they were, a hundred times', async () => {
    const before = await token()
    for (let turn = 0; turn < 100; turn += 1) {
      const { text } = await send(gateway.adminUrl, `/realms/${oauthRealm}`)
      const body = { ...JSON.parse(text), description: `turn ${turn}` }
      const { status } = await send(gateway.adminUrl, '/realms', { method: 'POST', body })
      expect(status).to.equal(200)
    }
    expect(await me(before)).to.equal(200)
    expect(await me(await token())).to.equal(200)
    const { username: authid, password: secret } = oauthOwner
    const login = { authid, authmethod: 'wampcra', secret } as const
    const session = await joinUser(gateway.routerUrl, oauthRealm, login)
    await session.leave()
  })
})
