/** Which tickets have come to a process, as lists of sessions tell it. */
import { expect } from 'chai'
import type { Bearer } from '#component/token/revocation.ts'
import { SeenTickets } from '#component/token/seen-tickets.ts'
import type { TicketClaims } from '#component/token/ticket.ts'

const start = 1_763_740_800
const realm = 'com.example.shop'

describe('tickets that have come', () => {
  let now: number
  let revoked: string[]
  let seen: SeenTickets
  const claims = (id: string, more: Partial<TicketClaims> = {}): TicketClaims => ({
    ...{ iss: 'https://a.example', sub: 'ada', aud: realm, exp: start + 100, iat: start, jti: id },
    ...{ id, authrealm: realm, authid: 'ada', authmethod: 'oidcrp', authroles: [] },
    ...{ issued_by: 'ada', issued_on: 'a', issued_at: start, expires_at: start + 100, kid: 'k' },
    scope: { realm, client_id: 'all', device_id: 'all' },
    oidc_provider: 'main',
    ...more,
  })
  const ids = (authid?: string, uri = realm) => seen.list(uri, authid).map(({ id }) => id)

  beforeEach(() => {
    now = start
    revoked = []
    const revocations = { isRevoked: ({ jti }: Bearer) => revoked.includes(jti) }
    seen = new SeenTickets({ clock: { now: () => now * 1_000 + 700 }, revocations })
  })

  it('are told with their last time and address', () => {
    seen.see(claims('one'), '192.0.2.1')
    now += 5
    seen.see(claims('one'), '2001:db8::1')
    expect(seen.list(realm)).to.deep.equal([
      {
        ...{ id: 'one', authid: 'ada', authmethod: 'oidcrp', provider: 'main' },
        ...{ issued_at: start, expires_at: start + 100 },
        ...{ seen_at: start + 5, address: '2001:db8::1' },
      },
    ])
  })

  it('are told by realm and user, the last seen first', () => {
    seen.see(claims('one'), '192.0.2.1')
    seen.see(claims('two', { authid: 'bob', sub: 'bob' }), '192.0.2.1')
    seen.see(claims('three', { aud: 'com.example.other' }), '192.0.2.1')
    expect(ids()).to.deep.equal(['two', 'one'])
    seen.see(claims('one'), '192.0.2.1')
    expect(ids()).to.deep.equal(['one', 'two'])
    expect(ids('bob')).to.deep.equal(['two'])
    expect(ids('eve')).to.deep.equal([])
    expect(ids('ada', 'com.example.other')).to.deep.equal(['three'])
  })

  it('have no provider where the gateway has made them itself', () => {
    const { oidc_provider: _none, ...own } = claims('own', { authmethod: 'ticket' })
    seen.see(own, '192.0.2.1')
    expect(seen.list(realm)[0]).to.include({ authmethod: 'ticket', provider: null })
  })

  it('are not told any more once they have ended', () => {
    seen.see(claims('one'), '192.0.2.1')
    seen.see(claims('two', { exp: start + 10 }), '192.0.2.1')
    revoked.push('one')
    expect(ids()).to.deep.equal(['two'])
    now += 10
    expect(ids()).to.deep.equal([])
  })

  it('are forgotten when ten thousand others have come since', () => {
    for (let each = 0; each <= 10_000; each += 1) seen.see(claims(String(each)), '192.0.2.1')
    const told = ids()
    expect([told.length, told[0], told.at(-1)]).to.deep.equal([10_000, '10000', '1'])
  })
})
