/** The pool of sessions on the router of the run. */
import { expect } from 'chai'
import { anonymous, type Identity } from '#component/identity.ts'
import type { Session } from '#component/wamp/session.ts'
import { SessionPool } from '#component/wamp/session-pool.ts'
import { openEmbeddedRouter, openRouter, type TestRouter } from '#test/support/router.ts'
import {
  basics,
  failureOf,
  freshUri,
  nothing,
  openProxy,
  realm_uri,
  until,
} from './session-support.ts'

const alice: Identity = { ...anonymous(realm_uri), authid: 'alice', authmethod: 'oauth2' }
const bob: Identity = { ...alice, authid: 'bob' }

describe('SessionPool', () => {
  let router: TestRouter
  let pool: SessionPool

  const openPool = (url: string, idleMs = 60_000) => {
    const { realm_uri: _, auth, ...options } = basics
    return new SessionPool({ ...options, url, idleMs, authFor: () => auth })
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
    expect(pool.stats()).to.deep.equal({ sessions: 1, joined: 1, pending: 0 })
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

  it("leaves with a user's session that is idle", async () => {
    const brief = openPool(router.url, 40)
    const session = await brief.session(realm_uri, alice, 2000)
    brief.open(realm_uri)
    await until(() => !session.isOpen)
    expect(brief.stats().sessions).to.equal(1)
    expect(await brief.session(realm_uri, alice, 2000)).to.not.equal(session)
    await brief.close()
  })

  it('leaves a realm when told so', async () => {
    const session = pool.open(realm_uri)
    await session.joined(2000)
    await pool.leave(realm_uri)
    expect(session.isOpen).to.equal(false)
    expect(pool.stats().sessions).to.equal(0)
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

  it('opens nothing after it was closed', async () => {
    await pool.close()
    expect(() => pool.session(realm_uri, bob, 100)).to.throw('closed')
  })
})
