/** What users call and publish over the session of the gateway, on the embedded router: callees see the user, whose grants decide. */
import { expect } from 'chai'
import type { Identity } from '#component/identity.ts'
import { untilHolds } from '#test/support/running/until.ts'
import {
  ada,
  adaNow,
  backend,
  callOn,
  documentOf,
  type Forwarding,
  identityFor,
  joe,
  staff,
  startForwarding,
} from './forwarding-setup.ts'
import { failureOf, nothing, realm_uri } from './support.ts'

describe('what a user calls and publishes over the session of the gateway', () => {
  let set: Forwarding

  beforeEach(async () => {
    set = await startForwarding()
  })
  afterEach(() => set.stop())

  const seen = async (identity: Identity, procedure = staff) => {
    const { args } = await callOn(await set.open(identity, procedure), procedure)
    return args[0] as Record<string, unknown>
  }

  it('shows the callee the user, in the first role', async () => {
    expect(await seen(adaNow)).to.include({ caller_authid: 'ada', caller_authrole: 'staff' })
    const joeNow = identityFor('joe', ['joe'])
    expect(await seen(joeNow, 'com.joe.who')).to.include({
      ...{ caller_authid: 'joe', caller_authrole: 'joe' },
    })
    expect(set.pool.stats()).to.include({ sessions: 1, joined: 1 })
  })

  it('shows nothing of the user where the call does not disclose it', async () => {
    const { args } = await callOn(await set.open(adaNow), staff, {})
    expect(args[0]).to.not.have.any.keys('caller', 'caller_authid', 'caller_authrole')
  })

  it('names a session that is none, the same for each call of one identity', async () => {
    const ids = [await seen(adaNow), await seen(adaNow)].map(({ caller }) => caller)
    expect(ids[0]).to.be.a('number').and.equal(ids[1])
    const other = await seen(identityFor('ada', ['staff', 'buyers']))
    expect(other.caller).to.not.equal(ids[0])
  })

  it('shows subscribers the user, too', async () => {
    const events: unknown[] = []
    const topic = 'com.staff.news'
    await set.callee.subscribe(topic, (_payload, { details }) => events.push(details))
    const session = await set.open(adaNow, topic)
    await session.publish(topic, nothing, { disclose_me: true }, 4000)
    await untilHolds(() => events.length > 0)
    expect(events[0]).to.include({ publisher_authid: 'ada', publisher_authrole: 'staff' })
  })

  it('goes on for a user whom an identity provider proves, in the roles that it gives', async () => {
    expect(await seen(identityFor('olga', ['gateway', 'staff'], 'oidcrp'))).to.include({
      ...{ caller_authid: 'olga', caller_authrole: 'staff' },
    })
  })

  describe('is refused before it is sent', () => {
    const refusal = { error_uri: 'wamp.error.not_authorized', wasSent: false }
    const refuses = async (identity: Identity, procedure = staff) => {
      const called = callOn(await set.open(identity, procedure), procedure)
      expect(await failureOf(called)).to.include(refusal)
    }

    it('where no grant of the user allows it', () => refuses(adaNow, 'com.joe.who'))
    it('where the token has fewer roles than the user', () =>
      refuses(identityFor('ada', ['buyers'])))
    it('for a user who does not exist', () => refuses(identityFor('eve', ['staff'])))
    it('for a role that the user does not have', () => refuses(identityFor('joe', ['staff'])))
    it('for the role of the gateway, whoever claims it', async () => {
      await refuses(identityFor('joe', ['gateway']))
      await refuses(identityFor('olga', ['gateway'], 'oidcrp'))
    })
    it('for a user of an identity provider whose account has gone', () =>
      refuses(identityFor('otto', ['staff'], 'oidcrp')))
    it('in a realm that takes no sessions', async () => {
      const session = await set.open(adaNow)
      await set.realms.load({ ...documentOf([ada, joe, backend]), allow_connections: false })
      expect(await failureOf(callOn(session))).to.include(refusal)
      const other = set.openPool()
      const asked = (async () => other.session(realm_uri, adaNow, 4000, staff))()
      expect(await failureOf(asked)).to.include({ error_uri: 'wamp.error.no_such_realm' })
      await other.close()
    })

    it('as a publication', async () => {
      const session = await set.open(identityFor('joe', ['joe']), 'com.staff.news')
      const published = session.publish('com.staff.news', nothing, {}, 4000)
      expect(await failureOf(published)).to.include(refusal)
    })

    it('from the moment on when the group or the user goes', async () => {
      const session = await set.open(adaNow)
      expect((await callOn(session)).args).to.have.length(1)
      await set.realms.load(documentOf([{ ...ada, groups: ['buyers'] }, joe, backend]))
      expect(await failureOf(callOn(session))).to.include(refusal)
      await set.realms.load(documentOf([ada, joe, backend]))
      expect((await callOn(session)).args).to.have.length(1)
      await set.realms.load(documentOf([{ ...ada, enabled: false }, joe, backend]))
      expect(await failureOf(callOn(session))).to.include(refusal)
    })

    it('as a subscription, watch or registration: these name no user', async () => {
      const session = await set.open(adaNow)
      const handlers = { onEvent() {}, onMissed() {}, onLost() {}, onBack() {}, onRefused() {} }
      for (const asked of [
        session.register(staff, () => nothing),
        session.subscribe(staff, () => nothing),
        session.watch(staff, {}, 4000, handlers),
      ]) {
        expect(await failureOf(asked)).to.include(refusal)
      }
    })
  })

  it('runs to its end when a grant goes while it is under way, and is given up when the user goes', async () => {
    const begun: (() => void)[] = []
    await set.callee.register('com.staff.slow', () => {
      const { promise, resolve } = Promise.withResolvers<typeof nothing>()
      begun.push(() => resolve(nothing))
      return promise
    })
    const session = await set.open(adaNow)
    const first = callOn(session, 'com.staff.slow')
    await untilHolds(() => begun.length === 1)
    await set.realms.load(documentOf([{ ...ada, groups: ['buyers'] }, joe, backend]))
    begun[0]?.()
    expect((await first).args).to.deep.equal([])
    await set.realms.load(documentOf([ada, joe, backend]))
    const second = callOn(session, 'com.staff.slow')
    await untilHolds(() => begun.length === 2)
    set.pool.dismiss(realm_uri, ['joe'])
    set.pool.dismiss('com.example.other', ['ada'])
    expect(set.pool.stats().pending).to.equal(1)
    set.pool.dismiss(realm_uri, ['ada'])
    expect(await failureOf(second)).to.include({ error_uri: 'wamp.error.canceled' })
    begun[1]?.()
  })

  it('has the session of the user for subscriptions and reserved URIs, and that of the gateway for nobody', async () => {
    const of = async (uri?: string, identity = adaNow) =>
      set.pool.session(realm_uri, identity, 300, uri)
    const anonymously = { ...adaNow, authmethod: 'anonymous' }
    expect(await of(staff, anonymously)).to.equal(set.pool.open(realm_uri))
    // this pool has no login of users
    for (const uri of [undefined, 'wamp.session.count', 'service.ticket.issue']) {
      expect(await failureOf(of(uri)), String(uri)).to.have.property('error_uri')
    }
    const elsewhere = { ...adaNow, realm_uri: 'com.example.other' }
    expect(await failureOf(of(staff, elsewhere))).to.have.property('error_uri')
  })

  it('is told of when the router, or the callee, refuses what the realm grants', async () => {
    const session = await set.open(adaNow)
    set.changed.isAllowed = (member, action, uri, ...more) =>
      uri !== staff && set.policy.isAllowed(member, action, uri, ...more)
    for (let time = 0; time < 3; time++) {
      const error = await failureOf(callOn(session))
      expect(error).to.include({ error_uri: 'wamp.error.not_authorized', wasSent: true })
    }
    expect(set.logged).to.have.length(1)
    expect(set.logged[0]).to.match(/^warn: what the realm grants to a user was refused/)
  })
})
