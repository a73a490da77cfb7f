/** Access tokens at APIs of one realm: each takes those of its own issuers, and of the APIs that share a token endpoint with it. */
import { expect } from 'chai'
import {
  loadOAuthRealm,
  oauthClient,
  oauthOwner,
  oauthRealm,
} from '#test/support/examples/oauth-realm.ts'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'

const owners = { type: 'oauth2', flow: 'resource_owner_password_credentials' }
const machines = { type: 'oauth2', flow: 'client_credentials', token_path: '/oauth/machines' }

const me = (security?: object) => ({
  ...(security && { security }),
  get: {
    action: { type: 'static', body: { authid: '{{security.authid}}' } },
    response: { on_result: {}, on_error: {} },
  },
})

const apiOf = (id: string, ...bases: readonly string[]) => ({
  id,
  host: '_',
  realm_uri: oauthRealm,
  defaults: { schemes: ['http'], security: owners },
  versions: Object.fromEntries(
    bases.map((base_path, at) => [
      `${at + 1}.0.0`,
      { base_path, paths: { [`/${id}`]: me(), [`/${id}-machines`]: me(machines) } },
    ]),
  ),
})

describe('an access token', () => {
  let gateway: TestGateway

  before(async () => {
    gateway = await startGateway({}, { isEmbedded: true })
    await loadOAuthRealm(gateway)
    for (const api of [
      apiOf('orders', '/orders/[v1.0]', '/orders/v2.0'),
      apiOf('stock', '/stock'),
      apiOf('first', '/[v1.0]'),
      apiOf('second', '/[v2.0]'),
      apiOf('tenants', '/t/:tenant'),
    ]) {
      await gateway.mustLoad(api)
    }
  })
  after(() => gateway.stop())

  const basic = `Basic ${Buffer.from(
    `${encodeURIComponent(oauthClient.id)}:${encodeURIComponent(oauthClient.secret)}`,
  ).toString('base64')}`

  async function tokenAt(path: string, form: Readonly<Record<string, string>>): Promise<string> {
    const answer = await fetch(`${gateway.url}${path}`, {
      method: 'POST',
      headers: { authorization: basic },
      body: new URLSearchParams(form),
    })
    const body = (await answer.json()) as { access_token: string }
    expect(answer.status, JSON.stringify(body)).to.equal(200)
    return body.access_token
  }

  const asOwner = { grant_type: 'password', ...oauthOwner }
  const asMachine = { grant_type: 'client_credentials' }

  const statusAt = async (path: string, token: string): Promise<number> => {
    const headers = { authorization: `Bearer ${token}` }
    return (await fetch(`${gateway.url}${path}`, { headers })).status
  }

  const owner = (base: string) => tokenAt(`${base}/oauth/token`, asOwner)

  for (const [what, base, path, status] of [
    ['opens a path of the API that issued it', '/orders/v1.0', '/orders/v1.0/orders', 200],
    ['opens it under every form of the base path', '/orders', '/orders/v1.0/orders', 200],
    ['opens another version of that API', '/orders/v1.0', '/orders/v2.0/orders', 200],
    ['opens no path of another API of the realm', '/orders/v1.0', '/stock/stock', 401],
    ['is verified where it opens paths', '/stock', '/stock/oauth/verify', 200],
    ['is not verified at another API', '/stock', '/orders/oauth/verify', 401],
    ['opens an API that shares its token endpoint, the second', '', '/v2.0/second', 200],
    ['opens an API that shares its token endpoint, the first', '/v2.0', '/v1.0/first', 200],
    ['does not open what only begins like it', '/v1.0', '/orders/v1.0/orders', 401],
    ['opens the paths of a base path with bindings', '/t/acme', '/t/acme/tenants', 200],
  ] as const) {
    it(what, async () => {
      expect(await statusAt(path, await owner(base))).to.equal(status)
    })
  }

  for (const [what, token, form, path, status] of [
    ['an owner', '/stock/oauth/token', asOwner, '/stock/stock', 200],
    ['an owner', '/stock/oauth/token', asOwner, '/stock/stock-machines', 401],
    ['a client', '/stock/oauth/machines', asMachine, '/stock/stock-machines', 200],
    ['a client', '/stock/oauth/machines', asMachine, '/stock/stock', 401],
  ] as const) {
    const does = status === 200 ? 'opens' : 'does not open'
    it(`of ${what} ${does} ${path}, by the flow of the path`, async () => {
      expect(await statusAt(path, await tokenAt(token, form))).to.equal(status)
    })
  }
})
