/** Logout: what ends and what does not, which cookies are cleared, and that it never fails visibly. */
import { expect } from 'chai'
import { cookieField, csrfIn, oidc, otherRealm, realm_uri } from './fixture.ts'

const clearedOf = (realm: string, more = '') =>
  ['ticket', 'csrf'].map(
    (name) => `service_${name}_${realm}=; Max-Age=0; Path=/; SameSite=Lax; Secure${more}`,
  )
const csrf = csrfIn(realm_uri)
const cookie = cookieField(realm_uri, csrf)

describe('the logout endpoint', () => {
  for (const method of ['GET', 'POST']) {
    it(`clears both cookies and redirects, by ${method} without any`, async () => {
      const { ask, loggedOut } = oidc()
      const { status, headers, cookies, body } = await ask(`${method} /v1/oidc/logout`)
      expect([status, headers.location, body.kind]).to.deep.equal([302, '/', 'none'])
      expect(headers).to.include({ 'cache-control': 'no-store' })
      expect(cookies).to.deep.equal(clearedOf(realm_uri))
      expect(loggedOut).to.deep.equal([
        {
          ...{ realm_uri, ticket: undefined, routeProvider: 'acme', mayRevoke: false },
          ...{ redirect_uri: '/', origin: 'https://api.example' },
        },
      ])
    })
  }

  it('goes where the provider wants it', async () => {
    const { ask } = oidc({ logout: () => ({ location: 'https://id.example/end?x=1' }) })
    const { status, headers } = await ask('GET /v1/oidc/logout', { headers: { cookie } })
    expect([status, headers.location]).to.deep.equal([302, 'https://id.example/end?x=1'])
  })

  for (const [what, line, headers, mayRevoke] of [
    ['a link', 'GET', { cookie }, true],
    ['a form without the header', 'POST', { cookie }, false],
    ['a form with the header', 'POST', { cookie, 'x-csrf-token': csrf }, true],
    ['a wrong header', 'POST', { cookie, 'x-csrf-token': csrfIn(realm_uri) }, false],
    [
      'a header that a subdomain planted the cookie for',
      'POST',
      { cookie: cookieField(realm_uri, 'planted.value'), 'x-csrf-token': 'planted.value' },
      false,
    ],
    [
      'the value of another ticket',
      'POST',
      {
        cookie: cookieField(realm_uri, csrfIn(otherRealm)),
        'x-csrf-token': csrfIn(otherRealm),
      },
      false,
    ],
    [
      'a header without its cookie',
      'POST',
      { cookie: cookie.split(';')[0], 'x-csrf-token': csrf },
      false,
    ],
    ['a ticket that is none', 'GET', { cookie: `service_ticket_${realm_uri}=x.y.z` }, false],
    ['two tickets', 'GET', { cookie: `${cookie}; service_ticket_${realm_uri}=x` }, false],
  ] as const) {
    it(`ends ${mayRevoke ? 'the ticket' : 'nothing'} by ${line} with ${what}, and clears the cookies`, async () => {
      const { ask, loggedOut } = oidc()
      const sent = Object.fromEntries(Object.entries(headers).map(([k, v]) => [k, String(v)]))
      const { status, cookies } = await ask(`${line} /v1/oidc/logout`, { headers: sent })
      expect([status, cookies.slice(0, 2)]).to.deep.equal([302, clearedOf(realm_uri)])
      expect(loggedOut.map((asked) => asked.mayRevoke)).to.deep.equal([mayRevoke])
    })
  }

  it('is of the realm that it names: its ticket, its cookies', async () => {
    const { ask, loggedOut } = oidc()
    const both = `${cookie}; ${cookieField(otherRealm, csrfIn(otherRealm))}`
    const { cookies } = await ask(`GET /v1/oidc/logout?realm=${otherRealm}`, {
      headers: { cookie: both },
    })
    expect(cookies).to.deep.equal(clearedOf(otherRealm))
    expect(loggedOut[0]).to.include({ realm_uri: otherRealm, ticket: `ticket.of.${otherRealm}` })
  })

  it('clears and redirects when realm and provider are gone', async () => {
    const { ask } = oidc({ logout: ({ redirect_uri }) => ({ location: redirect_uri }) })
    const { status, headers, cookies } = await ask(
      'GET /v1/oidc/logout?realm=com.gone&redirect_uri=/bye',
    )
    expect([status, headers.location]).to.deep.equal([302, '/bye'])
    expect(cookies).to.deep.equal(clearedOf('com.gone'))
  })

  for (const realm of ['a; Domain=evil.com', 'a\r\nset-cookie: x=y', 'a=b', 'ä', 'a b', '']) {
    it(`clears no cookie of the realm ${JSON.stringify(realm)} that could not be one`, async () => {
      const { status, cookies } = await oidc().ask(
        `GET /v1/oidc/logout?realm=${encodeURIComponent(realm)}`,
      )
      expect(status).to.equal(302)
      for (const text of cookies) expect(clearedOf('')).to.include(text)
    })
  }

  for (const [query, configured, domain] of [
    ['', undefined, undefined],
    ['', 'api.example', 'api.example'],
    ['?cookie_domain=api.example', undefined, 'api.example'],
    ['?cookie_domain=app.api.example', 'api.example', 'app.api.example'],
    ['?cookie_domain=evil.com', undefined, undefined],
    ['?cookie_domain=evil.com', 'api.example', 'api.example'],
    ['?cookie_domain=example', undefined, undefined],
    ['?cookie_domain=', 'api.example', 'api.example'],
    ['?cookie_domain=x.app.api.example', undefined, undefined],
  ] as const) {
    it(`clears cookies of ${domain ?? 'the host'} for "${query}" where ${configured ?? 'nothing'} is configured`, async () => {
      const { ask } = oidc({ settings: configured ? { cookie_domain: configured } : {} })
      const { cookies } = await ask(`GET /v1/oidc/logout${query}`)
      expect(cookies).to.deep.equal(clearedOf(realm_uri, domain ? `; Domain=${domain}` : ''))
    })
  }

  it('clears cookies of a host with an underscore', async () => {
    const { ask } = oidc({ settings: { cookie_domain: 'my_app.example' } })
    const { cookies } = await ask('GET /v1/oidc/logout', { host: 'my_app.example' })
    expect(cookies).to.deep.equal(clearedOf(realm_uri, '; Domain=my_app.example'))
  })

  it('clears cookies as they were set, so that browsers take it', async () => {
    const { cookies } = await oidc({ settings: { cookie_same_site: 'none' } }).ask(
      'GET /v1/oidc/logout',
    )
    for (const text of cookies) expect(text).to.contain('; SameSite=None; Secure')
  })

  it('goes to what the provider lists, or to /', async () => {
    const post_logout_redirect_uris = ['https://spa.example/bye']
    const { ask } = oidc({ settings: { post_logout_redirect_uris } })
    for (const [wanted, location] of [
      ['https://spa.example/bye', 'https://spa.example/bye'],
      ['https://spa.example/other', '/'],
      ['https://evil.com/', '/'],
      ['', '/'],
      ['/a?b#c', '/a?b#c'],
    ] as const) {
      const line = `GET /v1/oidc/logout?redirect_uri=${encodeURIComponent(wanted)}`
      expect((await ask(line)).headers.location, wanted).to.equal(location)
    }
  })
})
