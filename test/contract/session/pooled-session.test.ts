/** The pool of sessions on the router of the run. */
import { expect } from 'chai'
import { ServiceError } from '#component/errors.ts'
import { anonymous, type Identity } from '#component/identity.ts'
import type { Session } from '#component/wamp/session.ts'
import { type PoolOptions, SessionPool } from '#component/wamp/session-pool.ts'
import { openEmbeddedRouter, openRouter, type TestRouter } from '#test/support/peers/router.ts'
import { untilHolds } from '#test/support/running/until.ts'
import { basics, failureOf, freshUri, nothing, openProxy, realm_uri } from './support.ts'
import { Watcher } from './watcher.ts'

const alice: Identity = { ...anonymous(realm_uri), authid: 'alice', authmethod: 'oauth2' }
const bob: Identity = { ...alice, authid: 'bob' }

describe('SessionPool', () => {
  let router: TestRouter
  let pool: SessionPool

  const openPool = (url: string, idleMs = 60_000, more: Partial<PoolOptions> = {}) => {
    const { realm_uri: _, auth, ...options } = basics
    return new SessionPool({ ...options, url, idleMs, authFor: () => auth, ...more })
  }

  before(async () => {
    router = await openRouter()
  })
  after(() => router.stop())
  beforeEach(() => {
    pool = openPool(router.url)
  })
  afterEach(() => pool.close())

  it('gives one session per realm to anonymous requests, at once', async () => {
    const session = pool.session(realm_uri, anonymous(realm_uri), 1000) as Session
    expect(session.isOpen).to.equal(false)
    const error = await failureOf(session.call(freshUri(), nothing, {}, 1000).result)
    expect(error).to.include({ error_uri: 'wamp.error.net_failure', wasSent: false })
    expect(await pool.open(realm_uri).joined(2000)).to.equal(true)
    expect(pool.session(realm_uri, anonymous(realm_uri), 1000)).to.equal(session)
    expect(pool.stats()).to.deep.equal({ sessions: 1, joined: 1, pending: 0, held: 0 })
  })

  it('joins one session per user on demand, and gives it to all its requests', async () => {
    const [first, second, other] = await Promise.all([
      pool.session(realm_uri, alice, 2000),
      pool.session(realm_uri, alice, 2000),
      pool.session(realm_uri, bob, 2000),
    ])
    expect(first.isOpen).to.equal(true)
    expect(second).to.equal(first)
    expect(other).to.not.equal(first)
    expect(pool.session(realm_uri, alice, 2000)).to.equal(first)
    expect(pool.stats().joined).to.equal(2)
  })

  it("gives up a user's session that is not joined in time", async () => {
    const silent = await openProxy(undefined)
    const slow = openPool(silent.url)
    const error = await failureOf(Promise.resolve(slow.session(realm_uri, alice, 30)))
    expect(error).to.include({ error_uri: 'wamp.error.net_failure', wasSent: false })
    await slow.close()
    silent.stop()
  })

  it('tells how each wait for a session of a user has ended', async () => {
    const silent = await openProxy(undefined)
    const told: string[] = []
    const onWaited = (ms: number, outcome: string) => {
      expect(ms).to.be.at.least(0)
      told.push(outcome)
    }
    const wait = async (url: string, uri: string, times = 1) => {
      const waiting = openPool(url, 60_000, { onWaited })
      for (let time = 0; time < times; time++) {
        await Promise.resolve(waiting.session(uri, alice, 200)).catch(() => undefined)
      }
      await waiting.close()
    }
    await wait(router.url, realm_uri, 2)
    await wait(router.url, 'com.example.nowhere')
    await wait('ws://127.0.0.1:1/ws', realm_uri)
    await wait(silent.url, realm_uri)
    silent.stop()
    expect(told).to.deep.equal(['ok', 'refused', 'unavailable', 'timeout'])
  })

  it('fails at once for a user while the router is away, and serves the user when it is back', async () => {
    const away = openPool('ws://127.0.0.1:1/ws')
    // longer than a test may take: what waited for it would not end
    const asked = async () => away.session(realm_uri, alice, 600_000)
    expect(await failureOf(asked())).to.include({ error_uri: 'wamp.error.net_failure' })
    // and again, between two attempts to join
    expect(await failureOf(asked())).to.include({ error_uri: 'wamp.error.net_failure' })
    await away.close()
  })

  it("leaves with a user's session that is idle", async () => {
    const brief = openPool(router.url, 40)
    const session = await brief.session(realm_uri, alice, 2000)
    brief.open(realm_uri)
    await untilHolds(() => !session.isOpen)
    expect(brief.stats().sessions).to.equal(1)
    expect(await brief.session(realm_uri, alice, 2000)).to.not.equal(session)
    await brief.close()
  })

  it('gives the session of a user to whoever is that user in the same roles', async () => {
    const session = await pool.session(realm_uri, alice, 2000)
    expect(await pool.session(realm_uri, { ...alice, session: 'another' }, 2000)).to.equal(session)
    const admin = { ...alice, authroles: ['admin'] }
    expect(await pool.session(realm_uri, admin, 2000)).to.not.equal(session)
    expect(await pool.session('com.example.realm', alice, 2000)).to.not.equal(session)
    expect(await pool.session(realm_uri, alice, 2000)).to.equal(session)
  })

  it("gives users the gateway's own session where the router cannot tell them apart", async () => {
    const service = openPool(router.url, 60_000, { identity: 'service' })
    const session = service.open(realm_uri)
    expect(service.session(realm_uri, alice, 1000)).to.equal(session)
    expect(service.session(realm_uri, bob, 1000)).to.equal(session)
    await service.close()
  })

  it('leaves with a user when told so', async () => {
    const session = await pool.session(realm_uri, alice, 2000)
    const other = await pool.session(realm_uri, bob, 2000)
    pool.dismiss('com.example.realm', ['alice'])
    expect(session.isOpen).to.equal(true)
    pool.dismiss(realm_uri, ['alice', 'nobody'])
    await untilHolds(() => !session.isOpen)
    expect(other.isOpen).to.equal(true)
    expect(pool.stats().sessions).to.equal(1)
    expect(await pool.session(realm_uri, alice, 2000)).to.not.equal(session)
  })

  it('ends the watches of a user with whom it leaves', async () => {
    const session = await pool.session(realm_uri, alice, 2000)
    const watcher = new Watcher()
    await session.watch(freshUri(), {}, 2000, watcher)
    const release = pool.hold(session)
    pool.dismiss(realm_uri, ['alice'])
    expect(watcher.told).to.deep.equal(['service.error.unauthorized'])
    release()
    expect(pool.hold(session)).to.be.a('function')
  })

  it('does not leave with a user whose session a stream holds', async () => {
    const brief = openPool(router.url, 20, { maxGuests: 1 })
    const session = await brief.session(realm_uri, alice, 2000)
    const [first, second] = [brief.hold(session), brief.hold(session)]
    first()
    first()
    const other = await brief.session(realm_uri, bob, 2000)
    // sweeps have passed
    await untilHolds(() => !other.isOpen)
    expect(session.isOpen).to.equal(true)
    second()
    await untilHolds(() => !session.isOpen)
    await brief.close()
  })

  it('lets streams hold so many sessions of users, each as often as they like', async () => {
    const few = openPool(router.url, 60_000, { maxHeld: 1 })
    const own = few.open(realm_uri)
    const [held, other] = await Promise.all([
      few.session(realm_uri, alice, 2000),
      few.session(realm_uri, bob, 2000),
    ])
    const release = few.hold(held)
    few.hold(held)()
    few.hold(own)()
    expect(few.stats().held).to.equal(1)
    expect(() => few.hold(other))
      .to.throw(ServiceError, 'streams hold as many sessions of users as they may')
      .that.includes({ uri: 'service.error.unavailable' })
      .and.has.nested.property('headers.Retry-After')
    release()
    few.hold(other)()
    await few.close()
  })

  it('leaves with the user of longest ago when there are many, but with nobody in need', async () => {
    let now = 0
    const clock = { ...basics.clock, now: () => ++now }
    const few = openPool(router.url, 60_000, { maxGuests: 2, clock })
    const first = await few.session(realm_uri, alice, 2000)
    const second = await few.session(realm_uri, bob, 2000)
    expect(few.session(realm_uri, alice, 2000)).to.equal(first)
    await few.session(realm_uri, { ...bob, authid: 'carol' }, 2000)
    await untilHolds(() => !second.isOpen)
    expect(first.isOpen).to.equal(true)
    const users = ['dave', 'erin', 'frank'].map((authid) => ({ ...bob, authid }))
    const joined = await Promise.all(users.map((user) => few.session(realm_uri, user, 2000)))
    expect(joined.every((session) => session.isOpen)).to.equal(true)
    await few.close()
  })

  it('leaves realms that are used no more, a while later, and comes back when it is asked', async () => {
    const brief = openPool(router.url, 40)
    const used = brief.open('com.example.realm')
    const session = brief.open(realm_uri)
    await Promise.all([used.joined(2000), session.joined(2000)])
    brief.keep(['com.example.realm'])
    expect(session.isOpen).to.equal(true)
    await untilHolds(() => !session.isOpen)
    expect(used.isOpen).to.equal(true)
    const again = brief.open(realm_uri)
    expect(await again.joined(2000)).to.equal(true)
    await untilHolds(() => !again.isOpen)
    await untilHolds(() => brief.stats().sessions === 1)
    await brief.close()
  })

  it('does not leave a realm while a request is under way', async () => {
    const brief = openPool(router.url, 20)
    const session = brief.open(realm_uri)
    const callee = pool.open(realm_uri)
    await Promise.all([session.joined(2000), callee.joined(2000)])
    let finish = () => {}
    const procedure = freshUri()
    await callee.register(
      procedure,
      () => new Promise((resolve) => (finish = () => resolve(nothing))),
    )
    const { result } = session.call(procedure, nothing, {}, 5000)
    brief.keep([])
    await brief.session(realm_uri, bob, 2000)
    // the other one leaves, so that sweeps have passed
    await untilHolds(() => brief.stats().sessions === 1)
    expect(session.isOpen).to.equal(true)
    finish()
    expect((await result).args).to.deep.equal([])
    await untilHolds(() => !session.isOpen)
    await brief.close()
  })

  it('knows realms that it can join from those that it cannot', async () => {
    expect(await pool.canJoin(realm_uri)).to.equal(true)
    expect(await pool.canJoin('com.example.nowhere')).to.equal(false)
    await pool.open(realm_uri).joined(2000)
    expect(await pool.canJoin(realm_uri)).to.equal(true)
    expect(pool.stats().sessions).to.equal(1)
  })

  it('has joined new realms when it has opened them all, as far as the router lets it', async () => {
    const fresh = openPool(router.url)
    await fresh.openAll(['com.example.nowhere', realm_uri])
    expect(fresh.stats()).to.include({ sessions: 2, joined: 1 })
    await fresh.close()
  })

  it('does not say that a realm is unknown when the router is away', async () => {
    const gone = await openEmbeddedRouter()
    await gone.stop()
    const away = openPool(gone.url)
    const error: unknown = await away.canJoin(realm_uri).catch((thrown: unknown) => thrown)
    expect(error).to.have.property('uri', 'service.error.unavailable')
    await away.close()
  })

  it('believes that a realm is there that it had joined before the router went away', async () => {
    const going = await openEmbeddedRouter()
    const lost = openPool(going.url)
    const session = lost.open(realm_uri)
    expect(await session.joined(2000)).to.equal(true)
    await going.stop()
    await untilHolds(() => !session.isOpen)
    expect(await lost.canJoin(realm_uri)).to.equal(true)
    await lost.close()
  })

  it('opens nothing after it was closed', async () => {
    await pool.close()
    expect(() => pool.session(realm_uri, bob, 100)).to.throw('closed')
  })
})
