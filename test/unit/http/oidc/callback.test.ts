/** The callback: what it hands to the login, which cookies it sets, attribute by attribute, and how failures are told. */
import { expect } from 'chai'
import { loginCookieName, type RememberedLogin } from '#component/oidc/login-state.ts'
import { OidcError, type OidcErrorCode } from '#component/oidc-error.ts'
import { oidc, realm_uri, settingsWith } from './fixture.ts'

const line = 'GET /v1/oidc/acme/callback?code=c&state=s&iss=https%3A%2F%2Fid.example'
const cleared = (name: string) => `${name}=; Max-Age=0; Path=/; SameSite=Lax; Secure; HttpOnly`

describe('the callback', () => {
  it('hands the login what the browser brought', async () => {
    const { ask, finished } = oidc()
    const cookie = 'a=1; b=2; a=3; service_ticket_x=y'
    await ask(line, { headers: { cookie } })
    const [asked] = finished
    expect(asked).to.deep.include({
      realm_uri,
      provider: 'acme',
      issuer: 'https://api.example/v1',
      address: '192.0.2.1',
      url: 'https://api.example/v1/oidc/acme/callback?code=c&state=s&iss=https%3A%2F%2Fid.example',
    })
    expect(['a', 'b', 'c'].map((name) => asked?.cookieOf(name))).to.deep.equal([
      undefined,
      '2',
      undefined,
    ])
  })

  it('reads the provider of the path', async () => {
    const { ask, finished } = oidc()
    await ask('GET /v1/oidc/a%20b/callback?code=c&state=s')
    expect(finished[0]?.provider).to.equal('a b')
  })

  it('redirects to where the login was begun, with both cookies as specified', async () => {
    const { status, headers, cookies, body } = await oidc().ask(line)
    expect([status, headers.location, body.kind]).to.deep.equal([302, '/home', 'none'])
    expect(headers).to.include({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' })
    expect(cookies).to.deep.equal([
      `service_ticket_${realm_uri}=a.new.ticket; Path=/; Max-Age=2592000; SameSite=Lax; Secure; HttpOnly`,
      `service_csrf_${realm_uri}=uuid.mac; Path=/; Max-Age=2592000; SameSite=Lax; Secure`,
      cleared('__Host-service_login_0123456789abcdef'),
    ])
  })

  it('goes by the settings of the provider', async () => {
    const settings = { cookie_same_site: 'none', cookie_domain: 'api.example' } as const
    const { cookies } = await oidc({ settings, finish: { maxAge: 60 } }).ask(line)
    expect(cookies.slice(0, 2)).to.deep.equal([
      `service_ticket_${realm_uri}=a.new.ticket; Path=/; Max-Age=60; SameSite=None; Secure; Domain=api.example; HttpOnly`,
      `service_csrf_${realm_uri}=uuid.mac; Path=/; Max-Age=60; SameSite=None; Secure; Domain=api.example`,
    ])
  })

  for (const [cookie_domain, host, domain] of [
    ['api.example', 'app.api.example', 'api.example'],
    ['.API.example', 'app.api.example', 'api.example'],
    ['app.api.example', 'app.api.example', 'app.api.example'],
    ['localhost', 'localhost', 'localhost'],
    ['evil.com', 'app.api.example', undefined],
    ['pi.example', 'api.example', undefined],
    ['x.app.api.example', 'app.api.example', undefined],
    ['example', 'api.example', undefined],
    ['0.0.1', '127.0.0.1', undefined],
    ['api.example; HttpOnly=no', 'app.api.example', undefined],
    ['', 'api.example', undefined],
  ] as const) {
    it(`sets cookies of ${host} for ${domain ?? 'the host'} when the domain is "${cookie_domain}"`, async () => {
      const { cookies } = await oidc({ settings: { cookie_domain } }).ask(line, { host })
      const found = cookies.slice(0, 2).map((text) => /; Domain=([^;]*)/.exec(text)?.[1])
      expect(found).to.deep.equal([domain, domain])
    })
  }

  it('goes to / when the place is allowed no more', async () => {
    const place = (redirect_uri: string, allowed: readonly string[]) =>
      oidc({ finish: { redirect_uri, settings: settingsWith({ allowed_redirect_uris: allowed }) } })
        .ask(line)
        .then(({ headers }) => headers.location)
    expect(await place('https://spa.example/', [])).to.equal('/')
    expect(await place('//evil.com', [])).to.equal('/')
    expect(await place('https://spa.example/x', ['https://spa.example'])).to.equal(
      'https://spa.example/x',
    )
  })

  const failures: readonly (readonly [OidcErrorCode, number])[] = [
    ['missing_code_or_state', 400],
    ['invalid_state', 400],
    ['state_expired', 400],
    ['realm_mismatch', 400],
    ['token_exchange_failed', 400],
    ['missing_authid_claim', 400],
    ['unknown_provider', 404],
    ['provider_unavailable', 500],
    ['ticket_issue_failed', 500],
  ]
  for (const [error, status] of failures) {
    it(`answers ${status} ${error}, sets no ticket, and leaves no login behind`, async () => {
      const { ask, logged } = oidc({ finish: new OidcError(error, 'the reason for the log') })
      const cookie = `${loginCookieName('s')}=v1.sealed`
      const reply = await ask(line, { headers: { cookie } })
      expect([reply.status, reply.value]).to.deep.equal([status, { error }])
      expect(reply.cookies).to.deep.equal([cleared(loginCookieName('s'))])
      expect(reply.headers).to.include({ 'cache-control': 'no-store' })
      expect(JSON.stringify({ ...reply, failure: {} })).not.to.contain('the reason')
      expect(JSON.stringify(logged)).to.contain('the reason for the log')
    })
  }

  const person = { accept: 'text/html,*/*;q=0.8' }

  /** What is remembered of a login. */
  const login: RememberedLogin = {
    ...{ realm_uri, provider: 'acme', redirect_uri: '/home', client_id: 'all', device_id: 'all' },
    ...{ isSuperseded: false, isSilent: false },
  }

  for (const [what, more, href] of [
    ['provider and page', {}, 'provider=acme&amp;redirect_uri=%2Fhome'],
    [
      'an address of a listed origin',
      { redirect_uri: 'https://spa.example/x' },
      'provider=acme&amp;redirect_uri=https%3A%2F%2Fspa.example%2Fx',
    ],
    [
      'client and device',
      { client_id: 'app', device_id: 'd1' },
      'provider=acme&amp;redirect_uri=%2Fhome&amp;client_id=app&amp;device_id=d1',
    ],
    [
      'provider, where the callback is that of another',
      { provider: 'partners' },
      'provider=partners&amp;redirect_uri=%2Fhome',
    ],
    [
      'page, where the login was one of another realm',
      { realm_uri: 'com.other', provider: 'x' },
      'provider=acme&amp;redirect_uri=%2Fhome',
    ],
  ] as const) {
    it(`links back to what was asked for: ${what}`, async () => {
      const finish = new OidcError('token_exchange_failed', 'x')
      const { ask } = oidc({ finish, remembered: { ...login, ...more } })
      const { value } = await ask(line, { headers: person })
      expect(value).to.include(`<a href="/v1/oidc/login?${href}">Log in again</a>`)
    })
  }

  for (const [redirect_uri, place] of [
    ['/home?a=1', '/home?a=1'],
    ['https://spa.example/x', 'https://spa.example/x'],
    ['https://delisted.example/', '/'],
    ['//evil.example', '/'],
  ] as const) {
    it(`leads a person who comes back to a finished login to ${place}`, async () => {
      const { ask } = oidc({
        finish: new OidcError('invalid_state', 'the login is already finished'),
        settings: { allowed_redirect_uris: ['https://spa.example'] },
        remembered: { ...login, redirect_uri },
      })
      const { status, headers, cookies } = await ask(line, { headers: person })
      expect([status, headers.location, cookies]).to.deep.equal([302, place, []])
      expect((await ask(line)).value, 'a script').to.deep.equal({ error: 'invalid_state' })
    })
  }

  it('answers HEAD, and finishes nothing', async () => {
    const { ask, finished } = oidc()
    const { status, cookies } = await ask(line.replace('GET', 'HEAD'))
    expect([status, cookies, finished]).to.deep.equal([200, [], []])
  })

  for (const [error, status] of failures) {
    it(`tells a person of ${error} by a page with a way on`, async () => {
      // the login of another provider is no answer to this callback
      const provider = error === 'invalid_state' ? 'partners' : 'acme'
      const remembered = { ...login, provider, redirect_uri: '/home?a=1&b=2' }
      const { ask } = oidc({ finish: new OidcError(error, 'the reason for the log'), remembered })
      const reply = await ask(line, { headers: person })
      const html = String(reply.value)
      expect(reply.status).to.equal(status)
      expect(html)
        .to.have.length.below(4_096)
        .and.match(/^<!doctype html>/)
      expect(html).to.include(error).and.not.include('<script')
      expect(html).not.to.include('the reason')
      const href = `/v1/oidc/login?provider=${provider}&amp;redirect_uri=%2Fhome%3Fa%3D1%26b%3D2`
      expect(html.includes(`href="${href}"`)).to.equal(error !== 'unknown_provider')
      expect(reply.headers).to.include({
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-store',
        'referrer-policy': 'no-referrer',
      })
      expect(reply.headers['content-security-policy']).to.include("default-src 'none'")
    })
  }

  it('tells of an error of the provider by its code alone, which is no part of the page', async () => {
    const answer = { provider_code: '<b>"&', provider_description: 'secret' }
    const { ask, logged } = oidc({ finish: new OidcError('provider_error', 'x', { answer }) })
    const { status, value } = await ask(line)
    expect([status, value]).to.deep.equal([
      400,
      { error: 'provider_error', provider_code: '<b>"&' },
    ])
    const page = String((await ask(line, { headers: person })).value)
    expect(page).to.include('provider_error: &lt;b&gt;&quot;&amp;').and.not.include('<b>')
    expect(page).not.to.include('secret')
    expect(JSON.stringify(logged)).to.include('secret')
  })

  it('tells a person without a session at the provider what to do, where the page has only asked for one', async () => {
    const answer = { provider_code: 'login_required' }
    const finish = new OidcError('provider_error', 'x', { answer })
    const pageFor = async (redirect_uri: string) => {
      const remembered = { ...login, redirect_uri, isSilent: true }
      return String((await oidc({ finish, remembered }).ask(line, { headers: person })).value)
    }
    const page = await pageFor('/home')
    expect(page).to.include('You are not logged in at the identity provider.')
    expect(page).to.include(
      '<a href="/v1/oidc/login?provider=acme&amp;redirect_uri=%2Fhome">Log in<',
    )
    expect(page).to.include('<a href="/home">Continue without logging in</a>')
    expect(await pageFor('https://elsewhere.example/')).not.to.include('Continue')
  })

  it('begins a login anew whose place later ones have taken, for a person', async () => {
    const remembered = { ...login, isSuperseded: true }
    const { ask } = oidc({ finish: new OidcError('invalid_state', 'superseded'), remembered })
    const { status, headers, body } = await ask(line, { headers: person })
    expect([status, headers.location, body.kind]).to.deep.equal([
      302,
      '/v1/oidc/login?provider=acme&redirect_uri=%2Fhome',
      'none',
    ])
    expect((await ask(line)).value).to.deep.equal({ error: 'invalid_state' })
  })

  it('leads to the login behind a proxy that takes a part of the path away', async () => {
    const base = 'https://api.example/shop'
    const { ask } = oidc({ base, finish: new OidcError('state_expired', 'late') })
    const { value } = await ask(line, { headers: person })
    expect(value).to.include('href="/shop/v1/oidc/login?provider=acme"')
  })

  for (const [settings, isSaid] of [
    [{}, false],
    [{ cookie_same_site: 'none' }, false],
    [{ cookie_domain: 'elsewhere.example' }, false],
    [{ cookie_same_site: 'strict' }, true],
    [{ cookie_domain: 'api.example' }, true],
  ] as const) {
    it(`${isSaid ? 'says' : 'need not say'} for half a minute that there was a login with ${JSON.stringify(settings)}`, async () => {
      const { cookies } = await oidc({ settings }).ask(line)
      const said = `__Host-service_return_${realm_uri}=1; Max-Age=30; Path=/; SameSite=Lax; Secure; HttpOnly`
      expect(cookies.filter((one) => one.includes('return_'))).to.deep.equal(isSaid ? [said] : [])
    })
  }

  it('clears tickets that were set for other domains', async () => {
    const headers = { cookie: `service_ticket_${realm_uri}=old` }
    const domainsWith = async (settings: { cookie_domain?: string }) => {
      const { cookies } = await oidc({ settings }).ask(line, { headers })
      return cookies
        .filter((one) => one.startsWith(`service_ticket_${realm_uri}=; Max-Age=0`))
        .map((one) => /Domain=([^;]*)/.exec(one)?.[1])
    }
    expect(await domainsWith({})).to.deep.equal(['app.api.example', 'api.example'])
    expect(await domainsWith({ cookie_domain: 'api.example' })).to.deep.equal([
      undefined,
      'app.api.example',
    ])
  })

  it('clears nothing of another browser', async () => {
    const { ask } = oidc({ finish: new OidcError('invalid_state', 'unknown') })
    expect((await ask(line)).cookies).to.deep.equal([])
  })

  it('lets a bug be a bug', async () => {
    const { ask } = oidc({
      finish: {
        get redirect_uri(): string {
          throw new TypeError('bug')
        },
      },
    })
    const error = await ask(line).catch((thrown: unknown) => thrown)
    expect(error).to.be.instanceOf(TypeError)
  })

  it('is a GET', async () => {
    const reply = await oidc().ask('POST /v1/oidc/acme/callback')
    expect(reply.status).to.equal(405)
    expect(reply.value).to.include({ code: 'service.error.method_not_allowed' })
  })
})
