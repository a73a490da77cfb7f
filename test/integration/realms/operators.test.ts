/** Operators of one realm on a listener that serves management, too: what belongs to others stays out of their reach. */
import { expect } from 'chai'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { send } from '#test/support/http-request.ts'

const [admin, one, other] = ['com.example.admin', 'com.example.one', 'com.example.other']

const realmOf = (uri: string) => ({
  uri,
  authmethods: ['anonymous', 'wampcra', 'oauth2'],
  users: [{ username: 'ops', groups: ['spec_loader'] }],
})

/** A document that shows to whoever asks what was sent to it. */
const specOf = (id: string, realm_uri: string, path: string, more: object = {}) => ({
  id,
  host: '_',
  realm_uri,
  versions: {
    '1.0.0': {
      base_path: '/',
      paths: {
        [path]: Object.fromEntries(
          ['get', 'post'].map((method) => [
            method,
            {
              action: { type: 'static', body: { id, sent: '{{request.headers}}' } },
              response: { on_result: {}, on_error: {} },
            },
          ]),
        ),
      },
    },
  },
  ...more,
})

describe('operators of one realm', () => {
  let gateway: TestGateway
  const keys = new Map<string, string>()

  const as = (realm: string) => ({ authorization: `Bearer ${keys.get(realm)}` })
  const load = async (realm: string, body: unknown) => {
    const answer = await send(gateway.url, '/api_specs', {
      ...{ method: 'POST', headers: as(realm), body },
    })
    const { code, message, warnings } = answer.json() as {
      code?: string
      message?: string
      warnings?: readonly { readonly message: string }[]
    }
    return { status: answer.status, code, message, warnings }
  }

  before(async () => {
    gateway = await startGateway({ 'admin.realm': admin }, { isEmbedded: true })
    for (const uri of [admin, one, other]) {
      const { adminUrl } = gateway
      const body = realmOf(uri)
      const loaded = await send(adminUrl, '/services/load_realm', { method: 'POST', body })
      expect(loaded.status, loaded.text).to.be.within(200, 201)
      const issued = await send(adminUrl, `/realms/${uri}/users/ops/api_keys`, {
        ...{ method: 'POST', body: {} },
      })
      expect(issued.status, issued.text).to.equal(201)
      keys.set(uri, (issued.json() as { readonly api_key: string }).api_key)
    }
  })
  after(() => gateway.stop())

  for (const [path, target] of [
    ['/services/issue_api_key', '/services/issue_api_key'],
    ['/realms', '/realms'],
    ['/:_[/:_]', '/realms'],
    ['/[...]', '/services/registry_status'],
    ['/services/issue%5Fapi_key', '/services/issue_api_key'],
  ] as const) {
    it(`do not get what is sent to management by ${path}`, async () => {
      const refused = await load(other, specOf('taker', other, path))
      expect([refused.status, refused.code]).to.deep.equal([403, 'wamp.error.not_authorized'])
      expect(refused.message).to.include(`the route ${path} `)
      const headers = { ...as(admin), 'content-type': 'application/json' }
      const method = target.startsWith('/services') ? 'POST' : 'GET'
      const answer = await send(gateway.url, target, {
        ...{ method, headers, ...(method === 'POST' && { body: {} }) },
      })
      expect(answer.text)
        .to.not.include('taker')
        .and.not.include(String(keys.get(admin)))
    })
  }

  it('do not get what is sent to another realm', async () => {
    const security = { type: 'oauth2', flow: 'client_credentials' }
    const owned = specOf('owned', one, '/v1/orders/:id', { defaults: { security } })
    expect((await load(one, owned)).status).to.equal(201)
    for (const wanted of [
      specOf('taker', other, '/oauth/token', { host: '127.0.0.1' }),
      specOf('taker', other, '/v1/orders/7'),
      specOf('taker', other, '/v1/[...]', { host: ':_.:_.:_.:_' }),
      specOf('taker', other, '/mine', { host: '127.0.0.1', defaults: { security } }),
    ]) {
      const refused = await load(other, wanted)
      expect([refused.status, refused.code]).to.deep.equal([403, 'wamp.error.not_authorized'])
      expect(refused.message).to.match(/matches requests that belong to another realm$/)
      expect(refused.message).to.not.include('owned').and.not.include(one)
    }
    expect((await send(gateway.url, '/v1/orders/7')).status).to.equal(401)
    expect((await load(other, specOf('apart', other, '/v1/mine'))).status).to.equal(201)
    expect((await send(gateway.url, '/v1/mine')).json()).to.include({ id: 'apart' })
  })

  it('whereas operators of all realms are only warned', async () => {
    const { status, warnings } = await load(admin, specOf('both', other, '/v1/orders/8'))
    expect(status).to.equal(201)
    expect(warnings?.map(({ message }) => message).join()).to.include('/v1/orders/:id of owned')
  })
})
