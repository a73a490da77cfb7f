/** Users where the router cannot tell who they are, or is not meant to: what their calls come to, and what is said at the start. */
import { expect } from 'chai'
import { openLog } from '#component/log.ts'
import { ask, logIn, shopDocument, shopRealmWith } from '#test/support/examples/example-api.ts'
import { openShopBackend } from '#test/support/examples/example-backend.ts'
import { type GatewaySetup, startGateway, type TestGateway } from '#test/support/gateway.ts'
import { send } from '#test/support/http-request.ts'
import { openEmbeddedRouter, type TestRouter } from '#test/support/peers/router.ts'

type Settings = Readonly<Record<string, string>>

/** A started gateway with realm and API, and the settings that it has warned about. */
async function startShop(settings: Settings, setup: GatewaySetup = {}) {
  let logged = ''
  const log = openLog('warn', {
    write(line) {
      logged += line
    },
  })
  const gateway = await startGateway(settings, { ...setup, log })
  const lines = logged.split('\n').filter((line) => line !== '')
  const warned = lines.map((line) => (JSON.parse(line) as { readonly setting?: string }).setting)
  const loaded = await send(gateway.adminUrl, '/realms', { method: 'POST', body: shopRealmWith() })
  expect(loaded.status, loaded.text).to.be.oneOf([200, 201])
  await gateway.mustLoad(shopDocument)
  return { gateway, warned }
}

/** What `/order` answers to an owner. */
async function orderOf({ url }: TestGateway, username: 'ada' | 'bob') {
  const { access_token } = await logIn(url, username)
  expect((await ask(url, access_token)).json()).to.equal(username)
  const answer = await ask(url, access_token, '/order')
  return { status: answer.status, body: answer.json() as Readonly<Record<string, string>> }
}

describe('users on a router that knows nothing of them', () => {
  let router: TestRouter
  let backend: Awaited<ReturnType<typeof openShopBackend>>
  before(async () => {
    router = await openEmbeddedRouter()
    backend = await openShopBackend(router.url, true)
  })
  after(async () => {
    backend?.cut()
    await router?.stop()
  })

  it('are told that it takes no tickets, and open paths work', async () => {
    const { gateway, warned } = await startShop({ 'wamp.url': router.url })
    try {
      expect(warned).to.include('wamp.auth').and.not.include('wamp.identity')
      for (const username of ['ada', 'bob'] as const) {
        const { status, body } = await orderOf(gateway, username)
        expect([status, body.code]).to.deep.equal([500, 'wamp.error.authorization_failed'])
        expect(body.message).to.include('does not accept tickets')
      }
      expect((await send(gateway.url, '/shop/open')).status).to.equal(200)
    } finally {
      await gateway.stop()
    }
  })

  it('call as the gateway with wamp.identity: service, who asks is checked all the same', async () => {
    const settings = { 'wamp.url': router.url, 'wamp.identity': 'service' }
    const { gateway, warned } = await startShop(settings)
    try {
      expect(warned).to.include('wamp.identity').and.not.include('wamp.auth')
      for (const username of ['ada', 'bob'] as const) {
        expect(await orderOf(gateway, username)).to.deep.equal({ status: 200, body: 'anonymous' })
      }
      expect((await ask(gateway.url, 'none', '/order')).status).to.equal(401)
    } finally {
      await gateway.stop()
    }
  })
})

describe('users on the embedded router', () => {
  const setup = { isEmbedded: true }

  it('call as themselves, and nothing is warned about', async () => {
    const { gateway, warned } = await startShop({}, setup)
    const backend = await openShopBackend(gateway.routerUrl)
    try {
      expect(warned).to.not.include.members(['wamp.identity', 'wamp.auth'])
      expect(await orderOf(gateway, 'ada')).to.deep.equal({ status: 200, body: 'ada' })
      expect((await orderOf(gateway, 'bob')).status).to.equal(403)
    } finally {
      backend.cut()
      await gateway.stop()
    }
  })

  it('have no more rights than anybody with wamp.identity: service', async () => {
    const { gateway, warned } = await startShop({ 'wamp.identity': 'service' }, setup)
    const backend = await openShopBackend(gateway.routerUrl)
    try {
      expect(warned).to.include('wamp.identity')
      for (const username of ['ada', 'bob'] as const) {
        const { status, body } = await orderOf(gateway, username)
        expect([status, body.code]).to.deep.equal([403, 'wamp.error.not_authorized'])
      }
    } finally {
      backend.cut()
      await gateway.stop()
    }
  })
})
