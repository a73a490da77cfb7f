/** The tickets by which the gateway joins as a user: for one user, for one use, for seconds. */
import { expect } from 'chai'
import { identityOf } from '#component/identity.ts'
import { SessionTickets } from '#component/realm/session-ticket.ts'
import { SecretBox } from '#component/secret-box.ts'

const realm_uri = 'com.example.realm'
const ada = { realm_uri, authid: 'ada', authroles: ['staff'], authmethod: 'basic' }
const good = { authroles: ['staff'], authmethod: 'basic' }

describe('a session ticket', () => {
  let now: number
  const clock = { now: () => now }
  const ticketsUnder = (key: string) => new SessionTickets({ box: new SecretBox(key), clock })
  let tickets: SessionTickets

  beforeEach(() => {
    now = 1_000_000
    tickets = ticketsUnder('a key of the store')
  })

  it('is good once', () => {
    const text = tickets.issue(ada)
    expect(tickets.redeem(text, realm_uri, 'ada')).to.deep.equal(good)
    expect(tickets.redeem(text, realm_uri, 'ada')).to.equal(undefined)
    expect(tickets.redeem(tickets.issue(ada), realm_uri, 'ada')).to.deep.equal(good)
  })

  it('is good once however it is spelt', () => {
    const text = tickets.issue(ada)
    expect(tickets.redeem(text, realm_uri, 'ada')).to.deep.equal(good)
    for (const other of [`${text}=`, `${text}*`, text.replaceAll('-', '+').replaceAll('_', '/')]) {
      expect(tickets.redeem(other, realm_uri, 'ada'), other).to.equal(undefined)
    }
  })

  it('is good in another process that has the same key of the store, and in no other', () => {
    const text = tickets.issue(ada)
    expect(ticketsUnder('another key').redeem(text, realm_uri, 'ada')).to.equal(undefined)
    expect(ticketsUnder('a key of the store').redeem(text, realm_uri, 'ada')).to.deep.equal(good)
  })

  it('is for one user of one realm', () => {
    const text = tickets.issue(ada)
    expect(tickets.redeem(text, realm_uri, 'joe')).to.equal(undefined)
    expect(tickets.redeem(text, 'com.example.other', 'ada')).to.equal(undefined)
    expect(tickets.redeem(text, realm_uri, 'ada')).to.deep.equal(good)
  })

  for (const [ms, isGood] of [
    [10_000, true],
    [10_001, false],
    [-10_000, true],
    [-10_001, false],
  ] as const) {
    it(`is ${isGood ? 'good' : 'refused'} when the clock has moved by ${ms} ms`, () => {
      const text = tickets.issue(ada)
      now += ms
      expect(tickets.redeem(text, realm_uri, 'ada') !== undefined).to.equal(isGood)
    })
  }

  it('is good by the clock of the node that made it, as far as its offset is known', () => {
    const hour = 3_600_000
    const made = new SessionTickets({
      box: new SecretBox('a key of the store'),
      clock: { now: () => now + hour },
      node: 'ahead',
    })
    const text = made.issue(ada)
    expect(tickets.redeem(text, realm_uri, 'ada')).to.equal(undefined)
    tickets.clockOffsetOf = (node) => (node === 'ahead' ? hour - 20 : undefined)
    expect(tickets.redeem(text, realm_uri, 'ada')).to.deep.equal(good)
    expect(tickets.redeem(text, realm_uri, 'ada')).to.equal(undefined)
    const late = made.issue(ada)
    now += 10_021
    expect(tickets.redeem(late, realm_uri, 'ada')).to.equal(undefined)
  })

  it('stays used for as long as it would be good', () => {
    const first = tickets.issue(ada)
    expect(tickets.redeem(first, realm_uri, 'ada')).to.deep.equal(good)
    now += 10_000
    expect(tickets.redeem(tickets.issue(ada), realm_uri, 'ada')).to.deep.equal(good)
    expect(tickets.redeem(first, realm_uri, 'ada')).to.equal(undefined)
  })

  for (const text of ['', 'v1.', 'password', 'a.b.c', `v1.${'A'.repeat(80)}`]) {
    it(`is not "${text.slice(0, 12)}"`, () => {
      expect(tickets.redeem(text, realm_uri, 'ada')).to.equal(undefined)
    })
  }

  it('is made afresh for each connection of a session', () => {
    const user = { username: 'ada', groups: [], meta: {} }
    const identity = identityOf({ realm_uri, user, authroles: ['staff'], authmethod: 'basic' })
    const { authmethod, authid, secret } = tickets.authFor(identity)
    expect([authmethod, authid]).to.deep.equal(['ticket', 'ada'])
    if (typeof secret !== 'function') throw new Error('expected a secret for each connection')
    for (const text of [secret(), secret()]) {
      expect(tickets.redeem(text, realm_uri, 'ada')).to.deep.equal(good)
    }
  })
})
