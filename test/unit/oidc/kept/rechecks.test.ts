/** Logins that are checked again at their provider: who asks, what changes, what ends, and what is served meanwhile. */
import { expect } from 'chai'
import type { TicketClaims } from '#component/token/ticket.ts'
import { FakeProvider } from '#test/unit/oidc/fake-provider.ts'
import { clock, freshLogins, node, provider, realm_uri } from '#test/unit/oidc/login-fixture.ts'
import { reasonOf } from '#test/unit/token/doubles.ts'

const interval = 60
const grace = 600
const overdue = 'the login could not be checked at its provider for too long'
const settings = { recheck_interval: interval, recheck_grace: grace, claims: ['email'] }

/** Another process of the same store. */
const another = () => node.openKept().rechecks
const asked = () => provider.asked.filter((line) => line === 'POST /token').length - 1
const pass = (seconds: number) => {
  clock.ms += seconds * 1_000
}

describe('a login that is checked again', () => {
  freshLogins()
  let claims: TicketClaims
  let changed: TicketClaims[]
  let evil: FakeProvider

  beforeEach(async () => {
    await node.declare(settings)
    provider.givesRefreshTokens = true
    claims = (await node.logIn()).claims
    changed = []
    evil = await FakeProvider.open(() => clock.now())
  })
  afterEach(() => evil.close())

  const current = async (rechecks = node.rechecks) => {
    const { authroles, oidc_claims } = await rechecks.current(
      claims,
      (now) => void changed.push(now),
    )
    return [authroles, oidc_claims]
  }
  const refusal = (rechecks = node.rechecks) => reasonOf(() => current(rechecks))
  const rechecked = () => node.sessionCounts.rechecks
  const asAtLogin = [['staff'], {}]

  it('has its tokens kept under store.key, and no ticket has them', () => {
    const [row] = [...node.kept.rows.values()]
    expect(row).to.include({ ticket: claims.id, expires_at: claims.exp * 1_000, lease_until: 0 })
    const text = JSON.stringify([row, claims])
    for (const secret of ['the-access-token', provider.refreshToken ?? '']) {
      expect(text).to.not.include(secret)
    }
    const { refresh_token } = JSON.parse(
      node.box.open(row?.sealed ?? '', `provider login ${claims.id}`) ?? '',
    )
    expect(refresh_token).to.equal(provider.refreshToken)
  })

  for (const [what, moved] of [
    ['another internal address', () => ({ internal_issuer_url: evil.issuer })],
    ['another issuer', () => ({ issuer: evil.issuer })],
  ] as const) {
    it(`is not asked about at a provider with ${what}, which gets none of its tokens`, async () => {
      // it calls itself as the realm does
      evil.twist = {
        metadata: { issuer: what === 'another issuer' ? evil.issuer : provider.issuer },
      }
      await node.declare({ ...settings, ...moved() })
      pass(interval)
      expect(await current()).to.deep.equal(asAtLogin)
      pass(grace + 1)
      expect(await refusal()).to.equal(overdue)
      expect(evil.asked.filter((line) => line.startsWith('POST'))).to.deep.equal([])
      expect(asked()).to.equal(0)
      // and goes on where it was
      await node.declare(settings)
      expect(await current()).to.deep.equal(asAtLogin)
      expect(asked()).to.equal(1)
    })
  }

  it('is asked about when the interval has passed, once for each, and not before', async () => {
    pass(interval - 1)
    expect(await current()).to.deep.equal(asAtLogin)
    expect(asked()).to.equal(0)
    for (const times of [1, 2, 3]) {
      pass(interval)
      for (let request = 0; request < 3; request++) {
        expect(await current()).to.deep.equal(asAtLogin)
      }
      expect(asked()).to.equal(times)
    }
    expect([changed, rechecked().same]).to.deep.equal([[], 3])
  })

  it('has other roles and claims from then on, for the ticket of before, too', async () => {
    provider.person = { ...provider.person, roles: ['admins'], email: 'ada@example.com' }
    pass(interval)
    const now = [['admins'], { email: 'ada@example.com' }]
    expect(await current()).to.deep.equal(now)
    expect(changed.map(({ id, authroles }) => [id, authroles])).to.deep.equal([
      [claims.id, ['admins']],
    ])
    expect(await current()).to.deep.equal(now)
    expect([changed.length, rechecked().changed]).to.deep.equal([1, 1])
  })

  it('gives equal requests one object, of which identities are made once', async () => {
    provider.person = { ...provider.person, roles: ['admins'] }
    pass(interval)
    await current()
    const first = node.rechecks.current(claims, () => undefined)
    expect(node.rechecks.current(claims, () => undefined)).to.equal(first)
  })

  it('is told what another process has found out, without a question of its own', async () => {
    const other = another()
    provider.person = { ...provider.person, roles: ['admins'] }
    pass(interval)
    await current()
    expect(await current(other)).to.deep.equal([['admins'], {}])
    expect(asked()).to.equal(1)
  })

  it('is asked about by one of several processes and requests; the others serve on', async () => {
    const other = another()
    pass(interval)
    provider.twist = { answers: { '/token': { isNever: true } } }
    const begun = provider.askedFor('/token')
    const waiting = current()
    await begun
    expect(await current()).to.deep.equal(asAtLogin)
    expect(await current(other)).to.deep.equal(asAtLogin)
    expect(asked()).to.equal(1)
    clock.elapse()
    await waiting
  })

  it('is judged by the answer that another stream has asked for, once it is there', async () => {
    provider.person = { ...provider.person, roles: ['admins'] }
    pass(interval)
    const judged = [1, 2, 3].map(() => node.rechecks.current(claims, () => undefined, true))
    const roles = await Promise.all(judged).then((all) => all.map(({ authroles }) => authroles))
    expect([roles, asked()]).to.deep.equal([[['admins'], ['admins'], ['admins']], 1])
  })

  it('is asked about by another process 30 s after one that has died', async () => {
    const [row] = [...node.kept.rows.values()]
    pass(interval)
    await node.kept.lease(claims.id, row?.checked_at ?? 0, clock.now(), clock.now() + 30_000)
    expect(await current()).to.deep.equal(asAtLogin)
    pass(29)
    expect(await current()).to.deep.equal(asAtLogin)
    expect(asked()).to.equal(0)
    pass(1)
    await current()
    expect(asked()).to.equal(1)
  })

  it('ends with invalid_grant: its ticket is revoked, and its tokens are gone', async () => {
    provider.refreshToken = undefined
    pass(interval)
    expect(await refusal()).to.equal('the provider has ended the login')
    expect(
      await reasonOf(() =>
        node.tickets.renew(claims, claims).then((ticket) => node.tickets.verify(ticket, realm_uri)),
      ),
    ).to.equal('the token was revoked')
    expect([node.kept.rows.size, rechecked().ended]).to.deep.equal([0, 1])
  })

  for (const [what, twist] of [
    ['does not answer', { answers: { '/token': { status: 503 } } }],
    ['answers nonsense', { answers: { '/token': { body: '<html>' } } }],
    [
      'refuses the client',
      { answers: { '/token': { status: 401, body: { error: 'invalid_client' } } } },
    ],
    ['has no userinfo now', { answers: { '/userinfo': { status: 503 } } }],
  ] as const) {
    it(`is served on while the provider ${what}, until the grace has passed`, async () => {
      provider.twist = twist
      pass(interval)
      expect(await current()).to.deep.equal(asAtLogin)
      pass(grace - 1)
      expect(await current()).to.deep.equal(asAtLogin)
      pass(2)
      expect(await refusal()).to.equal(overdue)
      expect(await refusal(), 'the next request').to.equal(overdue)
      expect(rechecked().failed).to.be.at.least(3)
    })
  }

  it('has nothing of the ID token of somebody else', async () => {
    provider.twist = { claims: { sub: 'sub-2', roles: ['admins'] } }
    pass(interval)
    expect(await current()).to.deep.equal(asAtLogin)
    expect(rechecked()).to.include({ changed: 0, failed: 1 })
  })

  it('is refused when the realm no longer has its provider', async () => {
    await node.realms.load({ uri: realm_uri, authmethods: ['oidcrp'] })
    pass(interval)
    expect(await current()).to.deep.equal(asAtLogin)
    pass(1)
    expect(await refusal()).to.equal(overdue)
  })

  it('is served again as soon as the provider answers again', async () => {
    provider.twist = { answers: { '/token': { status: 503 } } }
    pass(interval + grace + 1)
    expect(await refusal()).to.equal(overdue)
    provider.twist = {}
    expect(await current()).to.deep.equal(asAtLogin)
  })

  it('asks a provider that is away at most every 30 s', async () => {
    provider.twist = { answers: { '/token': { status: 503 } } }
    pass(interval)
    for (let request = 0; request < 5; request++) await current()
    expect(asked()).to.equal(1)
    pass(30)
    await current()
    expect(asked()).to.equal(2)
  })

  it('keeps the next refresh token before it reads userinfo: the provider takes each once', async () => {
    provider.twist = { answers: { '/userinfo': { status: 503 } } }
    pass(interval)
    await current()
    provider.twist = {}
    pass(30)
    expect(await current()).to.deep.equal(asAtLogin)
    expect([rechecked().failed, rechecked().same]).to.deep.equal([1, 1])
  })

  it('is served on while the store is away, until the grace has passed', async () => {
    node.kept.isAway = true
    pass(interval)
    expect(await current()).to.deep.equal(asAtLogin)
    pass(grace + 1)
    expect(await refusal()).to.equal(overdue)
  })

  it('counts as unknown when its tokens are no longer there: the grace runs', async () => {
    node.kept.rows.clear()
    pass(interval)
    expect(await current()).to.deep.equal(asAtLogin)
    pass(grace + 1)
    expect(await refusal()).to.equal(overdue)
  })

  it('leaves no tokens after the logout', async () => {
    const ticket = await node.tickets.renew(claims, claims)
    await node.login.logout({
      ...{ realm_uri, ticket, mayRevoke: true, redirect_uri: '/', origin: 'https://x' },
    })
    expect(node.kept.rows.size).to.equal(0)
  })
})

describe('a login without a refresh token', () => {
  freshLogins()

  it('is not checked again, of which the log warns once', async () => {
    await node.declare(settings)
    const { claims } = await node.logIn()
    await node.logIn()
    expect(claims).to.not.have.property('oidc_recheck')
    const lines = node.lines.filter((line) => JSON.stringify(line).includes('no refresh token'))
    expect([lines.length, node.kept.rows.size]).to.deep.equal([1, 0])
  })

  it('of a provider whose logins are not checked keeps nothing', async () => {
    await node.declare()
    provider.givesRefreshTokens = true
    const { claims } = await node.logIn()
    expect([claims.oidc_recheck, node.kept.rows.size]).to.deep.equal([undefined, 0])
  })
})
