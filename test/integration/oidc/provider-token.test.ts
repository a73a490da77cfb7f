/** The access token of an identity provider: an upstream gets it, and nothing that is told of the request shows it. */
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { openLog } from '#component/log.ts'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { type HttpRequest, send } from '#test/support/http-request.ts'
import { movedClock } from '#test/support/running/moved-clock.ts'
import { FakeProvider } from '#test/unit/oidc/fake-provider.ts'
import { Browser, declare, openShop, providerOf, realmOf } from './example-apis.ts'

const shop = { realm_uri: 'com.example.token_shop', base: '/token-shop' }
const secrets = ['secret-of-the-first-token', 'secret-of-the-second-token']

/** `/orders` sends the token, `/all` sends what expressions read of the user otherwise. */
const documentOf = (host: string) => {
  const sends = (headers: object) => ({
    get: {
      action: { type: 'forward', host, path: '/', headers },
      response: { on_result: {}, on_error: {} },
    },
  })
  return {
    ...{ id: 'com.example.tokens', host: '_', realm_uri: shop.realm_uri },
    defaults: { security: { type: 'oidc', provider: 'mock' } },
    versions: {
      one: {
        base_path: '/tokens',
        paths: {
          '/orders': sends({ authorization: 'Bearer {{security.provider_token}}' }),
          '/all': sends({ 'x-user': '{{security |> to_json}}' }),
        },
      },
    },
  }
}

describe('the access token of a provider', () => {
  const clock = movedClock()
  const pass = (seconds: number) => {
    clock.aheadMs += seconds * 1_000
  }
  const logged: string[] = []
  let provider: FakeProvider
  let gateway: TestGateway
  let upstream: Server
  let browser: Browser
  /** The Authorization fields and users that the upstream got. */
  const got: unknown[] = []

  before(async () => {
    upstream = createServer(({ headers }, answer) => {
      got.push(headers['x-user'] ?? headers.authorization)
      answer.end('done')
    })
    upstream.listen(0, '127.0.0.1')
    await once(upstream, 'listening')
    provider = await FakeProvider.open(() => clock.now())
    const log = openLog('trace', { write: (line: string) => void logged.push(line) })
    gateway = await startGateway({}, { isEmbedded: true, clock, log })
    await openShop([gateway], shop, realmOf(shop, providerOf(provider)))
    const { port } = upstream.address() as AddressInfo
    await gateway.mustLoad(documentOf(`http://127.0.0.1:${port}`))
  })
  after(async () => {
    await gateway?.stop()
    await provider?.close()
    upstream?.close()
  })
  beforeEach(async () => {
    await declareWith({ pass_access_token: true })
    provider.givesRefreshTokens = true
    provider.accessToken = secrets[0] ?? ''
    got.length = 0
    browser = new Browser()
    await browser.logIn(gateway.url, shop, provider)
  })

  // explanations take users of the realm only
  const declareWith = (settings: object) =>
    declare(
      gateway,
      realmOf(shop, providerOf(provider, settings), { users: [{ username: 'ada' }] }),
    )
  const ask = (path: string, request: HttpRequest = {}, by = browser) =>
    by.visit(gateway.url, `/tokens${path}`, request)
  const bearer = () => ({ authorization: `Bearer ${browser.ticketOf(shop)}` })

  it('is sent where the document says, for a cookie and for a bearer, and is renewed in time', async () => {
    expect((await ask('/orders')).status).to.equal(200)
    expect((await ask('/orders', { headers: bearer() }, new Browser())).status).to.equal(200)
    provider.accessToken = secrets[1] ?? ''
    pass(541)
    const answers = await Promise.all(Array.from({ length: 5 }, () => ask('/orders')))
    expect(answers.map(({ status }) => status)).to.deep.equal([200, 200, 200, 200, 200])
    const [first, second] = secrets.map((secret) => `Bearer ${secret}`)
    expect(got).to.deep.equal([first, first, second, second, second, second, second])
    expect(provider.asked.filter((line) => line === 'POST /token')).to.have.length(2)
  })

  it('is no member of what reads all of the user', async () => {
    await ask('/orders')
    expect((await ask('/all')).status).to.equal(200)
    expect(String(got[1])).to.include('"authid":"ada"').and.not.include(secrets[0])
  })

  it('that has expired and cannot be renewed is 401, and leads a person to the login', async () => {
    provider.givesRefreshTokens = false
    await browser.logIn(gateway.url, shop, provider)
    expect((await ask('/orders')).status).to.equal(200)
    pass(601)
    const refused = await ask('/orders', { headers: bearer() }, new Browser())
    expect(refused.status).to.equal(401)
    expect(refused.headers['www-authenticate']).to.include(
      'the access token of the provider has expired: log in again',
    )
    const page = await ask('/orders', { headers: { accept: 'text/html' } })
    expect([page.status, page.location]).to.deep.equal([
      302,
      '/tokens/oidc/login?provider=mock&redirect_uri=%2Ftokens%2Forders',
    ])
    expect((await ask('/all')).status, 'what needs no token').to.equal(200)
    expect(got).to.have.length(2)
  })

  it('is absent where the provider does not pass it on, and the load warns of that', async () => {
    await declareWith({})
    expect((await ask('/orders')).status).to.equal(500)
    expect(got).to.deep.equal([])
    const { port } = upstream.address() as AddressInfo
    const { body } = await gateway.load(documentOf(`http://127.0.0.1:${port}`))
    expect(body.warnings).to.deep.equal([
      {
        path: '/versions/one/paths/~1orders/get',
        message: `the provider "mock" of ${shop.realm_uri} does not pass its access token on (pass_access_token), so security.provider_token is never there`,
      },
    ])
  })

  it('is shown by no explanation, trace, metric, event or line of the log', async () => {
    const admin = async (path: string, body?: object) => {
      const answer = await send(gateway.adminUrl, path, body ? { method: 'POST', body } : {})
      expect(answer.status, answer.text).to.be.below(300)
      return answer
    }
    const request = { method: 'get', path: '/tokens/orders', headers: bearer() }
    const asked = [{ request }, { request, as: { authid: 'ada' } }]
    const explained = []
    for (const question of asked) explained.push((await admin('/explain', question)).text)
    for (const text of explained) {
      expect(text).to.include('security.provider_token')
      expect(text).to.not.include('example-access-token')
    }
    const issued = await admin('/api_specs/com.example.tokens/trace_tokens', { seconds: 60 })
    const { token } = issued.json() as { readonly token: string }
    const events = new AbortController()
    const console = await fetch(`${gateway.adminUrl}/events`, { signal: events.signal })
    await admin('/services/watch_requests', { seconds: 30 })
    const { status, headers } = await ask('/orders', { headers: { 'x-gateway-trace': token } })
    expect(status).to.equal(200)
    expect(got).to.deep.equal([`Bearer ${secrets[0]}`])
    const trace = await admin(`/traces/${String(headers['x-gateway-trace-id'])}`)
    expect(trace.text).to.include('‹redacted›')
    const reader = console.body?.getReader()
    let told = ''
    while (reader && !told.includes('event: request')) {
      told += Buffer.from((await reader.read()).value ?? []).toString()
    }
    events.abort()
    const metrics = await admin('/metrics')
    const shown = [...explained, trace.text, told, metrics.text, ...logged].join('\n')
    expect(shown).to.include('/tokens/orders')
    for (const secret of secrets) expect(shown).to.not.include(secret)
  })
})
