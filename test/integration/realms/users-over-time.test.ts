/** What becomes of users and their tokens as time passes and realms change, over HTTP and WAMP, on the embedded router. */
import { expect } from 'chai'
import { RouterPeer } from '#test/contract/router/peer.ts'
import {
  ask,
  askLogin,
  askRefresh,
  invalidGrant,
  logIn,
  orderProcedure,
  passwords,
  refresh,
  refusalOf,
  shopDocument,
  shopRealm,
  shopRealmWith,
  statusOf,
} from '#test/support/examples/example-api.ts'
import { openShopBackend } from '#test/support/examples/example-backend.ts'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { send } from '#test/support/http-request.ts'
import { joinRefusal, joinUser } from '#test/support/peers/wamp-user.ts'
import { movedClock } from '#test/support/running/moved-clock.ts'

const source = (usernames: readonly string[], authmethod: string, cidr = '0.0.0.0/0') => ({
  ...{ usernames, authmethod, cidr },
})
const password = 'the password of all three'
const owner = (username: string) => ({ username, password, groups: ['resource_owners'] })

/** Three more owners, each of whom lacks one thing that a login needs, and one who lacks nothing. */
function realmOfSources() {
  const { users, ...realm } = shopRealmWith()
  return {
    ...realm,
    users: [...users, ...['no_oauth2', 'no_base', 'elsewhere', 'local'].map(owner)],
    sources: [
      source(['app', 'no_oauth2', 'local'], 'wampcra'),
      source(['ada', 'no_base', 'elsewhere', 'local'], 'oauth2'),
      source(['no_base'], 'ticket'),
      source(['elsewhere'], 'wampcra', '203.0.113.0/24'),
    ],
  }
}

describe('users of a realm', () => {
  let gateway: TestGateway
  let backend: Awaited<ReturnType<typeof openShopBackend>>
  const clock = movedClock()
  const load = async (body: unknown) => {
    const answer = await send(gateway.adminUrl, '/realms', { method: 'POST', body })
    expect(answer.status, answer.text).to.be.oneOf([200, 201])
  }
  const loginOf = (authid: 'ada' | 'bob') =>
    ({ authid, authmethod: 'wampcra', secret: passwords[authid] }) as const
  const join = (authid: 'ada' | 'bob') => joinUser(gateway.routerUrl, shopRealm, loginOf(authid))

  beforeEach(async () => {
    clock.aheadMs = 0
    gateway = await startGateway({}, { clock, isEmbedded: true })
    await load(shopRealmWith())
    await gateway.mustLoad(shopDocument)
    backend = await openShopBackend(gateway.routerUrl)
  })
  afterEach(async () => {
    clock.start()
    backend?.cut()
    await gateway?.stop()
  })

  it('lose all that came of a refresh token which is used again after the grace', async () => {
    const { url } = gateway
    const [first, another] = [await logIn(url), await logIn(url)]
    clock.stop()
    const second = await refresh(url, first.refresh_token)
    clock.aheadMs += 9_000
    const repeated = await refresh(url, first.refresh_token)
    expect(repeated.refresh_token, 'within the grace').to.equal(second.refresh_token)
    const tokens = [first, second, repeated].map(({ access_token }) => access_token)
    for (const token of tokens) expect(await statusOf(url, token)).to.equal(200)
    clock.aheadMs += 2_000
    expect(refusalOf(await askRefresh(url, first.refresh_token))).to.deep.equal(invalidGrant)
    for (const token of tokens) expect(await statusOf(url, token)).to.equal(401)
    expect(refusalOf(await askRefresh(url, second.refresh_token))).to.deep.equal(invalidGrant)
    expect(await statusOf(url, another.access_token), 'another login').to.equal(200)
    expect((await askRefresh(url, another.refresh_token)).status).to.equal(200)
  })

  it('have an access token until it expires', async () => {
    clock.stop()
    const { access_token, expires_in } = await logIn(gateway.url)
    clock.aheadMs += (expires_in - 5) * 1000
    expect(await statusOf(gateway.url, access_token)).to.equal(200)
    clock.aheadMs += 6_000
    expect(await statusOf(gateway.url, access_token)).to.equal(401)
  })

  it('have no tokens without the source of their method, without one for oauth2, or from elsewhere', async () => {
    await load(realmOfSources())
    for (const name of ['no_oauth2', 'no_base', 'elsewhere']) {
      const refusal = refusalOf(await askLogin(gateway.url, name, password))
      expect(refusal, name).to.deep.equal(invalidGrant)
    }
    expect((await askLogin(gateway.url, 'local', password)).status).to.equal(200)
  })

  it('may do what they are granted, and nothing else, over HTTP and WAMP', async () => {
    for (const [name, status, expected, overWamp] of [
      ['ada', 200, 'ada', null], // who does not disclose itself is not told to the backend
      ['bob', 403, 'wamp.error.not_authorized', 'wamp.error.not_authorized'],
    ] as const) {
      const { access_token } = await logIn(gateway.url, name)
      const answer = await ask(gateway.url, access_token, '/order')
      const body = answer.json() as string | { readonly code: string }
      const found = typeof body === 'string' ? body : body.code
      expect([answer.status, found]).to.deep.equal([status, expected])
      const user = await join(name)
      expect(await user.attempt('call', orderProcedure)).to.equal(overWamp)
      await user.leave()
    }
  })

  it('lose everything, and at once, when they are disabled; not by being enabled again', async () => {
    const { url, adminUrl, routerUrl } = gateway
    const [old, another] = [await logIn(url), await logIn(url, 'bob')]
    const path = `/realms/${shopRealm}/users/ada/api_keys`
    const issued = await send(adminUrl, path, { method: 'POST', body: {} })
    const { api_key } = issued.json() as { readonly api_key: string }
    const statusOfKey = async () =>
      (await send(url, '/shop/key', { headers: { 'x-key': api_key } })).status
    expect(await statusOfKey()).to.equal(200)
    expect((await ask(url, old.access_token, '/order')).status).to.equal(200)
    const peer = await RouterPeer.open(routerUrl)
    const roles = { caller: {}, subscriber: {} }
    await peer.ask(1, shopRealm, { roles, authmethods: ['ticket'], authid: 'ada' })
    expect((await peer.ask(5, passwords.ada, {}))[0]).to.equal(2)
    const bob = await join('bob')

    await load(shopRealmWith({ enabled: false }))
    const [code, , reason] = await peer.next()
    expect([code, reason]).to.deep.equal([6, 'wamp.close.killed'])
    expect(await joinRefusal(routerUrl, shopRealm, loginOf('ada'))).to.equal(
      'wamp.error.authentication_failed',
    )
    for (const path of ['/me', '/order']) {
      expect((await ask(url, old.access_token, path)).status, path).to.equal(401)
    }
    expect(await statusOfKey()).to.equal(401)
    for (const answer of [await askRefresh(url, old.refresh_token), await askLogin(url)]) {
      expect(refusalOf(answer)).to.deep.equal(invalidGrant)
    }
    expect(await statusOf(url, another.access_token), 'of bob').to.equal(200)
    expect(await bob.attempt('call', orderProcedure)).to.equal('wamp.error.not_authorized')
    await bob.leave()

    await load(shopRealmWith())
    expect(await statusOf(url, old.access_token), 'what was issued before').to.equal(401)
    expect(refusalOf(await askRefresh(url, old.refresh_token))).to.deep.equal(invalidGrant)
    expect(await statusOfKey()).to.equal(401)
    expect(await statusOf(url, (await logIn(url)).access_token)).to.equal(200)
    expect(await joinRefusal(routerUrl, shopRealm, loginOf('ada'))).to.equal('joined')
  })
})
