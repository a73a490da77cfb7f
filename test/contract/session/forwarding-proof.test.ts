/** Routers that do not show the user whom the gateway names: nothing is sent for users there, and the log says why. */
import { expect } from 'chai'
import { gatewayAuthid } from '#component/realm/policy.ts'
import { Router } from '#component/router/router.ts'
import { openPolicy } from '#test/support/examples/open-policy.ts'
import { movedClock } from '#test/support/running/moved-clock.ts'
import { untilHolds } from '#test/support/running/until.ts'
import { adaNow, callOn, type Forwarding, staff, startForwarding } from './forwarding-setup.ts'
import { failureOf, realm_uri } from './support.ts'

const unproven = { error_uri: 'wamp.error.authorization_failed', wasSent: false }

describe('what users call where the router does not show them', () => {
  let set: Forwarding

  beforeEach(async () => {
    set = await startForwarding()
  })
  afterEach(() => set.stop())

  /** The failure of a request over another pool, which is closed. */
  const failureOver = async (pool: Forwarding['pool']) => {
    const error = await failureOf((async () => pool.session(realm_uri, adaNow, 4000, staff))())
    await pool.close()
    return error
  }

  it('is refused, and the log says what to do before there is a request', async () => {
    set.changed.mayForward = () => false
    await set.pool.openForwarders([realm_uri])
    expect(set.logged).to.have.length(1)
    expect(set.logged[0]).to.match(/^error: the router does not show the user/)
    const error = await failureOf(set.open(adaNow))
    expect(error).to.include(unproven)
    expect(error.message).to.include('forward_for').and.include('wamp.identity')
    expect(set.logged).to.have.length(1)
  })

  it('is sent as soon as the router shows them, some seconds later', async () => {
    const clock = movedClock()
    const pool = set.openPool(undefined, { clock })
    const ask = async () => pool.session(realm_uri, adaNow, 4000, staff)
    set.changed.mayForward = () => false
    expect(await failureOf(ask())).to.include(unproven)
    set.changed.mayForward = () => true
    expect(await failureOf(ask())).to.include(unproven)
    clock.aheadMs = 10_000
    expect((await callOn(await ask())).args[0]).to.include({ caller_authid: 'ada' })
    await pool.close()
  })

  it('is not sent after the session has joined again, until the router shows them anew', async () => {
    const session = await set.open(adaNow)
    expect(session.isOpen).to.equal(true)
    set.changed.mayForward = () => false
    set.router.closeSessions(realm_uri, ({ authid }) => authid === gatewayAuthid)
    await untilHolds(() => !session.isOpen)
    const notSent = { error_uri: 'wamp.error.net_failure', wasSent: false }
    expect(await failureOf(callOn(session))).to.include(notSent)
    expect(await failureOf(set.open(adaNow))).to.include(unproven)
    expect(session.isOpen).to.equal(false)
    expect(await failureOf(callOn(session))).to.include(notSent)
  })

  it('is refused where the gateway joins in another role', async () => {
    const pool = set.openPool({ authmethod: 'wampcra', authid: 'joe', secret: 'pw' })
    expect(await failureOver(pool)).to.include(unproven)
    expect(set.logged[0]).to.match(/^error: the router does not let the gateway publish/)
  })

  it('is refused where the gateway may not join', async () => {
    const pool = set.openPool({ authmethod: 'wampcra', authid: 'joe', secret: 'wrong' })
    expect(await failureOver(pool)).to.include(unproven)
  })

  it('is refused on a router that lets everybody send everything, and believes nobody', async () => {
    const router = new Router({ policy: openPolicy([realm_uri]) })
    const pool = set.openPool({ authmethod: 'anonymous' }, { openLink: router.openLink })
    expect(await failureOver(pool)).to.include(unproven)
    await router.close()
  })

  it('fails while the router is away, and nothing is said of its configuration', async () => {
    await set.router.close()
    const error = await failureOf(set.open(adaNow))
    expect(error).to.include({ error_uri: 'wamp.error.net_failure', wasSent: false })
    expect(set.logged.filter((line) => line.startsWith('error'))).to.deep.equal([])
  })
})
