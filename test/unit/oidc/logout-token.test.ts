/** Logout tokens: what is accepted, which tickets end, and everything that is refused (Back-Channel Logout 1.0 §2.6). */
import { createHmac } from 'node:crypto'
import { expect } from 'chai'
import { LogoutTokenError } from '#component/oidc/logout-token.ts'
import { reasonOf } from '#test/unit/token/doubles.ts'
import { client_id, client_secret, encode, FakeProvider, logoutEvent } from './fake-provider.ts'
import {
  browser,
  clock,
  codeOf,
  freshLogins,
  node,
  openLogins,
  provider,
  realm_uri,
  StillClock,
} from './login-fixture.ts'

type Json = Readonly<Record<string, unknown>>

const now = () => Math.floor(clock.now() / 1000)

const send = (token: string, name = 'mock') => node.backchannelLogout.end(realm_uri, name, token)

/** Why a token is refused; undefined when it is carried out. */
async function refusalOf(token: string): Promise<string | undefined> {
  try {
    await send(token)
    return undefined
  } catch (error) {
    if (error instanceof LogoutTokenError) return error.message
    throw error
  }
}

/** A user logs in; the ticket. */
async function logIn(claims: Json = { sid: 's1' }): Promise<string> {
  provider.twist = { ...provider.twist, claims }
  return (await node.logIn(browser())).ticket
}

const isValid = async (ticket: string) =>
  (await reasonOf(() => node.tickets.verify(ticket, realm_uri))) === undefined

describe('a logout token', () => {
  freshLogins()
  beforeEach(() => node.declare())

  for (const [what, claims, header] of [
    ['with its type', {}, { typ: 'logout+jwt' }],
    ['with its type in full, in other letters', {}, { typ: 'application/Logout+JWT' }],
    ['without a type', {}, {}],
    [
      'with the type of every JWT (Keycloak until 24, Authentik before 2025.12)',
      {},
      { typ: 'JWT' },
    ],
    ['with that type in full', {}, { typ: 'application/jwt' }],
    ['with the type of every security event token', {}, { typ: 'secevent+jwt' }],
    ['with a type of null', {}, { typ: null }],
    ['with a claim typ, as Keycloak has it', { typ: 'Logout' }, { typ: 'JWT' }],
    ['with a subject of null', { sub: null }, { typ: 'JWT' }],
    ['with nonce and azp of null', { nonce: null, azp: null }, { typ: 'JWT' }],
    ['with an event of null', { events: { [logoutEvent]: null } }, {}],
    ['with a session alone', { sub: undefined }, {}],
    ['for several, authorized for the gateway', { aud: ['x', client_id], azp: client_id }, {}],
    ['with a clock that is 5 minutes ahead', { iat: 300 }, {}],
    ['with a clock that is 5 minutes behind', { iat: -300 }, {}],
    ['with more events', { events: { [logoutEvent]: {}, other: {} } }, {}],
  ] as const) {
    it(`ends the tickets of its session: ${what}`, async () => {
      const [own, other] = [await logIn(), await logIn({ sid: 's2' })]
      const iat = 'iat' in claims ? { iat: now() + claims.iat } : {}
      expect(await refusalOf(await provider.logoutToken({ ...claims, ...iat }, header))).to.equal(
        undefined,
      )
      expect([await isValid(own), await isValid(other)]).to.deep.equal([false, true])
    })
  }

  for (const [what, claims] of [
    ['of tickets that name a session', { sid: 's1' }],
    ['of tickets that name none', {}],
  ] as const) {
    it(`ends all tickets of its subject where it names no session: ${what}`, async () => {
      const own = [await logIn(claims), await logIn(claims)]
      provider.person = { sub: 'sub-2', preferred_username: 'eve', roles: ['staff'] }
      const other = await logIn(claims)
      expect(
        await refusalOf(await provider.logoutToken({ sid: undefined, sub: 'sub-1' })),
      ).to.equal(undefined)
      for (const ticket of own) expect(await isValid(ticket)).to.equal(false)
      expect(await isValid(other), 'somebody else').to.equal(true)

      provider.person = { sub: 'sub-1', preferred_username: 'ada', roles: ['staff'] }
      const next = await logIn(claims)
      expect(await isValid(next), 'the next login').to.equal(true)
      expect(
        await refusalOf(await provider.logoutToken({ sid: undefined, sub: 'sub-1' })),
      ).to.equal(undefined)
      expect(await isValid(next), 'after the next order').to.equal(false)
    })
  }

  it('keeps a ticket that is issued later in its session from being used', async () => {
    expect(await refusalOf(await provider.logoutToken())).to.equal(undefined)
    const late = await node.logIn(browser()).then(({ ticket }) => ticket)
    expect(await isValid(late), 'without a session').to.equal(true)
    expect(await isValid(await logIn())).to.equal(false)
  })

  it('is accepted where nobody has its session', async () => {
    expect(await refusalOf(await provider.logoutToken({ sid: 'nobody' }))).to.equal(undefined)
  })

  it('is forgotten when the longest ticket has ended, and its jti when it has', async () => {
    await send(await provider.logoutToken())
    const ends = node.replica.entries('revocation').map(({ id, document }) => {
      return [id.split(':')[0], Number(document?.exp) - now()]
    })
    expect(Object.fromEntries(ends)).to.include({ used: 120 })
    expect(Object.fromEntries(ends).session).to.be.at.least(3_600)
  })

  for (const [what, claims, header, reason] of [
    ['of a type that is no text', {}, { typ: 7 }, /^typ/],
    ['of a type that only begins like one', {}, { typ: 'JWT+x' }, /^typ/],
    ['of the type of a proof', {}, { typ: 'dpop+jwt' }, /^typ/],
    ['that is an ID token, whatever its type', { events: undefined }, { typ: 'JWT' }, /^events/],
    ['with a nonce, as a JWT', { nonce: 'n' }, { typ: 'JWT' }, /^nonce/],
    ['that is an access token', {}, { typ: 'at+jwt' }, /^typ/],
    ['of an unknown key', {}, { kid: 'k2' }, /^the signature/],
    ['of another issuer', { iss: 'https://evil.example.com' }, {}, /^iss/],
    ['without an issuer', { iss: undefined }, {}, /^iss/],
    ['for another client', { aud: 'other' }, {}, /^aud/],
    ['for nobody', { aud: undefined }, {}, /^aud/],
    ['for several, authorized for nobody', { aud: ['x', client_id] }, {}, /^azp/],
    ['for several, authorized for another', { aud: ['x', client_id], azp: 'x' }, {}, /^azp/],
    ['without iat', { iat: undefined }, {}, /^iat/],
    ['with a text as iat', { iat: '1' }, {}, /^iat/],
    ['without exp', { exp: undefined }, {}, /^exp/],
    ['without jti', { jti: undefined }, {}, /^jti/],
    ['with an empty jti', { jti: '' }, {}, /^jti/],
    ['with a jti that is too long', { jti: 'j'.repeat(1_025) }, {}, /^jti/],
    ['without events', { events: undefined }, {}, /^events/],
    ['with other events', { events: { other: {} } }, {}, /^events/],
    ['with events that are no map', { events: [logoutEvent] }, {}, /^events/],
    ['with a nonce, as an ID token has it', { nonce: 'n' }, {}, /^nonce/],
    ['with a sid and a sub of null', { sid: null, sub: null }, {}, /^expected sid or sub/],
    ['with neither sid nor sub', { sid: undefined, sub: undefined }, {}, /^expected sid or sub/],
    ['with an empty sid', { sid: '' }, {}, /^sid/],
    ['with a sid that is no text', { sid: 1 }, {}, /^sid/],
    ['with a sub that is no text', { sub: ['sub-1'] }, {}, /^sub/],
  ] as const) {
    it(`is refused: one ${what}`, async () => {
      const ticket = await logIn()
      expect(await refusalOf(await provider.logoutToken(claims, header))).to.match(reason)
      expect(await isValid(ticket)).to.equal(true)
    })
  }

  for (const [what, times, reason] of [
    ['older than 5 minutes', { iat: -301, exp: 60 }, /^iat/],
    ['from more than 5 minutes ahead', { iat: 301, exp: 400 }, /^iat/],
    ['that has expired', { iat: -60, exp: 0 }, /^exp/],
  ] as const) {
    it(`is refused: one ${what}`, async () => {
      const { iat, exp } = times
      expect(
        await refusalOf(await provider.logoutToken({ iat: now() + iat, exp: now() + exp })),
      ).to.match(reason)
    })
  }

  for (const [what, tokenFor] of [
    ['that is not signed', (claims: Json) => `${encode({ alg: 'none' })}.${encode(claims)}.`],
    [
      'signed with the secret of the client',
      (claims: Json) => {
        const text = `${encode({ alg: 'HS256', kid: 'k1' })}.${encode(claims)}`
        return `${text}.${createHmac('sha256', client_secret).update(text).digest('base64url')}`
      },
    ],
    ['that is no JWT', () => 'x'],
    ['that is too long', (claims: Json) => `${encode({ ...claims, x: 'x'.repeat(20_000) })}..`],
  ] as const) {
    it(`is refused: one ${what}, whatever algorithms the provider announces`, async () => {
      provider.twist = {
        metadata: { id_token_signing_alg_values_supported: ['none', 'HS256', 'ES256'] },
      }
      expect(await refusalOf(tokenFor({ iss: provider.issuer, sid: 's1' }))).to.match(
        /^the (signature|logout token)/,
      )
    })
  }

  it('is refused with an algorithm that the provider does not announce', async () => {
    provider.twist = { metadata: { id_token_signing_alg_values_supported: ['RS256'] } }
    expect(await refusalOf(await provider.logoutToken())).to.match(/^the signature/)
  })

  it('is refused with claims that are no object', async () => {
    for (const claims of [[], 'x', null]) {
      expect(await refusalOf(await provider.sign(claims as never))).to.match(/^the claims/)
    }
  })

  it('is refused when it comes again, until its end, and on all nodes', async () => {
    const token = await provider.logoutToken()
    expect(await refusalOf(token)).to.equal(undefined)
    expect(await refusalOf(token)).to.equal('the logout token has come before')
    const other = await openLogins(provider, { clock, name: 'b' })
    await other.replica.merge(node.replica.entries('realm'))
    await other.declare()
    await other.replica.merge(node.replica.entries('revocation'))
    const again = other.backchannelLogout.end(realm_uri, 'mock', token).catch((error) => error)
    expect(await again).to.be.instanceOf(LogoutTokenError)
    await other.close()
  })

  it('may come again when its logins could not be ended', async () => {
    const [token, ticket] = [await provider.logoutToken(), await logIn()]
    node.store.isAway = true
    const failed = await send(token).catch((error) => error)
    expect(failed).to.have.property('uri', 'service.error.unavailable')
    node.store.isAway = false
    clock.ms += 10_000
    expect(await refusalOf(token)).to.equal(undefined)
    expect(await isValid(ticket)).to.equal(false)
  })

  it('has the keys fetched again for one that is missed, at most once in 10 s', async () => {
    await refusalOf(await provider.logoutToken())
    const fetches = () => provider.asked.filter((line) => line === 'GET /jwks').length
    const before = fetches()
    clock.ms += 10_000
    for (const jti of ['a', 'b'])
      await refusalOf(await provider.logoutToken({ jti }, { kid: 'k2' }))
    expect(fetches() - before).to.equal(1)
    expect(await refusalOf(await provider.logoutToken({ jti: 'c' })), 'the known key').to.equal(
      undefined,
    )
  })

  it('fails with provider_unavailable while keys are needed and do not come', async () => {
    provider.twist = { answers: { '/jwks': { status: 503 } } }
    const token = await provider.logoutToken()
    expect(await codeOf(() => send(token))).to.equal('provider_unavailable')
    provider.twist = {}
    expect(await refusalOf(token)).to.equal(undefined)
  })

  it('fails with unknown_provider where the realm has no such provider', async () => {
    const token = await provider.logoutToken()
    expect(await codeOf(() => send(token, 'other'))).to.equal('unknown_provider')
  })

  it('does not end tickets of another provider that has equal names', async () => {
    const another = await FakeProvider.open(() => clock.now())
    const onClock = new StillClock()
    onClock.ms = clock.ms
    await node.declare({ issuer: another.issuer })
    another.twist = { claims: { sid: 's1', preferred_username: 'eve' } }
    const by = browser()
    const { ticket } = await node.finish(by, another.authorize(await node.begin(by)))
    await node.declare()
    expect(await refusalOf(await provider.logoutToken())).to.equal(undefined)
    expect(await isValid(ticket)).to.equal(true)
    await another.close()
  })
})
