/** A whole gateway on Crossbar.io, by docs/crossbar.md: users by OAuth2 over HTTP, and the same users over WAMP. */
import { expect } from 'chai'
import { systemClock } from '#component/clock.ts'
import { openLog } from '#component/log.ts'
import { componentSession } from '#component/wamp/autobahn-session.ts'
import type { Session } from '#component/wamp/session.ts'
import { untilTrue } from '#test/contract/session/support.ts'
import { Browser, providerOf } from '#test/integration/oidc/example-apis.ts'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { FakeProvider } from '#test/unit/oidc/fake-provider.ts'
import { joinAs, LoginRefused } from './crossbar-clients.ts'
import { type DocumentedRouter, newKey, startDocumentedRouter } from './crossbar-page.ts'

const realm = 'com.example.realm'
const procedure = 'com.example.orders.list'
const password = 'the same for all of them'
const key = newKey()

const realmWith = (ada: object = {}) => ({
  uri: realm,
  authmethods: ['wampcra', 'cryptosign', 'ticket', 'password', 'oauth2'],
  users: [
    { username: 'app', password, groups: ['api_clients'] },
    {
      ...{ username: 'ada', password, authorized_keys: [key.public] },
      groups: ['resource_owners', 'staff'],
      ...ada,
    },
    { username: 'bob', password, groups: ['resource_owners'] },
    { username: 'backend', password, groups: ['backend'] },
  ],
  groups: [{ name: 'staff' }, { name: 'backend' }],
  sources: ['wampcra', 'cryptosign', 'ticket', 'oauth2'].map((authmethod) => ({
    ...{ usernames: 'all', authmethod, cidr: '0.0.0.0/0' },
  })),
  grants: [
    { permissions: ['wamp.call'], roles: ['staff'], uri: 'com.example.', match: 'prefix' },
    { permissions: ['wamp.register'], roles: ['backend'], uri: 'com.example.', match: 'prefix' },
  ],
})

const apiWith = (id: string, base_path: string, security: object) => ({
  ...{ id, host: '_', realm_uri: realm },
  defaults: { security },
  versions: {
    one: {
      base_path,
      paths: {
        '/orders': {
          get: {
            action: { type: 'wamp_call', procedure },
            response: {
              on_result: { body: '{{action.result.args |> head}}' },
              on_error: {
                status_code: '{{status_codes |> get({{action.error.error_uri}}, 500)}}',
                body: '{{action.error.error_uri}}',
              },
            },
          },
        },
      },
    },
  },
})

const api = apiWith('com.example.orders', '/v1', {
  ...{ type: 'oauth2', flow: 'resource_owner_password_credentials' },
})
const webApi = apiWith('com.example.web', '/web', { type: 'oidc', provider: 'mock' })

describe('a gateway on Crossbar.io that asks it', () => {
  let router: DocumentedRouter
  let gateway: TestGateway
  let backend: Session

  const load = async (document: object) => {
    const answer = await fetch(`${gateway.adminUrl}/realms`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(document),
    })
    expect(answer.ok, await answer.text()).to.equal(true)
  }

  const tokenOf = async (username: string) => {
    const answer = await fetch(`${gateway.url}/v1/oauth/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(`app:${password}`)}` },
      body: new URLSearchParams({ grant_type: 'password', username, password }),
    })
    const { access_token = '' } = (await answer.json()) as { access_token?: string }
    return { status: answer.status, access_token }
  }

  const orders = async (token: string) => {
    const headers = { authorization: `Bearer ${token}` }
    const answer = await fetch(`${gateway.url}/v1/orders`, { headers })
    return { status: answer.status, body: await answer.json() }
  }

  before(async () => {
    router = await startDocumentedRouter()
    const { authmethod, authid = '', secret = '' } = router.auth
    gateway = await startGateway({
      'wamp.url': router.gatewayUrl,
      'wamp.auth.authmethod': authmethod,
      'wamp.auth.authid': authid,
      'wamp.auth.secret': String(secret),
    })
    await load(realmWith())
    await gateway.mustLoad(api)
    const session = componentSession({
      ...{ serializer: 'json', clock: systemClock, log: openLog('silent') },
      ...{ url: router.crossbar.url, realm_uri: realm },
      auth: { authmethod: 'wampcra', authid: 'backend', secret: password },
    })
    backend = session
    expect(await session.joined(20_000), session.lastReason).to.equal(true)
    // registering is allowed as soon as the gateway answers on this realm, too
    await untilTrue(async () => {
      await session.register(procedure, (_payload, { details }) => ({
        args: [details.caller_authid],
        kwargs: {},
      }))
      return true
    })
  })
  after(async () => {
    await backend?.leave()
    await gateway?.stop()
    await router?.stop()
  })

  it('calls for a user as that user', async () => {
    const { access_token } = await tokenOf('ada')
    expect(await orders(access_token)).to.deep.equal({ status: 200, body: 'ada' })
  })

  it('answers 403 to a user whom the router lets call nothing, as over WAMP', async () => {
    const { access_token } = await tokenOf('bob')
    expect(await orders(access_token)).to.deep.equal({
      status: 403,
      body: 'wamp.error.not_authorized',
    })
    const login = { url: router.crossbar.url, realm, authid: 'bob', secret: password } as const
    const bob = await joinAs.wampy({ ...login, authmethod: 'wampcra' })
    expect(await bob.call(procedure)).to.equal('wamp.error.not_authorized')
    bob.leave()
  })

  it('lets the same user in by wampcra and by cryptosign', async () => {
    const login = { url: router.crossbar.url, realm, authid: 'ada' } as const
    for (const guest of [
      await joinAs.autobahn({ ...login, authmethod: 'wampcra', secret: password }),
      await joinAs.wampy({ ...login, authmethod: 'cryptosign', key }),
    ]) {
      expect(await guest.call(procedure)).to.equal('ada')
      guest.leave()
    }
  })

  it('takes everything from a user who is disabled: token, login, and the session that is open', async () => {
    const { access_token } = await tokenOf('ada')
    const login = {
      ...{ url: router.crossbar.url, realm, authid: 'ada', secret: password },
      authmethod: 'wampcra',
    } as const
    const ada = await joinAs.wampy(login)
    expect(await ada.call(procedure)).to.equal('ada')
    await load(realmWith({ enabled: false }))
    await ada.ended
    expect((await orders(access_token)).status).to.equal(401)
    expect((await tokenOf('ada')).status).to.equal(400)
    const refusal = await joinAs.wampy(login).catch((error: unknown) => error)
    expect(refusal).to.be.instanceOf(LoginRefused)
  })

  it('lets users of an identity provider in by their tickets, until they log out', async () => {
    const provider = await FakeProvider.open(Date.now)
    const document = realmWith()
    // the provider's name for them: ada is a user with a password of her own
    const mock = providerOf(provider, { authid_claim: 'sub' })
    await load({
      ...document,
      authmethods: [...document.authmethods, 'oidcrp'],
      sources: [...document.sources, { usernames: 'all', authmethod: 'oidcrp', cidr: '0.0.0.0/0' }],
      info: { oidc_providers: { mock } },
    })
    await gateway.mustLoad(webApi)
    const shop = { realm_uri: realm, base: '/web' }
    const browser = new Browser()
    await browser.logIn(gateway.url, shop, provider)
    const [secret, cookie] = [browser.ticketOf(shop), browser.field]
    const [, claims = ''] = secret.split('.')
    const { sub } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as { sub: string }

    const answer = await browser.visit(gateway.url, '/web/orders')
    expect([answer.status, answer.json()]).to.deep.equal([200, sub])
    const login = { url: router.crossbar.url, realm, authid: sub, authmethod: 'ticket' } as const
    const guest = await joinAs.wampy({ ...login, secret })
    expect(await guest.call(procedure)).to.equal(sub)
    guest.leave()

    expect((await browser.visit(gateway.url, '/web/oidc/logout')).status).to.equal(302)
    const late = await fetch(`${gateway.url}/web/orders`, { headers: { cookie } })
    expect(late.status).to.equal(401)
    const refusal = await joinAs.wampy({ ...login, secret }).catch((error: unknown) => error)
    expect(refusal).to.be.instanceOf(LoginRefused)
    await provider.close()
  })
})
