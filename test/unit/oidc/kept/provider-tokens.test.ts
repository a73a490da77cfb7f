/** The access token that a provider has given for a user: what is given of it, when it is renewed, by whom, and when there is none. */
import { expect } from 'chai'
import { ServiceError } from '#component/errors.ts'
import type { ProviderTokens } from '#component/oidc/kept/provider-tokens.ts'
import type { TicketClaims } from '#component/token/ticket.ts'
import { clock, freshLogins, node, provider, realm_uri } from '#test/unit/oidc/login-fixture.ts'
import { reasonOf } from '#test/unit/token/doubles.ts'

/** Seconds that the provider's tokens live. */
const lifetime = 600
const expired = 'the access token of the provider has expired: log in again'
const unavailable = 'service.error.unavailable'

const asked = () => provider.asked.filter((line) => line === 'POST /token').length - 1
const pass = (seconds: number) => {
  clock.ms += seconds * 1_000
}
/** Another process of the same store. */
const another = () => node.openKept().providerTokens
/** The error that something is refused with, by its code. */
const codeOf = async (attempt: () => unknown): Promise<unknown> => {
  try {
    return await attempt()
  } catch (error) {
    if (error instanceof ServiceError) return error.uri
    throw error
  }
}
const away = { answers: { '/token': { status: 503 } } }

describe('the access token of a provider', () => {
  freshLogins()
  let claims: TicketClaims

  beforeEach(async () => {
    await node.declare({ pass_access_token: true })
    provider.givesRefreshTokens = true
    claims = (await node.logIn()).claims
    provider.accessToken = 'the-second-token'
  })

  const token = (of: ProviderTokens = node.providerTokens) => of.of(claims)

  it('is kept under store.key, and no ticket has it', () => {
    const text = JSON.stringify([...node.kept.rows.values(), claims])
    expect(text).to.not.include('the-access-token')
    expect(claims).to.not.have.property('oidc_recheck')
  })

  it('is given as it came until it has less than a minute to live, at once when it is known', async () => {
    expect(await token()).to.equal('the-access-token')
    expect(token()).to.equal('the-access-token')
    pass(lifetime - 61)
    expect(await token()).to.equal('the-access-token')
    expect(asked()).to.equal(0)
    pass(2)
    expect(await token()).to.equal('the-second-token')
    expect(await token(another())).to.equal('the-second-token')
    expect(asked()).to.equal(1)
  })

  it('is renewed once for all requests of a login that come meanwhile', async () => {
    pass(lifetime)
    const found = await Promise.all(Array.from({ length: 20 }, () => token()))
    expect([new Set(found), asked()]).to.deep.equal([new Set(['the-second-token']), 1])
  })

  it('is renewed by one of several processes; the others serve the former one while it holds', async () => {
    provider.twist = { answers: { '/token': { isNever: true } } }
    pass(lifetime - 30)
    const begun = provider.askedFor('/token')
    const waiting = token()
    await begun
    expect(await token(another())).to.equal('the-access-token')
    expect(asked()).to.equal(1)
    clock.elapse()
    expect(await waiting, 'the provider does not answer').to.equal('the-access-token')
  })

  it('is waited for by another process where the former one has expired', async () => {
    pass(lifetime)
    const [row] = [...node.kept.rows.values()]
    await node.kept.lease(claims.id, row?.checked_at ?? 0, clock.now(), clock.now() + 30_000)
    const waiting = token()
    await node.settle()
    await node.kept.update(claims.id, { lease_until: 0 })
    clock.elapse()
    expect(await waiting).to.equal('the-second-token')
  })

  it('is not waited for longer than ten seconds', async () => {
    pass(lifetime)
    const [row] = [...node.kept.rows.values()]
    await node.kept.lease(claims.id, row?.checked_at ?? 0, clock.now(), clock.now() + 30_000)
    const waiting = codeOf(() => token())
    await node.settle()
    pass(10)
    clock.elapse()
    expect(await waiting).to.equal(unavailable)
  })

  it('is served on while the provider is away, until it has expired', async () => {
    provider.twist = away
    pass(lifetime - 30)
    expect(await token()).to.equal('the-access-token')
    expect(await token(), 'soon after').to.equal('the-access-token')
    expect(asked()).to.equal(1)
    pass(30)
    expect(await codeOf(() => token())).to.equal(unavailable)
    provider.twist = {}
    expect(await token()).to.equal('the-second-token')
    const lines = JSON.stringify(node.lines)
    expect(lines).to.include('an access token of a provider could not be renewed')
    expect(lines).to.not.include('the-access-token')
  })

  it('ends with invalid_grant: the ticket is revoked, and the tokens are gone', async () => {
    provider.refreshToken = undefined
    pass(lifetime)
    expect(await reasonOf(() => token())).to.equal('the provider has ended the login')
    const renewed = () => node.tickets.renew(claims, claims)
    const again = () => renewed().then((ticket) => node.tickets.verify(ticket, realm_uri))
    expect(await reasonOf(again)).to.equal('the token was revoked')
    expect(node.kept.rows.size).to.equal(0)
  })

  it('is not given where the realm does not pass it on any more', async () => {
    await node.declare({})
    expect(await token()).to.equal(undefined)
  })

  it('is not there for a login of before the key was set', async () => {
    node.kept.rows.clear()
    expect(await reasonOf(() => token())).to.equal(
      'the login has no access token of the provider: log in again',
    )
  })

  it('is away with the store', async () => {
    node.kept.isAway = true
    expect(await codeOf(() => token())).to.equal(unavailable)
  })

  it('that lives for less than two minutes is renewed after half of its life', async () => {
    provider.twist = { tokens: { expires_in: 40 } }
    claims = (await node.logIn()).claims
    provider.accessToken = 'the-third-token'
    expect(await token()).to.equal('the-second-token')
    pass(19)
    expect(await token()).to.equal('the-second-token')
    pass(1)
    expect(await token()).to.equal('the-third-token')
  })

  it('that is not known to expire is given as long as the ticket holds', async () => {
    provider.twist = { tokens: { expires_in: undefined } }
    claims = (await node.logIn()).claims
    pass(86_400)
    expect(await token()).to.equal('the-second-token')
  })
})

describe('the access token of a login', () => {
  freshLogins()

  it('without a refresh token is given until it expires, and then 401: log in again', async () => {
    await node.declare({ pass_access_token: true })
    const { claims } = await node.logIn()
    pass(lifetime - 1)
    expect(await node.providerTokens.of(claims)).to.equal('the-access-token')
    pass(1)
    expect(await reasonOf(() => node.providerTokens.of(claims))).to.equal(expired)
    const lines = node.lines.filter((line) => JSON.stringify(line).includes('no refresh token'))
    expect(lines).to.have.length(1)
  })

  it('that is checked again is renewed by the check, and its renewal is a check', async () => {
    await node.declare({ pass_access_token: true, recheck_interval: 300 })
    provider.givesRefreshTokens = true
    const { claims } = await node.logIn()
    provider.accessToken = 'the-second-token'
    provider.person = { ...provider.person, roles: ['admins'] }
    pass(300)
    await node.rechecks.current(claims, () => undefined)
    expect(await node.providerTokens.of(claims)).to.equal('the-second-token')
    provider.accessToken = 'the-third-token'
    provider.person = { ...provider.person, roles: ['staff'] }
    pass(lifetime)
    expect(await node.providerTokens.of(claims)).to.equal('the-third-token')
    expect(asked()).to.equal(2)
    const { authroles } = await node.rechecks.current(claims, () => undefined)
    expect([authroles, asked()]).to.deep.equal([['staff'], 2])
  })

  it('is not kept where nobody may read it', async () => {
    await node.declare({})
    provider.givesRefreshTokens = true
    const { claims } = await node.logIn()
    expect([await node.providerTokens.of(claims), node.kept.rows.size]).to.deep.equal([
      undefined,
      0,
    ])
  })
})
