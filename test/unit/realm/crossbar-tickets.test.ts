/** An external router and service tickets: it is told when they end, and nothing is allowed after that. */
import { expect } from 'chai'
import { CrossbarAuthenticator } from '#component/realm/crossbar-authenticator.ts'
import type { Welcome } from '#component/router/ports.ts'
import { TrustedProxies } from '#http/peer.ts'
import { ManualClock } from '#test/unit/action/doubles.ts'

const uri = 'com.example.realm'
const kim: Welcome = { kind: 'welcome', authid: 'kim', authroles: ['staff'] }

describe('a router that asks about sessions of tickets', () => {
  const clock = new ManualClock()
  const expiresAt = clock.now() + 60_000
  const isRevoked = () => false
  let noted: unknown[]
  let auth: CrossbarAuthenticator

  beforeEach(() => {
    noted = []
    auth = new CrossbarAuthenticator({
      policy: {
        authenticate: async () => ({
          ...{ kind: 'challenge', challenge: 'ticket', extra: {} },
          check: async (text) => (text === 'a.b.c' ? { ...kim, expiresAt, isRevoked } : kim),
        }),
        isWelcome: () => true,
        isAllowed: () => true,
        refused: () => undefined,
      },
      realms: { plainPassword: async () => undefined },
      proxies: new TrustedProxies([]),
      clock,
      log: { warn: () => undefined, error: () => undefined },
      onTicket: (session) => void noted.push(session),
    })
  })

  const join = (ticket: string) =>
    auth.authenticate(uri, 'kim', { authmethod: 'ticket', ticket, session: 7, transport: {} })

  it('is told the end of a service ticket, for which the session is noted', async () => {
    const { extra } = await join('a.b.c')
    expect(extra).to.deep.equal({ authroles: ['staff'], expires_at: expiresAt })
    expect(noted).to.deep.equal([{ realm_uri: uri, session: 7, expiresAt, isRevoked }])
  })

  it('is told no end of a password', async () => {
    expect((await join('the password')).extra).to.deep.equal({ authroles: ['staff'] })
    expect(noted).to.deep.equal([])
  })

  it('is refused what a session does whose ticket has expired', async () => {
    const { extra } = await join('a.b.c')
    const authextra = { ...extra }
    const session = { authid: 'kim', authmethod: 'ticket', authprovider: 'dynamic', authextra }
    const mayCall = () => auth.authorize(uri, session, 'com.orders.list', 'call', {}).allow
    await clock.advance(59_999)
    expect(mayCall()).to.equal(true)
    await clock.advance(1)
    expect(mayCall()).to.equal(false)
  })
})
