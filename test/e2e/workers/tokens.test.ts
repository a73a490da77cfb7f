/** Users and tokens of a gateway of several processes: what one worker has issued or ended holds on all of them once it is answered. */
import { expect } from 'chai'
import { allRoles, RouterPeer } from '#test/contract/router/peer.ts'
import {
  ask,
  askLogin,
  askRefresh,
  invalidGrant,
  logIn,
  passwords,
  refresh,
  refusalOf,
  revoke,
  shopDocument,
  shopRealm,
  shopRealmWith,
  statusOf,
} from '#test/support/examples/example-api.ts'
import { openShopBackend } from '#test/support/examples/example-backend.ts'
import { type GatewayProcess, startGatewayProcess } from '#test/support/gateway-process.ts'
import { send } from '#test/support/http-request.ts'
import { allAnswer } from '#test/support/worker-gateway.ts'

const workers = 2
/** Connections are given to the workers in turn: so many reach each of them, whoever else connects meanwhile. */
const all = Array.from({ length: workers * 4 }, (_, index) => index)

const each = <T>(value: T): T[] => all.map(() => value)

describe('users and tokens of a gateway of 2 workers', () => {
  let gateway: GatewayProcess

  before(async () => {
    gateway = await startGatewayProcess({ workers: String(workers) })
    await allAnswer(gateway, workers)
    await gateway.post('/realms', shopRealmWith())
    await gateway.post('/api_specs', shopDocument)
  })
  after(() => gateway?.kill())

  const statuses = (token: string) => Promise.all(all.map(() => statusOf(gateway.url, token)))

  // the first test: the realm has no key yet
  it('know the key that a realm gets with its first token, whoever makes it', async () => {
    const logins = await Promise.all(all.map(() => logIn(gateway.url)))
    for (const { access_token } of logins) {
      expect(await statuses(access_token)).to.deep.equal(each(200))
    }
    const sets = await Promise.all(all.map(() => send(gateway.url, '/shop/oauth/jwks')))
    expect(new Set(sets.map(({ text }) => text)).size).to.equal(1)
    const { keys } = JSON.parse(sets[0]?.text ?? '') as { readonly keys: readonly unknown[] }
    // two that make the first one at the same moment keep both
    expect(keys.length).to.be.within(1, workers)
  })

  it('know the first key of a realm that is new', async () => {
    const uri = 'com.example.later'
    const document = {
      ...shopDocument,
      ...{ id: uri, realm_uri: uri },
      versions: { 1: { ...shopDocument.versions['1.0.0'], base_path: '/later' } },
    }
    await gateway.post('/realms', { ...shopRealmWith(), uri })
    await gateway.post('/api_specs', document)
    const form = { grant_type: 'password', username: 'ada', password: passwords.ada }
    const credentials = { client_id: 'app', client_secret: passwords.app }
    const answer = await send(gateway.url, '/later/oauth/token', {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ ...form, ...credentials }).toString(),
    })
    expect(answer.status, answer.text).to.equal(200)
    const { access_token } = answer.json() as { readonly access_token: string }
    const headers = { authorization: `Bearer ${access_token}` }
    const answers = await Promise.all(all.map(() => send(gateway.url, '/later/me', { headers })))
    expect(answers.map(({ status }) => status)).to.deep.equal(each(200))
    expect(await statuses(access_token), 'in another realm').to.deep.equal(each(401))
  })

  it('call as the user over the one router, whose grants decide', async () => {
    const backend = await openShopBackend(gateway.routerUrl)
    try {
      const [ada, bob] = [await logIn(gateway.url), await logIn(gateway.url, 'bob')]
      const asked = await Promise.all([
        ...all.map(() => ask(gateway.url, ada.access_token, '/order')),
        ...all.map(() => ask(gateway.url, bob.access_token, '/order')),
      ])
      const told = asked.map(({ status, json }) => [status, json()])
      expect(told.slice(0, all.length)).to.deep.equal(each([200, 'ada']))
      const refused = told.slice(all.length)
      expect(refused.map(([status]) => status)).to.deep.equal(each(403))
      expect(JSON.stringify(refused)).to.include('wamp.error.not_authorized')
    } finally {
      backend.cut()
    }
  })

  it('renew a token once, whichever of them are asked, and repeat the answer', async () => {
    let { refresh_token } = await logIn(gateway.url)
    for (const _ of all) {
      const answers = await Promise.all(all.map(() => refresh(gateway.url, refresh_token)))
      const successors = new Set(answers.map((answer) => answer.refresh_token))
      expect(successors.size).to.equal(1)
      expect(await statuses(answers[0]?.access_token ?? '')).to.deep.equal(each(200))
      const [successor = ''] = successors
      expect(successor).to.not.equal(refresh_token)
      refresh_token = successor
    }
  })

  it('refuse a token that is used again much later, and end its family', async () => {
    const first = await logIn(gateway.url)
    const second = await refresh(gateway.url, first.refresh_token)
    const third = await refresh(gateway.url, second.refresh_token)
    // two generations ago: that is no repeat
    expect(refusalOf(await askRefresh(gateway.url, first.refresh_token))).to.deep.equal(
      invalidGrant,
    )
    for (const { access_token } of [first, second, third]) {
      expect(await statuses(access_token)).to.deep.equal(each(401))
    }
    for (const _ of all) {
      expect(refusalOf(await askRefresh(gateway.url, third.refresh_token))).to.deep.equal(
        invalidGrant,
      )
    }
  })

  it('refuse a token once its revocation is answered', async () => {
    for (const _ of all) {
      const { access_token, refresh_token } = await logIn(gateway.url)
      expect(await statuses(access_token)).to.deep.equal(each(200))
      expect(await revoke(gateway.url, access_token)).to.equal(200)
      expect(await statuses(access_token)).to.deep.equal(each(401))
      const next = await refresh(gateway.url, refresh_token)
      expect(await statuses(next.access_token)).to.deep.equal(each(200))
      expect(await revoke(gateway.url, next.refresh_token)).to.equal(200)
      expect(await statuses(next.access_token)).to.deep.equal(each(401))
    }
  })

  it('take an API key once it is issued, and not once all of its user is revoked', async () => {
    const path = `/realms/${shopRealm}/users/bob`
    const issued = await send(gateway.adminUrl, `${path}/api_keys`, { method: 'POST', body: {} })
    const { api_key } = issued.json() as { readonly api_key: string }
    const answers = async () =>
      Promise.all(
        all.map(async () => {
          const headers = { 'x-key': api_key }
          return (await send(gateway.url, '/shop/key', { headers })).status
        }),
      )
    expect(await answers()).to.deep.equal(each(200))
    await gateway.post(`${path}/revoke_all`, {})
    expect(await answers()).to.deep.equal(each(401))
  })

  it('know nothing of a user once it is disabled, on WAMP neither', async () => {
    const hello = { roles: allRoles, authmethods: ['ticket'], authid: 'ada' }
    const join = async () => {
      const peer = await RouterPeer.open(gateway.routerUrl)
      const [code] = await peer.ask(1, shopRealm, hello)
      return { peer, answer: code === 4 ? await peer.ask(5, passwords.ada, {}) : [code] }
    }
    const { peer, answer } = await join()
    expect(answer[0]).to.equal(2)
    const { access_token, refresh_token } = await logIn(gateway.url)
    await gateway.post('/realms', shopRealmWith({ enabled: false }))
    expect(await statuses(access_token)).to.deep.equal(each(401))
    const logins = await Promise.all(all.map(() => askLogin(gateway.url)))
    for (const refused of logins) expect(refusalOf(refused)).to.deep.equal(invalidGrant)
    const [code, , reason] = await peer.next()
    expect([code, reason]).to.deep.equal([6, 'wamp.close.killed'])
    expect((await join()).answer[0]).to.equal(3)
    await gateway.post('/realms', shopRealmWith())
    expect(await statuses(access_token), 'enabled again').to.deep.equal(each(401))
    for (const _ of all) {
      expect(refusalOf(await askRefresh(gateway.url, refresh_token))).to.deep.equal(invalidGrant)
    }
    const next = await logIn(gateway.url)
    expect(await statuses(next.access_token)).to.deep.equal(each(200))
  })
})
