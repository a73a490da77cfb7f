/** Tickets: what they say, what ends them, and that nothing else is taken for one. */
import { expect } from 'chai'
import {
  ada,
  decode,
  iss,
  openTokens,
  otherRealm,
  realm_uri,
  reasonAtOnce,
  reasonOf,
} from './doubles.ts'

const scope = { realm: realm_uri, client_id: 'all', device_id: 'all' }
const subject = {
  iss,
  authid: 'ada',
  authmethod: 'ticket',
  authroles: ['editors'],
  scope,
  lifetime: 600,
}

async function issued() {
  const tokens = await openTokens({ name: 'node-1' })
  const { ticket, claims } = await tokens.tickets.issue(realm_uri, subject)
  return { ...tokens, ticket, claims, verify: () => tokens.tickets.verify(ticket, realm_uri) }
}

describe('a ticket', () => {
  it('has the claims of the specification and those of a JWT', async () => {
    const { ticket, claims, keys, now, verify } = await issued()
    const { kid } = await keys.signingKey(realm_uri)
    const { id, jti, ...others } = claims
    expect(others).to.deep.equal({
      iss,
      sub: 'ada',
      aud: realm_uri,
      exp: now() + 600,
      iat: now(),
      authrealm: realm_uri,
      authid: 'ada',
      authmethod: 'ticket',
      authroles: ['editors'],
      issued_by: 'ada',
      issued_on: 'node-1',
      issued_at: now(),
      expires_at: now() + 600,
      scope,
      kid,
    })
    expect(id).to.match(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(jti).to.equal(id)
    expect(decode(ticket, 0)).to.deep.equal({ alg: 'ES256', typ: 'ticket+jwt', kid })
    expect(await verify()).to.deep.equal(claims)
    expect(verify()).to.deep.equal(claims)
  })

  it('lives 30 days at most', async () => {
    const { tickets, now } = await issued()
    const { ticket, claims } = await tickets.issue(realm_uri, { ...subject, lifetime: 1e9 })
    expect(claims.exp).to.equal(now() + 2_592_000)
    expect(await reasonOf(() => tickets.verify(ticket, realm_uri))).to.equal(undefined)
  })

  it('says who has asked for it', async () => {
    const { tickets } = await issued()
    const { claims } = await tickets.issue(realm_uri, { ...subject, issued_by: 'root' })
    expect(claims).to.include({ authid: 'ada', issued_by: 'root' })
  })

  it('says at which provider its user has logged in, and by what', async () => {
    const { tickets } = await issued()
    const login = {
      oidc_provider: 'mock',
      oidc_id_token: 'a.b.c',
      oidc_access_token_expires_at: 1_800_000_000,
    }
    const { ticket, claims } = await tickets.issue(realm_uri, { ...subject, ...login })
    expect(claims).to.include({ ...login, authid: 'ada' })
    expect(await tickets.verify(ticket, realm_uri)).to.deep.equal(claims)
  })

  it('expires', async () => {
    const { verify, pass } = await issued()
    await verify()
    pass(600)
    expect(reasonAtOnce(verify)).to.equal('the token has expired')
  })

  it('is refused once it, or all of its user, was revoked', async () => {
    const { verify, claims, revocations, tickets } = await issued()
    await verify()
    await revocations.revokeToken(claims.id, claims.exp)
    expect(reasonAtOnce(verify)).to.equal('the token was revoked')
    const another = await tickets.issue(realm_uri, subject)
    await revocations.revokeUsers([{ realm_uri, authid: 'ada' }])
    expect(await reasonOf(() => tickets.verify(another.ticket, realm_uri))).to.equal(
      'the token was revoked',
    )
  })

  it('is refused in another realm', async () => {
    const { ticket, tickets } = await issued()
    expect(reasonAtOnce(() => tickets.verify(ticket, otherRealm))).to.equal(
      'the token was issued for another realm',
    )
  })

  it('is no access token, and an access token is no ticket', async () => {
    const { ticket, tickets, accessTokens } = await issued()
    const { token } = await accessTokens.issue(realm_uri, iss, ada)
    const refusals = [
      reasonAtOnce(() => accessTokens.verify(ticket, realm_uri)),
      reasonAtOnce(() => tickets.verify(token, realm_uri)),
    ]
    expect(refusals).to.deep.equal(Array(2).fill('the token has the wrong type'))
  })
})
