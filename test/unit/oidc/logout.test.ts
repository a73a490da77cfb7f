/** A logout: what ends, where the browser goes, and that nothing keeps it from going. */
import { expect } from 'chai'
import type { LogoutRequest } from '#component/oidc/redirects.ts'
import { exchange, reasonOf } from '#test/unit/token/doubles.ts'
import { FakeProvider } from './fake-provider.ts'
import {
  clock,
  codeOf,
  freshLogins,
  type LoginNode,
  node,
  openLogins,
  provider,
  realm_uri,
  StillClock,
} from './login-fixture.ts'

describe('a logout', () => {
  freshLogins()

  const logOut = (ticket: string | undefined, more: Partial<LogoutRequest> = {}) =>
    node.login.logout({
      ...{ realm_uri, ticket, mayRevoke: true, redirect_uri: '/bye', routeProvider: 'mock' },
      origin: 'https://shop.example.com',
      ...more,
    })

  const reason = (ticket: string) => reasonOf(() => node.tickets.verify(ticket, realm_uri))

  it('revokes the ticket and ends the session at the provider', async () => {
    const { ticket, claims } = await node.logIn()
    const { location, settings } = await logOut(ticket)
    const url = new URL(location)
    expect(url.origin + url.pathname).to.equal(`${provider.issuer}/end`)
    expect(Object.fromEntries(url.searchParams)).to.deep.equal({
      id_token_hint: claims.oidc_id_token,
      post_logout_redirect_uri: 'https://shop.example.com/bye',
      client_id: 'app',
    })
    expect(settings).to.include({ name: 'mock' })
    expect(await reason(ticket)).to.equal('the token was revoked')
  })

  it('is known to other nodes', async () => {
    const other = await openLogins(provider, { clock, name: 'b' })
    const { ticket } = await node.logIn()
    await exchange(node, other)
    await logOut(ticket)
    await exchange(node, other)
    expect(await reasonOf(() => other.tickets.verify(ticket, realm_uri))).to.equal(
      'the token was revoked',
    )
    await other.close()
  })

  it('ends nothing unless it may', async () => {
    const { ticket } = await node.logIn()
    expect(await logOut(ticket, { mayRevoke: false })).to.include({ location: '/bye' })
    expect(await reason(ticket)).to.equal(undefined)
  })

  for (const [listed, redirect_uri, expected] of [
    [[], 'https://app.example.com/', 'https://app.example.com/'],
    [['https://shop.example.com/bye'], '/bye', 'https://shop.example.com/bye'],
    [['https://shop.example.com/out'], '/bye', 'https://shop.example.com/out'],
    [
      ['https://a.example.com/', 'https://b.example.com/'],
      'https://b.example.com/',
      'https://b.example.com/',
    ],
  ] as const) {
    it(`to ${redirect_uri} with ${listed.length} listed comes back to ${expected}`, async () => {
      await node.declare({ post_logout_redirect_uris: listed })
      const { ticket } = await node.logIn()
      const { searchParams } = new URL((await logOut(ticket, { redirect_uri })).location)
      expect(searchParams.get('post_logout_redirect_uri')).to.equal(expected)
    })
  }

  it('goes where it was to end for whoever has no ticket that holds', async () => {
    const { ticket } = await node.logIn()
    for (const text of [undefined, '', 'x', `${ticket}x`]) {
      expect(await logOut(text)).to.deep.include({ location: '/bye' })
    }
    await logOut(ticket)
    expect(await logOut(ticket), 'twice').to.deep.include({ location: '/bye' })
    const other = await logOut(ticket, { realm_uri: 'com.example.other' })
    expect(other).to.deep.equal({ location: '/bye' })
  })

  it('goes where it was to end when the provider has no end of sessions', async () => {
    provider.twist = { metadata: { end_session_endpoint: undefined } }
    const { ticket } = await node.logIn()
    expect(await logOut(ticket)).to.include({ location: '/bye' })
    expect(await reason(ticket)).to.equal('the token was revoked')
  })

  it('revokes the ticket when the provider is gone from the realm, or the realm is gone', async () => {
    const [first, second] = [await node.logIn(), await node.logIn()]
    await node.declare({}, { info: {} })
    await node.realms.load({ uri: realm_uri, authmethods: ['oidcrp'] })
    expect(await logOut(first.ticket)).to.deep.equal({ location: '/bye' })
    expect(await reason(first.ticket)).to.equal('the token was revoked')
    await node.realms.remove(realm_uri)
    expect(await logOut(second.ticket)).to.deep.equal({ location: '/bye' })
    expect(await reason(second.ticket)).to.equal('the token was revoked')
  })

  it('revokes the ticket when the provider does not answer', async () => {
    const { ticket } = await node.logIn()
    const later = await openLogins(provider, { clock, name: 'b' })
    await exchange(node, later)
    provider.twist = { answers: { '/.well-known/openid-configuration': { isNever: true } } }
    const isAsked = provider.askedFor('/.well-known/openid-configuration')
    const loggedOut = later.login.logout({
      ...{ realm_uri, ticket, mayRevoke: true, redirect_uri: '/bye' },
      origin: 'https://shop.example.com',
    })
    await isAsked
    clock.elapse()
    expect(await loggedOut).to.deep.include({ location: '/bye' })
    expect(await reasonOf(() => later.tickets.verify(ticket, realm_uri))).to.equal(
      'the token was revoked',
    )
    await later.close()
  })

  it('never fails, whatever is away', async () => {
    const { ticket } = await node.logIn()
    node.store.isAway = true
    const { location } = await logOut(ticket)
    expect(location).to.include('/end?')
    expect(JSON.stringify(node.lines)).to.include('the ticket could not be revoked')
  })
})

describe('an ID token that does not fit into the cookie of the ticket', () => {
  const manyRoles = Array.from({ length: 80 }, (_, index) => `group-${index}`)
  let provider: FakeProvider
  let clock: StillClock
  let node: LoginNode
  beforeEach(async () => {
    clock = new StillClock()
    provider = await FakeProvider.open(() => clock.now())
    node = await openLogins(provider, { clock })
    provider.person = { sub: 'sub-1', preferred_username: 'ada', roles: manyRoles }
  })
  afterEach(async () => {
    await node.close()
    await provider.close()
  })

  const logOut = (at: LoginNode, ticket: string) =>
    at.login.logout({
      ...{ realm_uri, ticket, mayRevoke: true, redirect_uri: '/', origin: 'https://x' },
    })

  it('is kept by the gateway, sealed, for the logout on any node', async () => {
    const other = await openLogins(provider, { clock, name: 'b' })
    const { ticket, claims } = await node.logIn()
    expect(claims.oidc_id_token).to.equal(undefined)
    expect(claims.authroles).to.deep.equal(manyRoles)
    const [entry] = node.replica.entries('id_token')
    expect(entry?.id).to.equal(claims.id)
    expect(entry?.document?.exp, 'a day longer').to.equal(claims.exp + 86_400)
    // how the header of every token of this provider begins; three letters of it may stand in what is sealed
    expect(JSON.stringify(entry)).to.not.include('eyJhbGci')
    await exchange(node, other)
    const hint = new URL((await logOut(other, ticket)).location).searchParams.get('id_token_hint')
    expect(hint).to.match(/^eyJ[\w-]+\.[\w-]+\.[\w-]+$/)
    await other.close()
  })

  it('is forgotten with the ticket', async () => {
    const { ticket, claims } = await node.logIn()
    await logOut(node, ticket)
    expect(node.replica.get('id_token', claims.id)?.document).to.deep.equal({ exp: node.now() })
    clock.ms += 180_000
    await node.replica.sweep()
    expect(node.replica.entries('id_token')).to.deep.equal([])
  })

  it('is there for a late logout, and gone a day after the ticket that nobody ends', async () => {
    await node.declare({ ticket_expiry_secs: 60 })
    const { ticket } = await node.logIn()
    clock.ms += 3_600_000
    await node.replica.sweep()
    expect((await logOut(node, ticket)).location).to.include('id_token_hint=ey')
    await node.logIn()
    clock.ms += 60_000 + 86_400_000 + 180_000
    await node.replica.sweep()
    expect(node.replica.entries('id_token')).to.deep.equal([])
  })

  it('is kept as long as it could be the hint in a URL', async () => {
    const person = { sub: 'sub-1', preferred_username: 'ada' }
    provider.person = { ...person, picture: 'x'.repeat(10_000) }
    const { claims } = await node.logIn()
    expect(node.idTokens.find(claims.id)).to.have.length.greaterThan(10_000)
    provider.person = { ...person, picture: 'x'.repeat(100_000) }
    const { claims: others, ticket } = await node.logIn()
    expect(node.idTokens.find(others.id)).to.equal(undefined)
    expect(await logOut(node, ticket)).to.include({ location: '/' })
  })

  for (const length of [100, 120, 250]) {
    it(`does not help where the roles alone are too many: ${length}`, async () => {
      const roles = Array.from({ length }, (_, index) => `a-group-with-a-long-name-${index}`)
      provider.person = { sub: 'sub-1', preferred_username: 'ada', roles }
      expect(await codeOf(() => node.logIn())).to.equal('ticket_too_large')
      expect(node.left()).to.deep.equal([])
    })
  }

  for (const [what, cookie_domain, limit] of [
    ['3,800 bytes', 'shop.example.com', [3_790, 3_800]],
    ['4,096 bytes with all its attributes', `${'a-label.'.repeat(31)}example.com`, [4_086, 4_096]],
  ] as const) {
    it(`is in the ticket as long as the cookie is not larger than ${what}`, async () => {
      await node.declare({ cookie_domain })
      const attributes = `; Path=/; Max-Age=2592000; SameSite=Strict; Secure; Domain=${cookie_domain}; HttpOnly`
      let [fits, isTooMuch, largest] = [0, 3_000, '']
      while (isTooMuch - fits > 1) {
        const middle = Math.floor((fits + isTooMuch) / 2)
        const person = { sub: 'sub-1', preferred_username: 'ada', picture: 'x'.repeat(middle) }
        provider.person = person
        const { ticket, claims } = await node.logIn()
        if (claims.oidc_id_token === undefined) isTooMuch = middle
        else {
          fits = middle
          largest = `service_ticket_${realm_uri}=${ticket}`
        }
      }
      const size = limit[1] > 3_800 ? largest.length + attributes.length : largest.length
      expect(size).to.be.within(limit[0], limit[1])
    })
  }

  it('is not told to whoever has another key', async () => {
    const { claims } = await node.logIn()
    const entry = node.replica.get('id_token', claims.id)
    expect(node.idTokens.find('another')).to.equal(undefined)
    await node.replica.change('id_token', () => [
      { id: 'another', document: entry?.document ?? null },
    ])
    expect(node.idTokens.find('another')).to.equal(undefined)
  })
})
