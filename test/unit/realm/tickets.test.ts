/** What the policy takes as a ticket beside a password, and who is welcome no more when a realm has changed. */
import { expect } from 'chai'
import type { TicketPorts } from '#component/realm/authenticator.ts'
import { Policy } from '#component/realm/policy.ts'
import type { Realms } from '#component/realm/realms.ts'
import { SessionTickets } from '#component/realm/session-ticket.ts'
import type { Welcome } from '#component/router/ports.ts'
import { SecretBox } from '#component/secret-box.ts'
import { proofPorts, realmsWith } from './doubles.ts'

const realm_uri = 'com.example.realm'
const outside = { address: '203.0.113.7', isInProcess: false }
const within = { address: '127.0.0.1', isInProcess: true }

const ada = { username: 'ada', password: 'pw', groups: ['staff', 'buyers'] }
const documentOf = (more: object) => ({ uri: realm_uri, users: [ada], ...more })

describe('joining with a ticket', () => {
  const clock = { now: () => 1_000 }
  const sessionTickets = new SessionTickets({ box: new SecretBox('a key of the store'), clock })
  let realms: Realms
  let policy: Policy
  let isRevoked: boolean

  const verifyTicket: TicketPorts['verifyTicket'] = async (realm, ticket) => {
    if (realm !== realm_uri || ticket !== 'a.jwt.x') return undefined
    return { authid: 'ada', authroles: ['staff', 'admins'], isRevoked: () => isRevoked }
  }

  beforeEach(async () => {
    isRevoked = false
    ;({ realms } = await realmsWith())
    const ports = { realms, clock, componentRealm: 'service.gateway', admitsStrangers: () => false }
    policy = new Policy({ ...ports, ...proofPorts(), tickets: { sessionTickets, verifyTicket } })
  })

  const challenge = async (authid: string, peer: typeof outside) => {
    const hello = {
      realm: realm_uri,
      session: 1,
      authid,
      authmethod: 'ticket',
      authextra: {},
      peer,
    }
    return policy.authenticate(hello)
  }

  const join = async (ticket: string, peer: typeof outside, authid = 'ada') => {
    const answer = await challenge(authid, peer)
    return answer.kind === 'challenge' ? answer.check(ticket) : answer.kind
  }

  const issue = (authid = 'ada', authroles: readonly string[] = ['staff']) =>
    sessionTickets.issue({ realm_uri, authid, authroles, authmethod: 'basic' })

  const member = (authid: string, authroles: readonly string[], more: object = {}) => ({
    ...{ realm: realm_uri, authid, authroles, authmethod: 'ticket' },
    ...more,
  })

  it('of the gateway is for the gateway, whatever the realm serves', async () => {
    await realms.load(documentOf({ authmethods: ['cryptosign'] }))
    expect(await join(issue(), within)).to.deep.equal({
      kind: 'welcome',
      authid: 'ada',
      authroles: ['staff'],
      authmethod: 'basic',
    })
    expect(await join(issue(), outside)).to.equal('refuse')
    expect(await join('pw', within)).to.equal(undefined)
    expect(await join('a.jwt.x', within)).to.equal(undefined)
    expect(policy.authmethods(realm_uri, within)).to.deep.equal([
      'cryptosign',
      'anonymous',
      'ticket',
    ])
    expect(policy.authmethods(realm_uri, outside)).to.deep.equal(['cryptosign'])
  })

  it('of the gateway is refused from outside where the realm serves tickets, too', async () => {
    await realms.load(documentOf({ authmethods: ['ticket'] }))
    expect(await join(issue(), outside)).to.equal(undefined)
    expect(await join(issue(), within)).to.have.property('authid', 'ada')
    expect(await join('pw', within)).to.have.property('authid', 'ada')
  })

  it('of the gateway is good for a user that is there, with roles that it has', async () => {
    await realms.load(documentOf({ authmethods: ['ticket'] }))
    expect(await join(issue('eve'), within, 'eve')).to.equal(undefined)
    const many = issue('ada', ['buyers', 'admins', 'gateway'])
    expect(await join(many, within)).to.deep.include({ authroles: ['buyers'] })
  })

  it('of a service is taken where tickets are served, from where the sources say', async () => {
    await realms.load(documentOf({ authmethods: ['ticket'] }))
    const welcome = (await join('a.jwt.x', outside)) as Welcome
    expect(welcome).to.deep.include({ kind: 'welcome', authid: 'ada', authroles: ['staff'] })
    expect(await join('a.jwt.y', outside)).to.equal(undefined)
    expect(await join('pw', outside)).to.deep.include({ authroles: ['staff', 'buyers'] })
    const sources = [{ usernames: 'all', authmethod: 'ticket', cidr: '10.0.0.0/8' }]
    await realms.load(documentOf({ authmethods: ['ticket'], sources }))
    expect(await join('a.jwt.x', outside)).to.equal(undefined)
  })

  it('of a service is for the user that it names, who is still there', async () => {
    const joe = { ...ada, username: 'joe' }
    await realms.load(documentOf({ authmethods: ['ticket'], users: [ada, joe] }))
    expect(await join('a.jwt.x', outside, 'joe')).to.equal(undefined)
    await realms.load(documentOf({ authmethods: ['ticket'], users: [joe] }))
    expect(await join('a.jwt.x', outside)).to.equal(undefined)
  })

  it('welcomes nobody whose user has gone or lost a role, or whose ticket was revoked', async () => {
    await realms.load(documentOf({ authmethods: ['ticket'] }))
    const full = member('ada', ['staff', 'buyers'])
    const narrow = member('ada', ['staff'], { isRevoked: () => isRevoked })
    expect([full, narrow].map((one) => policy.isWelcome(one))).to.deep.equal([true, true])
    isRevoked = true
    expect(policy.isWelcome(narrow)).to.equal(false)
    isRevoked = false
    await realms.load(
      documentOf({ authmethods: ['ticket'], users: [{ ...ada, groups: ['staff'] }] }),
    )
    expect([full, narrow].map((one) => policy.isWelcome(one))).to.deep.equal([false, true])
    await realms.load(documentOf({ authmethods: ['ticket'], users: [{ ...ada, enabled: false }] }))
    expect(policy.isWelcome(narrow)).to.equal(false)
  })

  it('welcomes the anonymous where the realm serves them, and the gateway anywhere', async () => {
    const anonymous = member('anonymous', ['anonymous'], { authmethod: 'anonymous' })
    const gateway = { ...anonymous, realm: 'service.gateway', authroles: ['gateway'] }
    await realms.load(documentOf({ authmethods: ['anonymous'] }))
    expect([anonymous, gateway].map((one) => policy.isWelcome(one))).to.deep.equal([true, true])
    await realms.load(documentOf({ authmethods: ['ticket'] }))
    expect([anonymous, gateway].map((one) => policy.isWelcome(one))).to.deep.equal([false, true])
    await realms.load(documentOf({ allow_connections: false }))
    expect(policy.isWelcome(member('ada', ['staff']))).to.equal(false)
  })
})
