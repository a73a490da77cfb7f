/** Streams end with the rights of their users: what is revoked, has expired, or is not granted any more. */
import { expect } from 'chai'
import type { EventStream } from '#test/support/event-stream.ts'
import { basicOf, logIn, passwords, revoke, shopRealm } from '#test/support/examples/example-api.ts'
import {
  asAda,
  bearer,
  endOf,
  expectAlive,
  issueKey,
  keyed,
  type LiveChanges,
  liveDocument,
  liveRealm,
  manage,
  watch,
  within,
} from '#test/support/examples/live-api.ts'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { send } from '#test/support/http-request.ts'
import { movedClock } from '#test/support/running/moved-clock.ts'

const unauthorized = 'service.error.unauthorized'

describe('a stream', () => {
  const clock = movedClock()
  let gateway: TestGateway
  let open: EventStream[]

  const change = (changes?: LiveChanges) => manage(gateway.adminUrl, '/realms', liveRealm(changes))

  before(async () => {
    const settings = { 'rate_limits.user_failures': '1' }
    gateway = await startGateway(settings, { isEmbedded: true, clock })
    await change()
    await gateway.mustLoad(liveDocument())
  })
  after(() => gateway.stop())

  beforeEach(() => {
    open = []
  })
  afterEach(async () => {
    for (const stream of open) stream.close()
    await change()
  })

  /** A stream that has shown an event. */
  async function watched(
    ...[way, headers]: [Parameters<typeof watch>[1], Record<string, string>?]
  ) {
    const stream = await watch(gateway.url, way, headers)
    open.push(stream)
    await expectAlive(gateway.url, stream)
    return stream
  }

  const ended = (stream: EventStream) => within('the end', endOf(stream))

  for (const way of ['token', 'gateway'] as const) {
    it(`by ${way} ends when its access token is revoked, and the same user's other one goes on`, async () => {
      const [one, other] = [await logIn(gateway.url), await logIn(gateway.url)]
      const stream = await watched(way, bearer(one.access_token))
      const another = await watched(way, bearer(other.access_token))
      expect(await revoke(gateway.url, one.access_token)).to.equal(200)
      expect(await ended(stream)).to.equal(unauthorized)
      await expectAlive(gateway.url, another)
    })

    it(`by ${way} ends with the login that its token came from`, async () => {
      const { access_token, refresh_token } = await logIn(gateway.url)
      const stream = await watched(way, bearer(access_token))
      expect(await revoke(gateway.url, refresh_token)).to.equal(200)
      expect(await ended(stream)).to.equal(unauthorized)
    })

    it(`by ${way} ends when its user is disabled, and those of others go on`, async () => {
      const { access_token } = await logIn(gateway.url)
      const bob = await logIn(gateway.url, 'bob')
      const stream = await watched(way, bearer(access_token))
      const other = await watched(way, bearer(bob.access_token))
      await change({ ofAda: { enabled: false } })
      expect(await ended(stream)).to.equal(unauthorized)
      await expectAlive(gateway.url, other)
    })

    it(`by ${way} ends when the roles of its user change`, async () => {
      const { access_token } = await logIn(gateway.url)
      const stream = await watched(way, bearer(access_token))
      await change({ ofAda: { groups: ['resource_owners'] } })
      expect(await ended(stream)).to.equal(unauthorized)
    })

    it(`by ${way} ends when all of its user is revoked`, async () => {
      const { access_token } = await logIn(gateway.url)
      const stream = await watched(way, bearer(access_token))
      await manage(gateway.adminUrl, `/realms/${shopRealm}/users/ada/revoke_all`, {})
      expect(await ended(stream)).to.equal(unauthorized)
    })
  }

  it('that is asked for one event as JSON is 401 when its access token is revoked meanwhile', async () => {
    const { access_token } = await logIn(gateway.url)
    const headers = { ...bearer(access_token), accept: 'application/json' }
    const asked = send(gateway.url, '/shop/live/one', { headers })
    // a stream of the same topic that was asked for later has begun
    open.push(await watch(gateway.url, 'gateway', bearer(access_token)))
    expect(await revoke(gateway.url, access_token)).to.equal(200)
    const answer = await within('the answer', asked)
    expect(answer.status, answer.text).to.equal(401)
    expect(answer.headers['www-authenticate']).to.include('error="invalid_token"')
  })

  it('ends when its access token expires', async () => {
    const { access_token, expires_in } = await logIn(gateway.url)
    const stream = await watched('token', bearer(access_token))
    const anonymous = await watched('open')
    clock.aheadMs += expires_in * 1_000
    expect(await ended(stream)).to.equal(unauthorized)
    await expectAlive(gateway.url, anonymous)
    const again = await send(gateway.url, '/shop/live/token', { headers: bearer(access_token) })
    expect(again.status).to.equal(401)
  })

  it('ends when its API key is revoked, and that of another key goes on', async () => {
    const [one, other] = [await issueKey(gateway.adminUrl), await issueKey(gateway.adminUrl)]
    const stream = await watched('key', keyed(one.api_key))
    const another = await watched('key', keyed(other.api_key))
    await manage(gateway.adminUrl, `/api_keys/${one.id}`, undefined, 'DELETE')
    expect(await ended(stream)).to.equal(unauthorized)
    await expectAlive(gateway.url, another)
  })

  it('ends when its password is another one, and a wrong password is not counted', async () => {
    const stream = await watched('basic', asAda)
    const bob = await watched('basic', { authorization: basicOf('bob', passwords.bob) })
    await change({ ofAda: { password: 'another one' } })
    expect(await ended(stream)).to.equal(unauthorized)
    await watched('basic', { authorization: basicOf('ada', 'another one') })
    await expectAlive(gateway.url, bob)
  })

  it('goes on when its realm changes in what does not concern it', async () => {
    const { access_token } = await logIn(gateway.url)
    const { api_key } = await issueKey(gateway.adminUrl)
    const streams = [
      await watched('token', bearer(access_token)),
      await watched('gateway', bearer(access_token)),
      await watched('key', keyed(api_key)),
      await watched('basic', asAda),
      await watched('open'),
    ]
    await change({ watchers: ['all', 'customers'] })
    for (const stream of streams) await expectAlive(gateway.url, stream)
  })

  it('ends when the grant for its topic is taken away, and those with the grant go on', async () => {
    const [ada, bob] = [await logIn(gateway.url), await logIn(gateway.url, 'bob')]
    const stream = await watched('token', bearer(bob.access_token))
    const other = await watched('token', bearer(ada.access_token))
    await change({ watchers: ['customers'] })
    expect(await ended(stream)).to.equal('wamp.error.not_authorized')
    await expectAlive(gateway.url, other)
  })

  it('is refused with 403 where its user has no grant to subscribe', async () => {
    await change({ watchers: ['customers'] })
    const { access_token } = await logIn(gateway.url, 'bob')
    const answer = await send(gateway.url, '/shop/live/token', { headers: bearer(access_token) })
    expect(answer.status).to.equal(403)
  })

  it('beyond limits.streams_per_identity is refused with 429, those of others are not', async () => {
    const [ada, bob] = [await logIn(gateway.url), await logIn(gateway.url, 'bob')]
    const headers = bearer(ada.access_token)
    for (let count = 0; count < 20; count++) {
      open.push(await watch(gateway.url, count % 2 === 0 ? 'token' : 'gateway', headers))
    }
    const answer = await send(gateway.url, '/shop/live/token', { headers })
    expect(answer.status).to.equal(429)
    await watched('token', bearer(bob.access_token))
    open[0]?.close()
    let again = await watch(gateway.url, 'token', headers)
    while (again.status === 429) again = await watch(gateway.url, 'token', headers)
    open.push(again)
    await expectAlive(gateway.url, again)
  })
})
