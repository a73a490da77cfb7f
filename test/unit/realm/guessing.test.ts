/** Guessing passwords over WAMP: who is kept out, who is not, and what a challenge tells of who there is. */
import { expect } from 'chai'
import { systemClock } from '#component/clock.ts'
import type { ServiceError } from '#component/errors.ts'
import type { Hello, TicketPorts } from '#component/realm/authenticator.ts'
import { CrossbarAuthenticator } from '#component/realm/crossbar-authenticator.ts'
import type { Policy } from '#component/realm/policy.ts'
import type { Realms } from '#component/realm/realms.ts'
import { SessionTickets } from '#component/realm/session-ticket.ts'
import { SecretBox } from '#component/secret-box.ts'
import { Attempts } from '#component/security/attempts.ts'
import { credentials } from '#component/wamp/join-auth.ts'
import { TrustedProxies } from '#http/peer.ts'
import { policyOver, realmsWith, testBox } from './doubles.ts'
import { inProcess, join, outside } from './joining.ts'

const uri = 'com.example.realm'
const key = '4ffddd896a530ce5ee8c86b83b0d31835490a97a9cd718cb2f09c9fd31c4a7d7'
const { pubkey } = credentials({ authmethod: 'cryptosign', authid: 'ada', key }).authextra
const document = {
  uri,
  authmethods: ['ticket', 'wampcra', 'cryptosign'],
  users: [
    { username: 'ada', password: 'lovelace', authorized_keys: [pubkey] },
    { username: 'joe', password: 'lovelace' },
  ],
}
const elsewhere = { address: '198.51.100.9', isInProcess: false }
const limits = { user_failures: 3, address_failures: 100 }

describe('guessing over WAMP', () => {
  const clock = { now: () => 1_000 }
  const sessionTickets = new SessionTickets({ box: testBox, clock })
  const verifyTicket: TicketPorts['verifyTicket'] = (_realm, ticket) =>
    ticket === 'a.jwt.x' ? { authid: 'ada', authroles: ['ada'] } : undefined
  let realms: Realms
  let policy: Policy

  before(async () => {
    ;({ realms } = await realmsWith())
    await realms.load(document)
  })
  beforeEach(() => {
    const attempts = new Attempts(limits)
    policy = policyOver(realms, false, { attempts, tickets: { sessionTickets, verifyTicket } })
  })

  type Peer = Hello['peer']
  const tryAs = async (authmethod: 'ticket' | 'wampcra', secret: string, peer: Peer = outside) => {
    const found = await join(policy, uri, { authmethod, authid: 'ada', secret }, peer)
    return typeof found === 'string' ? found : found.authid
  }
  const fail = async (authmethod: 'ticket' | 'wampcra', times: number, peer?: Peer) => {
    for (let i = 0; i < times; i += 1) {
      expect(await tryAs(authmethod, 'wrong', peer)).to.equal('wrong')
    }
  }
  const issue = () =>
    sessionTickets.issue({
      ...{ realm_uri: uri, authid: 'ada', authroles: ['ada'], authmethod: 'basic' },
    })

  for (const authmethod of ['ticket', 'wampcra'] as const) {
    const other = authmethod === 'ticket' ? 'wampcra' : 'ticket'
    it(`by ${authmethod} ends after too many failures, and looks as before`, async () => {
      await fail(authmethod, limits.user_failures - 1)
      for (let i = 0; i < 10; i += 1) {
        expect(await tryAs(authmethod, 'lovelace'), 'no failure').to.equal('ada')
      }
      await fail(authmethod, 1)
      expect(await tryAs(authmethod, 'lovelace')).to.equal('wrong')
      expect(await tryAs(other, 'lovelace'), other).to.equal('wrong')
      expect(await tryAs(authmethod, 'lovelace', elsewhere), 'elsewhere').to.equal('ada')
      const joe = { authmethod, authid: 'joe', secret: 'lovelace' } as const
      expect(await join(policy, uri, joe), 'another').to.have.property('authid', 'joe')
    })
  }

  it('keeps nobody out who has a key or a ticket of the gateway', async () => {
    await fail('ticket', limits.user_failures)
    expect(await tryAs('ticket', 'lovelace')).to.equal('wrong')
    expect(await tryAs('ticket', 'a.jwt.x')).to.equal('ada')
    const login = { authmethod: 'cryptosign', authid: 'ada', key } as const
    expect(await join(policy, uri, login)).to.have.property('authid', 'ada')
  })

  it('is not what the gateway itself does', async () => {
    await fail('ticket', 20, inProcess)
    expect(await tryAs('ticket', 'lovelace', inProcess)).to.equal('ada')
  })

  it('by way of an external router is limited, and keeps no session of the gateway away', async () => {
    const log = { warn: () => undefined, error: () => undefined }
    const proxies = new TrustedProxies([])
    const dynamic = new CrossbarAuthenticator({ policy, realms, proxies, clock: systemClock, log })
    const ask = async (ticket: string, address = outside.address) => {
      const transport = { peer: `tcp4:${address}:5000`, http_headers_received: {} }
      const details = { authmethod: 'ticket', ticket, session: 7, transport }
      const answer = dynamic.authenticate(uri, 'ada', details)
      return answer.then(
        ({ authid }) => authid,
        ({ uri: reason }: ServiceError) => reason,
      )
    }
    for (let i = 0; i < limits.user_failures; i += 1) {
      expect(await ask('lovelace')).to.equal('ada')
      expect(await ask('wrong')).to.equal('wamp.error.not_authorized')
    }
    expect(await ask('lovelace')).to.equal('wamp.error.not_authorized')
    expect(await ask('lovelace', elsewhere.address)).to.equal('ada')
    expect(await ask(issue())).to.equal('ada')
    expect(await tryAs('ticket', issue()), 'of the gateway, from outside').to.equal('wrong')
  })

  it('tells of other errors', async () => {
    const broken = new Error('no threads')
    policy = policyOver(realms, false, { attempts: { guard: () => Promise.reject(broken) } })
    const error = await tryAs('ticket', 'lovelace').catch((cause: unknown) => cause)
    expect(error).to.equal(broken)
  })
})

describe('the challenge of WAMP-CRA', () => {
  let realms: Realms
  before(async () => {
    ;({ realms } = await realmsWith())
    await realms.load([document, { ...document, uri: 'com.other' }])
  })

  /** What a client needs for its key, from a node that has just started. */
  const challenge = async (authid: string, realm = uri, secret = 'one store.key') => {
    const policy = policyOver(realms, false, { secrets: new SecretBox(secret) })
    const hello = { realm, session: 1, authid, authmethod: 'wampcra', authextra: {}, peer: outside }
    const answer = await policy.authenticate(hello)
    if (answer.kind !== 'challenge') throw new Error(answer.kind)
    const { salt, iterations, keylen } = answer.extra
    return { salt: String(salt), iterations, keylen }
  }

  it('is the same for a name that nobody has on every node, after every start', async () => {
    expect(await challenge('nobody')).to.deep.equal(await challenge('nobody'))
    expect((await challenge('nobody')).salt).to.not.equal(
      (await challenge('nobody', uri, 'another store.key')).salt,
    )
  })

  it('has a salt of its own for each name and realm, as those of users have', async () => {
    const [ada, joe, nobody, noone, other] = [
      await challenge('ada'),
      await challenge('joe'),
      await challenge('nobody'),
      await challenge('noone'),
      await challenge('nobody', 'com.other'),
    ]
    const all = [ada, joe, nobody, noone, other]
    expect(new Set(all.map(({ salt }) => salt)).size).to.equal(5)
    expect(new Set(all.map(({ salt }) => Buffer.from(salt, 'base64').length))).to.deep.equal(
      new Set([16]),
    )
    for (const { salt: _, ...rest } of all) {
      expect(rest).to.deep.equal({ iterations: ada.iterations, keylen: ada.keylen })
    }
  })
})
