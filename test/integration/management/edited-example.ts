/** The realm of examples/oauth2, edited while its users are at work: what every store must let an operator do. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { send } from '#test/support/http-request.ts'
import { joinRefusal, joinUser, type WampUser } from '#test/support/peers/wamp-user.ts'

const folder = join(import.meta.dirname, '../../../examples/oauth2')
const readExample = (name: string) =>
  JSON.parse(readFileSync(join(folder, name), 'utf8')) as Readonly<Record<string, unknown>>

const uri = 'com.example.realm'
const environment = {
  ...{ WEBAPP_SECRET: 'webapp-secret', ALICE_PASSWORD: 'wonderland' },
  ...{ BOB_PASSWORD: 'builder', ORDERS_SECRET: 'orders-secret' },
}

interface Tokens {
  readonly access_token: string
  readonly refresh_token: string
}

/** @param storeUrl a new database; undefined: the SQLite file of the gateway */
export function describeEditedExample(
  storeName: string,
  storeUrl: () => Promise<string | undefined>,
): void {
  describe(`the realm of examples/oauth2 in ${storeName}`, () => {
    let gateway: TestGateway
    let backend: WampUser
    const before_ = { ...process.env }

    before(() => void Object.assign(process.env, environment))
    after(() => {
      for (const name of Object.keys(environment)) delete process.env[name]
      Object.assign(process.env, before_)
    })
    beforeEach(async () => {
      const url = await storeUrl()
      gateway = await startGateway(url === undefined ? {} : { 'store.url': url }, {
        isEmbedded: true,
      })
      expect((await ask('POST', '', readExample('realm.json'))).status).to.equal(200)
      expect((await gateway.load(readExample('api-spec.json'))).status).to.equal(201)
      backend = await joinAs('orders', environment.ORDERS_SECRET)
      await backend.answer('com.example.order.get', () => 'order 7')
    })
    afterEach(async () => {
      await backend?.leave()
      await gateway?.stop()
    })

    const ask = (method: string, rest: string, body?: unknown, headers = {}) =>
      send(
        gateway.adminUrl,
        rest === '' && method === 'POST' ? '/realms' : `/realms/${uri}${rest}`,
        {
          ...{ method, body, headers },
        },
      )
    const joinAs = (authid: string, secret: string) =>
      joinUser(gateway.routerUrl, uri, { authid, authmethod: 'wampcra', secret })
    const token = (form: Readonly<Record<string, string>>) =>
      send(gateway.url, '/v1.0/oauth/token', {
        method: 'POST',
        headers: {
          authorization: `Basic ${Buffer.from('webapp:webapp-secret').toString('base64')}`,
          'content-type': 'application/x-www-form-urlencoded',
        },
        body: new URLSearchParams(form).toString(),
      })
    const logIn = (username: string, password: string) =>
      token({ grant_type: 'password', username, password })
    const orderStatus = async ({ access_token }: Tokens) =>
      (
        await send(gateway.url, '/v1.0/orders/7', {
          headers: { authorization: `Bearer ${access_token}` },
        })
      ).status
    const keyOf = async (username: string) => {
      const answer = await ask('POST', `/users/${username}/api_keys`, {})
      return (answer.json() as { readonly api_key: string }).api_key
    }
    /** 403 for the key of a user who manages nothing, 401 for one that is refused. */
    const statusOfKey = async (key: string) =>
      (await ask('GET', '', undefined, { authorization: `Bearer ${key}` })).status
    /** What users have, as it was given to them. */
    const given = async () => ({
      alice: (await logIn('alice', environment.ALICE_PASSWORD)).json() as Tokens,
      bob: (await logIn('bob', environment.BOB_PASSWORD)).json() as Tokens,
      key: await keyOf('alice'),
      session: await joinAs('alice', environment.ALICE_PASSWORD),
    })

    it('is what it was after get_realm and load_realm, a hundred times', async () => {
      const { alice, bob, key, session } = await given()
      const first = await ask('GET', '')
      const versions = (await ask('GET', '/versions')).json()
      for (let round = 0; round < 100; round++) {
        const shown = (await ask('GET', '')).json()
        const { status, headers } = await ask('POST', '', shown)
        expect([status, headers.etag]).to.deep.equal([200, first.headers.etag])
      }
      expect((await ask('GET', '')).json()).to.deep.equal(first.json())
      expect((await ask('GET', '/versions')).json()).to.deep.equal(versions)
      expect(await orderStatus(alice)).to.equal(200)
      expect(await orderStatus(bob)).to.equal(403)
      expect(await statusOfKey(key)).to.equal(403)
      expect(await session.attempt('call', 'com.example.order.get')).to.equal('order 7')
      await session.leave()
      const { refresh_token } = alice
      const next = await token({ grant_type: 'refresh_token', refresh_token })
      expect(await orderStatus(next.json() as Tokens)).to.equal(200)
      for (const [name, password] of [
        ['alice', environment.ALICE_PASSWORD],
        ['bob', environment.BOB_PASSWORD],
      ] as const) {
        expect((await logIn(name, password)).status, name).to.equal(200)
        await (await joinAs(name, password)).leave()
      }
    })

    it('gives a user another password by one call, and the old one back by a rollback', async () => {
      const { alice, bob, key, session } = await given()
      const { etag = '' } = (await ask('GET', '')).headers
      const set = await ask('PUT', '/users/alice', { password: 'looking-glass' })
      expect(set.status, set.text).to.equal(200)
      expect(set.json()).to.deep.include({ uri, username: 'alice', warnings: [] })
      await session.ended
      expect([await orderStatus(alice), await orderStatus(bob)]).to.deep.equal([401, 403])
      expect(await statusOfKey(key)).to.equal(401)
      expect((await logIn('alice', environment.ALICE_PASSWORD)).status).to.equal(400)
      const later = (await logIn('alice', 'looking-glass')).json() as Tokens
      expect(await orderStatus(later)).to.equal(200)
      await (await joinAs('alice', 'looking-glass')).leave()

      const hash = etag.slice(1, -1)
      const masked = { from: '[masked]', to: '[masked]' }
      expect((await ask('GET', `/versions/${hash}/diff`)).json()).to.deep.equal([
        { path: '/users/1/password', kind: 'changed', ...masked },
      ])
      const back = await ask('POST', '/rollback', { hash })
      expect([back.status, back.headers.etag]).to.deep.equal([200, etag])
      const { warnings } = back.json() as { readonly warnings: readonly { path: string }[] }
      expect(warnings.map(({ path }) => path)).to.deep.equal(['/users/1'])
      expect([await orderStatus(later), await orderStatus(bob)]).to.deep.equal([401, 403])
      expect(await orderStatus(alice)).to.equal(401)
      expect((await logIn('alice', 'looking-glass')).status).to.equal(400)
      expect((await logIn('alice', environment.ALICE_PASSWORD)).status).to.equal(200)
      expect(
        await joinRefusal(gateway.routerUrl, uri, {
          ...{ authid: 'alice', authmethod: 'wampcra', secret: 'looking-glass' },
        }),
      ).to.be.a('string')
    })
  })
}
