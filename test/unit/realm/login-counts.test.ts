/** Which logins over WAMP are counted, and as what. */
import { expect } from 'chai'
import { LoginCounts } from '#component/login-counts.ts'
import { LoginLog } from '#component/login-refusal.ts'
import { Policy } from '#component/realm/policy.ts'
import { SessionTickets } from '#component/realm/session-ticket.ts'
import { SecretBox } from '#component/secret-box.ts'
import { Attempts } from '#component/security/attempts.ts'
import { proofPorts, realmsWith } from './doubles.ts'
import { anonymous, inProcess, join, outside } from './joining.ts'

const realm = 'com.example.realm'
const document = {
  uri: realm,
  authmethods: ['anonymous', 'ticket', 'wampcra'],
  users: [{ username: 'ada', password: 'lovelace' }],
}
const ada = (secret: string) => ({ authmethod: 'ticket', authid: 'ada', secret }) as const
/** A router elsewhere asks about all peers, those of this gateway, too. */
const relayed = { ...outside, isRelayed: true }

describe('the logins over WAMP that are counted', () => {
  const clock = { now: () => 1_000 }
  const sessionTickets = new SessionTickets({ box: new SecretBox('a key of the store'), clock })
  const own = () =>
    sessionTickets.issue({ realm_uri: realm, authid: 'ada', authroles: [], authmethod: 'basic' })
  let counts: LoginCounts
  let lines: number
  let policy: Policy

  beforeEach(async () => {
    const { realms } = await realmsWith()
    await realms.load(document)
    counts = new LoginCounts()
    lines = 0
    const warn = () => {
      lines += 1
    }
    policy = new Policy({
      ...{ ...proofPorts(), realms, clock, tickets: { sessionTickets } },
      ...{ componentRealm: 'service.gateway', admitsStrangers: () => false },
      attempts: new Attempts({ user_failures: 2, address_failures: 9 }),
      log: new LoginLog({ warn }, { admits: () => lines < 1 }, counts),
      logins: counts,
    })
  })

  const refused = (authmethods: readonly string[]) =>
    policy.refused({ realm, authid: 'ada', authmethods, peer: outside })

  it('are those that have proved who they are, by the method', async () => {
    await join(policy, realm, ada('lovelace'))
    await join(policy, realm, { authmethod: 'wampcra', authid: 'ada', secret: 'wrong' })
    for (let count = 0; count < 2; count += 1) await join(policy, realm, anonymous)
    expect(counts.all).to.deep.equal([
      { authmethod: 'ticket', result: 'ok', count: 1 },
      { authmethod: 'anonymous', result: 'ok', count: 2 },
    ])
  })

  it('are none of the gateway itself, on its own router and on another one', async () => {
    await join(policy, realm, { authmethod: 'anonymous', authid: 'gateway' }, inProcess)
    for (const peer of [inProcess, relayed]) {
      expect(await join(policy, realm, ada(own()), peer)).to.deep.include({ authid: 'ada' })
    }
    expect(counts.all).to.deep.equal([])
    await join(policy, realm, ada('lovelace'), { ...relayed })
    expect(counts.all).to.deep.equal([{ authmethod: 'ticket', result: 'ok', count: 1 }])
  })

  it('are the refused ones, also where the log leaves lines out', () => {
    for (let count = 0; count < 3; count += 1) refused(['wampcra'])
    expect(lines).to.equal(1)
    expect(counts.all).to.deep.equal([{ authmethod: 'wampcra', result: 'refused', count: 3 }])
  })

  it('have no text of a client as their method', () => {
    refused(['CANARY'])
    refused(['ticket', 'wampcra', 'CANARY'])
    expect(counts.all.map(({ authmethod }) => authmethod)).to.deep.equal(['unknown', 'several'])
  })

  it('are limited where too many had failed before', async () => {
    const peer = { ...outside }
    for (const guess of ['a', 'b', 'c']) await join(policy, realm, ada(guess), peer)
    policy.refused({ realm, authid: 'ada', authmethods: ['ticket'], peer })
    expect(counts.all).to.deep.equal([{ authmethod: 'ticket', result: 'limited', count: 1 }])
  })
})
