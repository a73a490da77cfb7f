/** Calls for a user reach the embedded router as the user: its grants decide, callees are told, and it ends with the user. */
import { expect } from 'chai'
import { type Identity, identityOf } from '#component/identity.ts'
import { Policy } from '#component/realm/policy.ts'
import type { Realms } from '#component/realm/realms.ts'
import { SessionTickets } from '#component/realm/session-ticket.ts'
import { Router } from '#component/router/router.ts'
import { SecretBox } from '#component/secret-box.ts'
import type { Session } from '#component/wamp/session.ts'
import { SessionPool } from '#component/wamp/session-pool.ts'
import type { SupervisedSession } from '#component/wamp/supervisor.ts'
import { requestSession } from '#component/wamp/wampy-session.ts'
import { untilHolds } from '#test/support/running/until.ts'
import { proofPorts, realmsWith } from '#test/unit/realm/doubles.ts'
import { basics, failureOf, nothing, realm_uri } from './support.ts'

const ada = { username: 'ada', password: 'pw', groups: ['staff', 'buyers'] }
const joe = { username: 'joe', password: 'pw' }
const backend = { username: 'backend', password: 'pw', groups: ['services'] }

const grant = (roles: readonly string[], permissions: readonly string[], uri: string) => ({
  ...{ roles, permissions, uri, match: 'prefix' },
})

const documentOf = (users: readonly object[]) => ({
  uri: realm_uri,
  // nobody but the gateway joins by ticket here
  authmethods: ['wampcra'],
  users,
  grants: [
    grant(['services'], ['wamp.register', 'wamp.call'], 'com.'),
    grant(['services'], ['wamp.call'], 'wamp.session.'),
    grant(['staff'], ['wamp.call'], 'com.staff.'),
    grant(['joe'], ['wamp.call'], 'com.joe.'),
  ],
})

describe('a session of a user, on the embedded router', () => {
  let realms: Realms
  let router: Router
  let pool: SessionPool
  let callee: SupervisedSession
  /** HELLOs answered. */
  let joins: number

  const { realm_uri: _, auth, ...options } = basics

  const identityFor = (username: string, authroles: readonly string[]): Identity => {
    const user = { username, groups: authroles, meta: {} }
    return identityOf({ realm_uri, user, authroles, authmethod: 'oauth2' })
  }

  beforeEach(async () => {
    ;({ realms } = await realmsWith())
    await realms.load(documentOf([ada, joe, backend]))
    const box = new SecretBox('a key of the store')
    const sessionTickets = new SessionTickets({ box, clock: options.clock })
    const policy = new Policy({
      ...{ realms, clock: options.clock, componentRealm: 'service.gateway' },
      admitsStrangers: () => false,
      ...proofPorts(),
      tickets: { sessionTickets },
    })
    joins = 0
    router = new Router({
      policy: {
        hasRealm: (uri) => policy.hasRealm(uri),
        authmethods: (uri, peer) => policy.authmethods(uri, peer),
        authenticate(hello) {
          joins++
          return policy.authenticate(hello)
        },
        isWelcome: (member) => policy.isWelcome(member),
        isAllowed: (member, action, uri, match) => policy.isAllowed(member, action, uri, match),
      },
    })
    realms.onChange = (uris) => {
      for (const uri of uris) router.closeSessions(uri, (member) => !policy.isWelcome(member))
    }
    const { openLink } = router
    pool = new SessionPool({
      ...{ ...options, openLink },
      authFor: (_realm, identity) => (identity ? sessionTickets.authFor(identity) : auth),
    })
    const own = { authmethod: 'wampcra', authid: 'backend', secret: 'pw' } as const
    callee = requestSession({ ...options, realm_uri, openLink, auth: own })
    await callee.joined(4000)
    for (const procedure of ['com.staff.who', 'com.joe.who']) {
      await callee.register(procedure, (_payload, { details }) => ({ args: [details], kwargs: {} }))
    }
  })

  afterEach(async () => {
    await pool.close()
    await callee.leave()
    await router.close()
  })

  const open = async (identity: Identity): Promise<Session> =>
    pool.session(realm_uri, identity, 4000)

  const call = (session: Session, procedure: string, callOptions: object = {}) =>
    session.call(procedure, nothing, { ...callOptions }, 4000).result

  it('may call what the grants of the user say, and nothing else', async () => {
    const session = await open(identityFor('ada', ['staff', 'buyers']))
    expect((await call(session, 'com.staff.who')).args).to.have.length(1)
    expect(await failureOf(call(session, 'com.joe.who'))).to.include({
      error_uri: 'wamp.error.not_authorized',
    })
  })

  it('has no more roles than the token that the request came with', async () => {
    const session = await open(identityFor('ada', ['buyers']))
    expect(await failureOf(call(session, 'com.staff.who'))).to.include({
      error_uri: 'wamp.error.not_authorized',
    })
  })

  it('tells a callee who calls when the call discloses it, and only then', async () => {
    const session = await open(identityFor('ada', ['staff', 'buyers']))
    const { args } = await call(session, 'com.staff.who', { disclose_me: true })
    expect(args[0]).to.include({ caller_authid: 'ada', caller_authrole: 'staff' })
    const hidden = await call(session, 'com.staff.who')
    expect(hidden.args[0]).to.not.have.any.keys('caller', 'caller_authid', 'caller_authrole')
  })

  it('is told of by the way in which the user had logged in', async () => {
    const session = await open(identityFor('joe', ['joe']))
    const { args } = await call(session, 'com.joe.who', { disclose_me: true })
    const { caller } = args[0] as { caller: number }
    const described = await callee.call(
      'wamp.session.get',
      { args: [caller], kwargs: {} },
      {},
      4000,
    ).result
    expect(described.args[0]).to.include({ authid: 'joe', authrole: 'joe', authmethod: 'oauth2' })
  })

  it('ends at once when its user is disabled, and is refused then without trying for ever', async () => {
    const identity = identityFor('ada', ['staff', 'buyers'])
    const session = await open(identity)
    const other = await open(identityFor('joe', ['joe']))
    await realms.load(documentOf([{ ...ada, enabled: false }, joe, backend]))
    await untilHolds(() => !session.isOpen)
    expect(other.isOpen).to.equal(true)
    expect(callee.isOpen).to.equal(true)
    const requests = [open(identity), open(identity)].map(failureOf)
    for (const failure of await Promise.all(requests)) {
      expect(failure).to.include({ error_uri: 'wamp.error.not_authorized', wasSent: false })
    }
    // it has left the pool, so nothing joins by itself any more
    expect(pool.stats().sessions).to.equal(1)
    const before = joins
    expect(await failureOf(open(identity))).to.include({ error_uri: 'wamp.error.not_authorized' })
    expect(joins).to.equal(before + 1)
  })

  it('is joined again when its user is back', async () => {
    const identity = identityFor('ada', ['staff'])
    await realms.load(documentOf([joe, backend]))
    await failureOf(open(identity))
    await realms.load(documentOf([ada, joe, backend]))
    const session = await open(identity)
    expect((await call(session, 'com.staff.who')).args).to.have.length(1)
  })

  it('is joined again at once when its user is back after it was refused', async () => {
    const identity = identityFor('ada', ['staff'])
    const session = await open(identity)
    const before = joins
    await realms.load(documentOf([joe, backend]))
    // the second try follows on a refusal
    await untilHolds(() => joins >= before + 2)
    expect(session.isOpen).to.equal(false)
    await realms.load(documentOf([ada, joe, backend]))
    expect((await open(identity)).isOpen).to.equal(true)
  })

  it('ends when its user has lost a role of it', async () => {
    const session = await open(identityFor('ada', ['staff', 'buyers']))
    const narrow = await open(identityFor('ada', ['staff']))
    await realms.load(documentOf([{ ...ada, groups: ['staff'] }, joe, backend]))
    await untilHolds(() => !session.isOpen)
    expect(narrow.isOpen).to.equal(true)
  })

  it('fails, and is not kept, where the router does not know such tickets', async () => {
    const strange = new SessionPool({
      ...{ ...options, openLink: router.openLink },
      authFor: () => ({ authmethod: 'cryptosign', authid: 'ada', key: '11'.repeat(32) }),
    })
    const session = Promise.resolve(strange.session(realm_uri, identityFor('ada', []), 4000))
    expect(await failureOf(session)).to.include({
      error_uri: 'wamp.error.authorization_failed',
      wasSent: false,
    })
    expect(strange.stats().sessions).to.equal(0)
    await strange.close()
  })

  it('does not exist in a realm that takes no sessions', async () => {
    await realms.load({ ...documentOf([ada, joe, backend]), allow_connections: false })
    expect(await failureOf(open(identityFor('ada', ['staff'])))).to.include({
      error_uri: 'wamp.error.no_such_realm',
      wasSent: false,
    })
    expect(pool.stats().sessions).to.equal(0)
  })
})
