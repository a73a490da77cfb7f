/** Paths under `oidc`: who passes with a ticket, from its cookie or as a bearer, and what everybody else is told. */
import { expect } from 'chai'
import { ServiceError } from '#component/errors.ts'
import type { Identity } from '#component/identity.ts'
import { csrfOf } from '#component/oidc/csrf.ts'
import { SecretBox } from '#component/secret-box.ts'
import { OidcScheme } from '#component/security/oidc/authenticate.ts'
import type { TicketClaims } from '#component/token/ticket.ts'
import { TokenError } from '#component/token/token-error.ts'
import { FakeLogins, outcomeOf, protectedBy, realm_uri, requestWith, userNamed } from './doubles.ts'

const protection = protectedBy('oidc', { provider: 'acme' })
const box = new SecretBox('a store key of the tests')

const claimsOf = (authid: string, more: Partial<TicketClaims> = {}): TicketClaims => ({
  ...{ iss: 'https://api.example/v1', sub: authid, aud: realm_uri, exp: 2_000, iat: 1_000 },
  ...{ jti: `of ${authid}`, id: `of ${authid}`, authrealm: realm_uri, authid },
  ...{ authmethod: 'oidcrp', authroles: ['admins'], issued_by: authid, issued_on: 'n1' },
  ...{ issued_at: 1_000, expires_at: 2_000, kid: 'k1', oidc_provider: 'acme' },
  scope: { realm: realm_uri, client_id: 'spa', device_id: 'd' },
  ...more,
})

const ticketName = `service_ticket_${realm_uri}`
const csrfName = `service_csrf_${realm_uri}`
const csrfFor = (authid: string) => csrfOf(box, realm_uri, `of ${authid}`)

describe('a path under oidc', () => {
  let logins: FakeLogins
  let scheme: OidcScheme
  let isFresh: boolean
  let known: string[]

  const tickets: Readonly<Record<string, TicketClaims>> = {
    good: claimsOf('ada'),
    stranger: claimsOf('zoe'),
    claiming: claimsOf('ada', { oidc_claims: { email: 'ada@example.com' } }),
    gone: claimsOf('eve'),
    local: claimsOf('ada', { authmethod: 'ticket' }),
    other: claimsOf('ada', { oidc_provider: 'other' }),
    fallback: claimsOf('ada', { oidc_provider: 'default' }),
  }

  beforeEach(() => {
    logins = new FakeLogins()
    isFresh = false
    known = ['ada', 'zoe']
    const verify = (ticket: string, realm: string) => {
      const found = realm === realm_uri ? tickets[ticket] : undefined
      if (!found) throw new TokenError('the ticket has expired')
      return isFresh ? Promise.resolve(found) : found
    }
    const accounts = {
      isKnown: (realm: string, authid: string) => realm === realm_uri && known.includes(authid),
    }
    scheme = new OidcScheme({ tickets: { verify }, accounts, logins, box })
  })

  const ask = (
    headers: Readonly<Record<string, string>>,
    method: 'get' | 'head' | 'post' | 'put' | 'patch' | 'delete' = 'get',
    at = protection,
  ) => {
    const request = requestWith(headers, undefined, { method })
    return outcomeOf(() => scheme.authenticate(request, at))
  }
  const cookie = `a=b; ${ticketName}=good; ${csrfName}=${csrfFor('ada')}`
  const refused = (error = '') => [
    401,
    'service.error.unauthorized',
    `Bearer realm="${realm_uri}"${error}`,
  ]
  const invalid = (reason: string) =>
    refused(`, error="invalid_token", error_description="${reason}"`)

  it('passes on who has logged in, with the roles of the ticket', async () => {
    const expected = {
      realm_uri,
      authid: 'ada',
      username: 'ada',
      authmethod: 'oidcrp',
      authroles: ['admins'],
      groups: ['staff', 'buyers'],
      meta: { locale: 'de', age: 7 },
      locale: 'de',
      client_id: 'spa',
      session: 'of ada',
    }
    for (const headers of [{ cookie }, { authorization: 'Bearer good' }]) {
      isFresh = false
      expect(await ask(headers)).to.deep.equal(expected)
      isFresh = true
      expect(await ask(headers)).to.deep.equal(expected)
      expect(await ask(headers, 'head')).to.deep.equal(expected)
    }
  })

  it('passes on the claims that the ticket carries', async () => {
    const identity = await ask({ authorization: 'Bearer claiming' })
    expect(identity).to.have.deep.property('claims', { email: 'ada@example.com' })
  })

  it('tells when the ticket expires, beside what expressions see', async () => {
    const identity = await ask({ authorization: 'Bearer good' })
    expect(identity).to.have.property('expires_at', 2_000_000)
    expect({ ...identity }).to.not.have.property('expires_at')
  })

  it('passes on somebody of whom the realm itself says nothing, whose groups are the roles', async () => {
    expect(await ask({ authorization: 'Bearer stranger' })).to.deep.include({
      ...{ authid: 'zoe', username: 'zoe', authroles: ['admins'], groups: ['admins'], meta: {} },
    })
  })

  for (const [what, headers] of [
    ['nothing', {}],
    ['another scheme', { authorization: 'Basic good' }],
    ['the cookie of another realm', { cookie: 'service_ticket_com.example.other=good' }],
    ['a cookie that begins like it', { cookie: `${ticketName}.x=good` }],
    ['an empty cookie', { cookie: `${ticketName}=` }],
    ['two ticket cookies', { cookie: `${ticketName}=good; ${ticketName}=good` }],
    ['a second one without a name', { cookie: `${ticketName}=good; ${ticketName}` }],
    ['a quoted cookie', { cookie: `${ticketName}="good"` }],
  ] as const) {
    it(`asks for a ticket when there is ${what}`, async () => {
      expect(await ask(headers)).to.deep.equal(refused())
    })
  }

  for (const [what, ticket, reason] of [
    ['is not valid now', 'bad', 'the ticket has expired'],
    ['is of a user that is gone', 'gone', 'the user of the ticket no longer exists'],
    ['is not of a login', 'local', 'the ticket does not come from a login at a provider'],
    ['is of another provider', 'other', 'the ticket comes from a login at another provider'],
  ] as const) {
    it(`says so when the ticket ${what}`, async () => {
      for (const fresh of [false, true]) {
        isFresh = fresh
        expect(await ask({ cookie: `${ticketName}=${ticket}` })).to.deep.equal(invalid(reason))
        expect(await ask({ authorization: `Bearer ${ticket}` })).to.deep.equal(invalid(reason))
      }
    })
  }

  it('takes tickets of the provider "default" where a path names none', async () => {
    const at = protectedBy('oidc')
    const bearing = (ticket: string) => ask({ authorization: `Bearer ${ticket}` }, 'get', at)
    expect(await bearing('fallback')).to.include({ authid: 'ada' })
    expect(await bearing('good')).to.deep.equal(
      invalid('the ticket comes from a login at another provider'),
    )
  })

  it('takes no ticket of another realm', async () => {
    const other = { ...protection, realm_uri: 'com.example.other' }
    const headers = { cookie: `${cookie}; service_ticket_com.example.other=good` }
    const [status] = (await ask(headers, 'get', other)) as unknown[]
    expect(status).to.equal(401)
  })

  it('goes by the bearer where both are sent', async () => {
    const both = { authorization: 'Bearer bad', cookie }
    expect(await ask(both)).to.deep.equal(invalid('the ticket has expired'))
  })

  it('gives the same frozen identity at once for a ticket that is known, until its user changes', () => {
    const request = requestWith({ authorization: 'Bearer good' })
    const first = scheme.authenticate(request, protection) as Identity
    expect(scheme.authenticate(request, protection)).to.equal(first)
    expect(first).to.be.frozen
    logins.change({ ada: userNamed('ada', ['x'], {}) }, '')
    expect(scheme.authenticate(request, protection)).to.deep.include({ groups: ['x'] })
    known = []
    expect(() => scheme.authenticate(request, protection)).to.throw(ServiceError)
  })

  it('passes a failure on that is not about the ticket', async () => {
    const verify = () => Promise.reject(new RangeError('the store is away'))
    const accounts = { isKnown: () => true }
    const broken = new OidcScheme({ tickets: { verify }, accounts, logins, box })
    const request = requestWith({ authorization: 'Bearer good' })
    const error: unknown = await Promise.resolve(broken.authenticate(request, protection)).catch(
      (thrown: unknown) => thrown,
    )
    expect(error).to.be.instanceOf(RangeError)
  })

  const token = csrfFor('ada')
  const withToken = (value: string) => `${ticketName}=good; ${csrfName}=${value}`
  for (const [what, headers] of [
    ['without the header', { cookie }],
    ['with an empty header', { cookie: `${ticketName}=good; ${csrfName}=`, 'x-csrf-token': '' }],
    ['with another header', { cookie, 'x-csrf-token': csrfFor('ada') }],
    ['without the CSRF cookie', { cookie: `${ticketName}=good`, 'x-csrf-token': token }],
    ['with two CSRF cookies', { cookie: `${cookie}; ${csrfName}=x`, 'x-csrf-token': token }],
    ['with a planted cookie', { cookie: withToken('planted'), 'x-csrf-token': 'planted' }],
    ['with a planted pair', { cookie: withToken('a.b'), 'x-csrf-token': 'a.b' }],
    [
      'with the value of another ticket',
      { cookie: withToken(csrfFor('eve')), 'x-csrf-token': csrfFor('eve') },
    ],
  ] as const) {
    it(`refuses unsafe methods by the cookie ${what}`, async () => {
      for (const method of ['post', 'put', 'patch', 'delete'] as const) {
        for (const fresh of [false, true]) {
          isFresh = fresh
          expect(await ask(headers, method), method).to.deep.equal([
            ...[403, 'wamp.error.not_authorized', undefined],
          ])
        }
      }
      expect(await ask(headers)).to.have.property('authid', 'ada')
    })
  }

  it('lets unsafe methods pass with the header, and bearers without', async () => {
    for (const method of ['post', 'put', 'patch', 'delete'] as const) {
      expect(
        await ask({ cookie: withToken(token), 'x-csrf-token': token }, method),
      ).to.have.property('authid', 'ada')
      expect(await ask({ authorization: 'Bearer good' }, method)).to.have.property('authid', 'ada')
    }
  })

  it('tells a bad ticket before a missing header', async () => {
    const [status] = (await ask({ cookie: `${ticketName}=bad` }, 'post')) as unknown[]
    expect(status).to.equal(401)
  })
})

describe('a method that changes something, with the ticket cookie and csrf: fetch_metadata', () => {
  const isOf = (
    headers: Readonly<Record<string, string>>,
    object: object = { csrf: 'fetch_metadata' },
    scheme: 'http' | 'https' = 'https',
    method: 'get' | 'post' | 'put' | 'patch' | 'delete' = 'post',
  ) => {
    const claims = claimsOf('ada')
    const scheme_ = new OidcScheme({
      tickets: { verify: () => claims },
      accounts: { isKnown: () => true },
      logins: new FakeLogins(),
      box,
    })
    const all = { cookie: `${ticketName}=good`, host: 'api.example.com', ...headers }
    const request = requestWith(all, undefined, { method, scheme })
    const at = protectedBy('oidc', { provider: 'acme', ...object })
    return outcomeOf(() => scheme_.authenticate(request, at))
  }
  const own = 'https://api.example.com'
  const token = csrfFor('ada')

  for (const [what, headers] of [
    ['a page of this origin', { 'sec-fetch-site': 'same-origin', origin: own }],
    ['a page of this origin, without Origin', { 'sec-fetch-site': 'same-origin' }],
    ['the user alone', { 'sec-fetch-site': 'none' }],
    ['a page of this origin in a browser without Sec-Fetch-Site', { origin: own }],
    ['a page of this origin at a port', { origin: `${own}:8443`, host: 'api.example.com:8443' }],
    ['a page of this origin, of a host in capitals', { origin: own, host: 'API.example.com' }],
    [
      'a page of another origin that has the token',
      {
        ...{ 'sec-fetch-site': 'cross-site', 'x-csrf-token': token },
        cookie: `${ticketName}=good; ${csrfName}=${token}`,
      },
    ],
  ] as const) {
    it(`passes from ${what}`, async () => {
      for (const method of ['post', 'put', 'patch', 'delete'] as const) {
        expect(await isOf(headers, undefined, 'https', method)).to.include({ authid: 'ada' })
      }
    })
  }

  for (const [what, headers] of [
    ['neither field', {}],
    ['a page of another site', { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }],
    [
      'a page of another site that claims this Origin',
      { 'sec-fetch-site': 'cross-site', origin: own },
    ],
    [
      'a page of a subdomain',
      { 'sec-fetch-site': 'same-site', origin: 'https://a.api.example.com' },
    ],
    ['a page of a subdomain, by Origin', { origin: 'https://a.api.example.com' }],
    ['a page of the domain above, by Origin', { origin: 'https://example.com' }],
    ['a host that begins alike', { origin: `${own}.evil.example` }],
    ['a page by http', { origin: 'http://api.example.com' }],
    ['a page at another port', { origin: `${own}:8443` }],
    [
      'a page at the port that the scheme implies, which no browser writes',
      { origin: `${own}:443` },
    ],
    ['an opaque origin', { origin: 'null' }],
    ['an empty Origin', { origin: '' }],
    ['an Origin with a path', { origin: `${own}/` }],
    ['two origins', { origin: `${own}, https://evil.example` }],
    ['a Referer of this origin alone', { referer: `${own}/page` }],
    ['an empty Sec-Fetch-Site', { 'sec-fetch-site': '', origin: own }],
    ['a Sec-Fetch-Site of two', { 'sec-fetch-site': 'same-origin, cross-site', origin: own }],
    ['a Sec-Fetch-Site in capitals', { 'sec-fetch-site': 'Same-Origin', origin: own }],
    ['Sec-Fetch-Mode alone', { 'sec-fetch-mode': 'same-origin' }],
  ] as const) {
    it(`is refused from ${what}`, async () => {
      const [status, uri] = (await isOf(headers)) as unknown as readonly unknown[]
      expect([status, uri]).to.deep.equal([403, 'wamp.error.not_authorized'])
    })
  }

  it('is refused from a page by https where the request comes by http', async () => {
    const [status] = (await isOf(
      { origin: own },
      undefined,
      'http',
    )) as unknown as readonly unknown[]
    expect(status).to.equal(403)
    expect(await isOf({ origin: 'http://api.example.com' }, undefined, 'http')).to.include({
      authid: 'ada',
    })
  })

  it('is refused without the token where the document does not say so', async () => {
    for (const object of [{}, { csrf: 'token' }]) {
      const [status] = (await isOf(
        { 'sec-fetch-site': 'same-origin', origin: own },
        object,
      )) as unknown as readonly unknown[]
      expect(status).to.equal(403)
    }
  })

  it('is none of a GET, which passes from everywhere', async () => {
    const headers = { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }
    expect(await isOf(headers, undefined, 'https', 'get')).to.include({ authid: 'ada' })
  })
})
