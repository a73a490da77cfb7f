/** What is kept of a login goes when its ticket ends, whichever way that is. */
import { expect } from 'chai'
import type { TicketClaims } from '#component/token/ticket.ts'
import { freshLogins, node, provider, realm_uri } from '#test/unit/oidc/login-fixture.ts'

describe('the tokens of a login', () => {
  freshLogins()
  let claims: TicketClaims

  beforeEach(async () => {
    await node.declare({ pass_access_token: true })
    provider.givesRefreshTokens = true
    provider.twist = { claims: { sid: 's1' } }
    claims = (await node.logIn()).claims
    provider.person = { sub: 'sub-2', preferred_username: 'eve', roles: ['staff'] }
    provider.twist = { claims: { sid: 's2' } }
    await node.logIn()
  })

  for (const [way, end] of [
    ['the logout of its user', () => logout()],
    [
      'a logout that the provider orders for the session',
      () => order({ sid: 's1', sub: undefined }),
    ],
    ['one for the user', () => order({ sid: undefined, sub: 'sub-1' })],
    ['service.ticket.revoke', () => node.revocations.revokeToken(claims.id, claims.exp)],
    [
      'service.end_sessions of the user',
      () => node.revocations.revokeUsers([{ realm_uri, authid: 'ada' }]),
    ],
    [
      'service.end_sessions of the subject',
      () => node.revocations.endSubject(realm_uri, { issuer: provider.issuer, sub: 'sub-1' }),
    ],
  ] as const) {
    it(`are gone with ${way}, and those of others stay`, async () => {
      await end()
      const left = [...node.kept.rows.values()]
      expect(left.map(({ ticket }) => ticket))
        .to.have.length(1)
        .and.not.include(claims.id)
      expect(left[0]?.user_id).to.include('eve')
    })
  }

  it('of a login after that are kept', async () => {
    await node.revocations.revokeUsers([{ realm_uri, authid: 'eve' }])
    await node.revocations.endSubject(realm_uri, { issuer: provider.issuer, sub: 'sub-2' })
    const { claims: next } = await node.logIn()
    expect([...node.kept.rows.keys()]).to.have.members([claims.id, next.id])
    await node.revocations.revokeUsers([{ realm_uri, authid: 'eve' }])
    expect([...node.kept.rows.keys()]).to.deep.equal([claims.id])
  })

  const logout = async () => {
    const ticket = await node.tickets.renew(claims, claims)
    const more = { mayRevoke: true, redirect_uri: '/', origin: 'https://x' }
    await node.login.logout({ realm_uri, ticket, ...more })
  }
  const order = async (of: object) => {
    const token = await provider.logoutToken({ ...of })
    await node.backchannelLogout.end(realm_uri, 'mock', token)
  }
})
