/** Users who have logged in at an identity provider, in WAMP sessions: by ticket, by the cookie of their browser, through the gateway. */
import { expect } from 'chai'
import type { TicketPorts } from '#component/realm/authenticator.ts'
import { CrossbarAuthenticator } from '#component/realm/crossbar-authenticator.ts'
import { Policy } from '#component/realm/policy.ts'
import type { Realms } from '#component/realm/realms.ts'
import { SessionTickets } from '#component/realm/session-ticket.ts'
import { proofPorts, realmsWith, testBox } from './doubles.ts'

const realm_uri = 'com.example.realm'
const ada = { username: 'ada', password: 'pw', groups: ['staff'] }
const documentOf = (more: object = {}) => ({
  uri: realm_uri,
  users: [ada],
  authmethods: ['ticket', 'cookie', 'oidcrp'],
  ...more,
})

const outside = { address: '203.0.113.7', isInProcess: false }
const within = { address: '127.0.0.1', isInProcess: true }
const browser = { ...outside, cookie: 'the cookie of zoe' }

describe('a user of an identity provider', () => {
  const clock = { now: () => 1_000, after: () => () => {} }
  const sessionTickets = new SessionTickets({ box: testBox, clock })
  let realms: Realms
  let policy: Policy
  let known: string[]
  let isRevoked: boolean

  const zoe = { authid: 'zoe', authroles: ['editors', 'gateway'], authmethod: 'oidcrp' }
  const holders: Readonly<Record<string, typeof zoe>> = {
    'a.jwt.zoe': zoe,
    'a.jwt.ada': { authid: 'ada', authroles: ['staff', 'editors'], authmethod: 'ticket' },
    'the cookie of zoe': zoe,
    'the cookie of ada': { authid: 'ada', authroles: ['staff', 'editors'], authmethod: 'ticket' },
  }
  const holderOf: TicketPorts['verifyTicket'] = async (realm, text) => {
    const holder = realm === realm_uri ? holders[text] : undefined
    return holder && { ...holder, isRevoked: () => isRevoked }
  }

  beforeEach(async () => {
    isRevoked = false
    known = ['zoe']
    ;({ realms } = await realmsWith())
    await realms.load(documentOf())
    policy = new Policy({
      ...proofPorts(),
      ...{ realms, clock, componentRealm: 'service.gateway', admitsStrangers: () => false },
      tickets: {
        ...{ sessionTickets, verifyTicket: holderOf, verifyCookie: holderOf },
        isKnown: (realm, authid) => realm === realm_uri && known.includes(authid),
      },
    })
  })

  const hello = (authmethod: string, peer: object, authid?: string) => ({
    ...{ realm: realm_uri, session: 1, authid, authmethod, authextra: {} },
    peer: { ...outside, ...peer },
  })
  const join = async (authid: string, ticket: string, peer: object = outside) => {
    const answer = await policy.authenticate(hello('ticket', peer, authid))
    return answer.kind === 'challenge' ? answer.check(ticket) : answer.kind
  }
  const welcome = { kind: 'welcome', authid: 'zoe', authroles: ['editors'], authmethod: 'oidcrp' }

  it('joins with the ticket, and the roles that the provider gave, but for the own one of the gateway', async () => {
    expect(await join('zoe', 'a.jwt.zoe')).to.deep.include(welcome)
  })

  it('joins under no other name, and with no ticket of somebody else', async () => {
    expect(await join('ada', 'a.jwt.zoe')).to.equal(undefined)
    expect(await join('zoe', 'a.jwt.ada')).to.equal(undefined)
  })

  it('does not join once it is unknown, or where tickets are not served', async () => {
    known = []
    expect(await join('zoe', 'a.jwt.zoe')).to.equal(undefined)
    known = ['zoe']
    await realms.load(documentOf({ authmethods: ['cookie', 'oidcrp'] }))
    expect(await join('zoe', 'a.jwt.zoe')).to.equal('refuse')
    const sources = [{ usernames: 'all', authmethod: 'ticket', cidr: '10.0.0.0/8' }]
    await realms.load(documentOf({ sources }))
    expect(await join('zoe', 'a.jwt.zoe')).to.equal(undefined)
  })

  it('has sessions of the gateway', async () => {
    await realms.load(documentOf({ authmethods: ['oidcrp'] }))
    const ticket = () => sessionTickets.issue({ realm_uri, ...zoe })
    expect(await join('zoe', ticket(), within)).to.deep.equal(welcome)
    known = []
    expect(await join('zoe', ticket(), within)).to.equal(undefined)
  })

  it('stays as long as it is known and its ticket holds', () => {
    const member = { realm: realm_uri, ...zoe, authroles: ['editors'], isRevoked: () => isRevoked }
    expect(policy.isWelcome(member)).to.equal(true)
    expect(policy.isWelcome({ ...member, authmethod: 'ticket' })).to.equal(false)
    isRevoked = true
    expect(policy.isWelcome(member)).to.equal(false)
    isRevoked = false
    known = []
    expect(policy.isWelcome(member)).to.equal(false)
  })

  it('is nobody where nobody knows such users', async () => {
    policy = new Policy({
      ...proofPorts(),
      ...{ realms, clock, componentRealm: 'service.gateway', admitsStrangers: () => false },
      tickets: { verifyTicket: holderOf },
    })
    expect(await join('zoe', 'a.jwt.zoe')).to.equal(undefined)
    expect(policy.isWelcome({ realm: realm_uri, ...zoe, authroles: [] })).to.equal(false)
  })

  describe('by the cookie of its browser', () => {
    const byCookie = (peer: object, authid?: string) =>
      policy.authenticate(hello('cookie', peer, authid))

    it('joins without a challenge', async () => {
      expect(await byCookie(browser)).to.deep.include(welcome)
      expect(await byCookie(browser, 'zoe')).to.deep.include(welcome)
    })

    it('is offered the method where the realm serves it and the page may act by its cookie', async () => {
      expect(policy.authmethods(realm_uri, browser)).to.deep.equal(['ticket', 'cookie'])
      expect(policy.authmethods(realm_uri, outside)).to.deep.equal(['ticket'])
      await realms.load(documentOf({ authmethods: ['ticket', 'oidcrp'] }))
      expect(policy.authmethods(realm_uri, browser)).to.deep.equal(['ticket'])
      expect(await byCookie(browser)).to.have.property('kind', 'refuse')
    })

    it('is refused as somebody else, without a cookie, with a wrong one, and once it is unknown', async () => {
      for (const [peer, authid] of [
        [browser, 'ada'],
        [outside, undefined],
        [{ ...outside, cookie: 'another' }, undefined],
      ] as const) {
        const answer = await byCookie(peer, authid)
        expect(answer).to.include({ kind: 'refuse', reason: 'wamp.error.authentication_failed' })
      }
      known = []
      expect(await byCookie(browser)).to.have.property('kind', 'refuse')
    })

    it('joins from where the sources say', async () => {
      const sources = (cidr: string) => [{ usernames: 'all', authmethod: 'cookie', cidr }]
      await realms.load(documentOf({ sources: sources('203.0.113.0/24') }))
      expect(await byCookie(browser)).to.have.property('kind', 'welcome')
      await realms.load(documentOf({ sources: sources('10.0.0.0/8') }))
      expect(await byCookie(browser)).to.have.property('kind', 'refuse')
    })

    it('may be a user of the document with another ticket, with roles that it has', async () => {
      const answer = await byCookie({ ...outside, cookie: 'the cookie of ada' })
      expect(answer).to.deep.include({ kind: 'welcome', authid: 'ada', authroles: ['staff'] })
      expect(answer).not.to.have.property('authmethod')
    })
  })

  it('is known again by an external router that asks', async () => {
    const log = { warn: () => {}, error: () => {} }
    const proxies = { read: () => undefined }
    const dynamic = new CrossbarAuthenticator({
      ...{ policy, proxies, clock, log },
      realms: { plainPassword: async () => undefined },
    })
    const details = {
      ...{ authmethod: 'ticket', ticket: 'a.jwt.zoe' },
      transport: { peer: 'tcp4:203.0.113.7:5000' },
    }
    const found = await dynamic.authenticate(realm_uri, 'zoe', details)
    const extra = { authroles: ['editors'], authmethod: 'oidcrp' }
    expect(found).to.deep.equal({ authid: 'zoe', role: 'user', extra })
    const session = {
      ...{ authid: 'zoe', authmethod: 'ticket', authprovider: 'dynamic' },
      authextra: extra,
    }
    const ask = () => dynamic.authorize(realm_uri, session, 'com.example.p', 'call', {}).allow
    expect(ask()).to.equal(true)
    known = []
    expect(ask()).to.equal(false)
  })
})
