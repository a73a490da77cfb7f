/** The login endpoint: what it asks the provider for, which cookies it sets, and what it refuses before anything begins. */
import { expect } from 'chai'
import { OidcError } from '#component/oidc-error.ts'
import { oidc, settingsWith } from './fixture.ts'

describe('the login endpoint', () => {
  it('redirects to the provider, with a cookie of this browser', async () => {
    const { ask, begun } = oidc()
    const { status, headers, cookies, body } = await ask('GET /v1/oidc/login')
    expect([status, headers.location]).to.deep.equal([302, 'https://id.example/authorize?x=1'])
    expect(cookies).to.deep.equal([
      '__Host-service_login_0123456789abcdef=v1.sealed; Max-Age=900; Path=/; SameSite=Lax; Secure; HttpOnly',
    ])
    expect(body).to.deep.equal({ kind: 'none' })
    expect(begun).to.have.length(1)
    expect(begun[0]).to.deep.include({
      realm_uri: 'com.example.realm',
      provider: undefined,
      routeProvider: 'acme',
      redirect_uri: '/',
      client_id: 'all',
      device_id: 'all',
      loginCookies: new Map(),
    })
    expect(begun[0]?.callbackUrl('a/b c')).to.equal(
      'https://api.example/v1/oidc/a%2Fb%20c/callback',
    )
  })

  it('is not to be kept, framed, or told of to other pages', async () => {
    const { headers } = await oidc().ask('GET /v1/oidc/login')
    expect(headers).to.deep.include({
      'cache-control': 'no-store',
      'content-security-policy': "frame-ancestors 'none'",
      'referrer-policy': 'no-referrer',
    })
  })

  it('passes on what the page says', async () => {
    const { ask, begun } = oidc({ security: { provider: 'other' } })
    await ask(
      'GET /v1/oidc/login?provider=acme&redirect_uri=%2Fa%3Fb%3D1%23c&client_id=web&device_id=d-1',
    )
    expect(begun[0]).to.deep.include({
      provider: 'acme',
      routeProvider: 'other',
      redirect_uri: '/a?b=1#c',
      client_id: 'web',
      device_id: 'd-1',
    })
  })

  it('tells the callback of the longest form of base_path, with its bindings', async () => {
    const { ask, begun } = oidc({ version: { base_path: '/[:tenant]/[v1]' } })
    await ask('GET /a%20b/oidc/login')
    expect(begun[0]?.callbackUrl('acme')).to.equal(
      'https://api.example/a%20b/v1/oidc/acme/callback',
    )
  })

  it('clears two tickets, whichever domains they are of', async () => {
    const ticket = 'service_ticket_com.example.realm'
    const domains = async (cookie: string) => {
      const { cookies } = await oidc().ask('GET /v1/oidc/login', { headers: { cookie } })
      return cookies
        .filter((one) => one.startsWith(`${ticket}=; Max-Age=0`))
        .map((one) => /Domain=([^;]*)/.exec(one)?.[1])
    }
    expect(await domains(`${ticket}=a`)).to.deep.equal([])
    const all = [undefined, 'app.api.example', 'api.example']
    expect(await domains(`${ticket}=a; ${ticket}=b`)).to.deep.equal(all)
  })

  it('clears the cookies of logins that are too many', async () => {
    const [old, older, fresh] = ['1', '2', '3'].map((n) => `__Host-service_login_${n}`)
    const { ask, begun } = oidc({
      begin: () => ({
        location: 'https://id.example/',
        cookies: [
          { name: 'n', value: 'v' },
          { name: String(older), value: '' },
          { name: String(old), value: '' },
        ],
        settings: settingsWith(),
      }),
    })
    const cookie = `${old}=a; x=y; ${older}=b; ${fresh}=c; ${fresh}=d`
    const { cookies } = await ask('GET /v1/oidc/login', { headers: { cookie } })
    expect(begun[0]?.loginCookies).to.deep.equal(
      new Map([
        [old, 'a'],
        [older, 'b'],
      ]),
    )
    expect(cookies.slice(1)).to.deep.equal(
      [older, old].map((name) => `${name}=; Max-Age=0; Path=/; SameSite=Lax; Secure; HttpOnly`),
    )
  })

  for (const [query, status, error] of [
    ['provider=nope', 404, 'unknown_provider'],
    ['provider=__proto__', 404, 'unknown_provider'],
    ['provider=', 404, 'unknown_provider'],
    ['redirect_uri=https%3A%2F%2Fevil.com', 400, 'invalid_redirect_uri'],
    ['redirect_uri=%2F%255cevil.com', 400, 'invalid_redirect_uri'],
    ['redirect_uri=%2Fx%3Fy%3D%252F', 400, 'invalid_redirect_uri'],
    ['redirect_uri=%2Fx%2500', 400, 'invalid_redirect_uri'],
    ['redirect_uri=', 400, 'invalid_redirect_uri'],
    ['redirect_uri', 400, 'invalid_redirect_uri'],
    ['redirect_uri=%2F&redirect_uri=%2F%2Fevil.com', 400, 'invalid_redirect_uri'],
    [`redirect_uri=%2F${'a'.repeat(9_000)}`, 400, 'invalid_redirect_uri'],
  ] as const) {
    it(`answers ${status} ${error} to ?${query.slice(0, 60)}, and begins nothing`, async () => {
      const { ask, begun } = oidc()
      const reply = await ask(`GET /v1/oidc/login?${query}`)
      expect([reply.status, reply.value]).to.deep.equal([status, { error }])
      expect(reply.headers['cache-control']).to.equal('no-store')
      expect(reply.cookies).to.deep.equal([])
      expect(begun).to.deep.equal([])
    })
  }

  for (const query of [
    'client_id=',
    'device_id=a%20b',
    'client_id=a%0d%0ab',
    'client_id=%C3%A9',
    `device_id=${'d'.repeat(129)}`,
  ]) {
    it(`answers 400 to ?${query.slice(0, 40)}, saying what is allowed`, async () => {
      const { ask, begun } = oidc()
      const { status, value } = await ask(`GET /v1/oidc/login?${query}`)
      expect(status).to.equal(400)
      expect(value).to.deep.include({ code: 'service.error.bad_request' })
      expect((value as { message: string }).message).to.match(/_id: expected 1 to 128 visible/)
      expect(begun).to.deep.equal([])
    })
  }

  it('goes back to what the provider lists, and to nothing like it', async () => {
    const allowed_redirect_uris = ['https://spa.example', 'https://a.example/in?x=1', 'nonsense']
    const { ask, begun } = oidc({ settings: { allowed_redirect_uris } })
    for (const good of [
      'https://spa.example',
      'https://SPA.example:443/x?y#z',
      'https://a.example/in?x=1',
    ]) {
      const { status } = await ask(`GET /v1/oidc/login?redirect_uri=${encodeURIComponent(good)}`)
      expect(status, good).to.equal(302)
      expect(begun.at(-1)?.redirect_uri).to.equal(new URL(good).href)
    }
    for (const bad of [
      'http://spa.example',
      'https://spa.example.evil.com',
      'https://spa.example@evil.com',
      'https://u:p@spa.example/',
      'https://spa.example:444/',
      'https:\\\\spa.example',
      'https://a.example/in',
      'https://a.example/in?x=1&y=2',
      'https://evil.com\\@spa.example',
      'nonsense',
    ]) {
      const reply = await ask(`GET /v1/oidc/login?redirect_uri=${encodeURIComponent(bad)}`)
      expect([reply.status, reply.value], bad).to.deep.equal([
        400,
        { error: 'invalid_redirect_uri' },
      ])
    }
  })

  it('tells what fails at the provider by its code alone, and the log why', async () => {
    const { ask, logged } = oidc({
      begin: () => {
        throw new OidcError('provider_unavailable', 'it has said nothing in 5 s')
      },
    })
    const { status, value } = await ask('GET /v1/oidc/login')
    expect([status, value]).to.deep.equal([500, { error: 'provider_unavailable' }])
    expect(JSON.stringify(logged)).to.contain('it has said nothing in 5 s')
  })

  it('refuses a realm whose name cannot be in the name of a cookie', async () => {
    const { ask, begun } = oidc({ realm: 'com.exämple;x' })
    const { status, value } = await ask('GET /v1/oidc/login')
    expect([status, value]).to.deep.equal([500, { error: 'authorization_url_failed' }])
    expect(begun).to.deep.equal([])
  })

  it('is a GET', async () => {
    const reply = await oidc().ask('POST /v1/oidc/login')
    expect([reply.status, reply.headers.allow]).to.deep.equal([405, 'GET, HEAD, OPTIONS'])
  })
})

describe('OPTIONS of an OIDC endpoint', () => {
  for (const [path, allow] of [
    ['login', 'GET, HEAD, OPTIONS'],
    ['acme/callback', 'GET, HEAD, OPTIONS'],
    ['logout', 'GET, HEAD, OPTIONS, POST'],
  ] as const) {
    const asked = async (origin?: string, pageOrigins?: readonly string[]) => {
      const headers = origin === undefined ? {} : { origin }
      const { ask, ...done } = oidc(pageOrigins ? { pageOrigins } : {})
      const reply = await ask(`OPTIONS /v1/oidc/${path}`, { headers })
      expect([done.begun, done.finished, done.loggedOut]).to.deep.equal([[], [], []])
      return reply
    }

    it(`at ${path} tells every origin that it may ask`, async () => {
      const { status, headers } = await asked('https://evil.com')
      expect(status).to.equal(200)
      expect(headers).to.deep.include({
        allow,
        vary: 'Origin',
        'access-control-allow-origin': 'https://evil.com',
        'access-control-allow-methods': allow,
        'access-control-allow-headers': 'content-type, x-csrf-token',
      })
      expect(headers).not.to.have.property('access-control-allow-credentials')
    })

    it(`at ${path} tells listed origins only that they may with cookies`, async () => {
      const listed = await asked('https://app.example')
      expect(listed.headers).to.deep.include({
        'access-control-allow-origin': 'https://app.example',
        'access-control-allow-credentials': 'true',
      })
      for (const [origin, pageOrigins] of [
        ['https://app.example.evil.com', undefined],
        ['https://evil.com', ['*']],
        ['*', ['*']],
        ['null', undefined],
      ] as const) {
        const { headers } = await asked(origin, pageOrigins)
        expect(headers, origin).not.to.have.property('access-control-allow-credentials')
      }
    })

    it(`at ${path} names no origin where none asks`, async () => {
      const { status, headers } = await asked()
      expect([status, headers.vary]).to.deep.equal([200, 'Origin'])
      expect(headers).not.to.have.property('access-control-allow-origin')
    })
  }

  it('is followed by answers that only listed origins can read', async () => {
    const from = (origin: string) => oidc().ask('GET /v1/oidc/logout', { headers: { origin } })
    expect((await from('https://app.example')).headers).to.deep.include({
      'access-control-allow-origin': 'https://app.example',
      'access-control-allow-credentials': 'true',
    })
    expect((await from('https://evil.com')).headers).not.to.have.property(
      'access-control-allow-origin',
    )
  })

  for (const [code, query, href] of [
    [
      'provider_unavailable',
      'provider=acme&redirect_uri=%2Fapp%3Fa%3D1&client_id=c&login_hint=ada',
      'provider=acme&amp;redirect_uri=%2Fapp%3Fa%3D1&amp;client_id=c&amp;login_hint=ada',
    ],
    ['provider_unavailable', 'redirect_uri=%2Fapp', 'provider=other&amp;redirect_uri=%2Fapp'],
    ['provider_unavailable', '', 'provider=other'],
    ['invalid_redirect_uri', 'provider=acme&redirect_uri=%2Fapp', 'provider=acme'],
    ['provider_unavailable', 'provider=acme&x=%22%3E%3Cb%3E', 'provider=acme&amp;x=%22%3E%3Cb%3E'],
  ] as const) {
    it(`that fails with ${code} links to what was asked for: ${query}`, async () => {
      const { ask } = oidc({
        security: { provider: query.includes('provider') ? 'other' : 'acme' },
        begin: () => {
          throw new OidcError(code, 'x')
        },
      })
      const headers = { accept: 'text/html' }
      const { value } = await ask(`GET /v1/oidc/login?${query}`, { headers })
      const expected = href.replace('other', 'acme')
      expect(value).to.include(`<a href="/v1/oidc/login?${expected}">Log in</a>`)
    })
  }
})
