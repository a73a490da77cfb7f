/** Logins that must fail: at the provider's hands, at those of another page, and by what a request asks for. */
import { expect } from 'chai'
import { Browser, base, gatewayOf } from '#test/integration/oidc/gateway.ts'
import { encode, FakeProvider, type Twist } from '#test/unit/oidc/fake-provider.ts'
import { type LoginNode, openLogins, realm_uri, StillClock } from '#test/unit/oidc/login-fixture.ts'
import { type BadInput, row, suitePrefix } from './cases.ts'

/** Rows whose login only the provider spoils. */
const twists: Readonly<Record<number, Twist>> = {
  109: { header: { kid: undefined }, jwks: ([key = {}]) => [key, { ...key, kid: 'k2' }] },
  112: { userinfo: { sub: 'sub-2' } },
  113: { claims: { at_hash: 'AAAAAAAAAAAAAAAAAAAAAA' } },
  120: { claims: { sub: undefined } },
  124: { query: { iss: undefined } },
  125: { query: { code: undefined } },
  127: { claims: { iat: undefined } },
  129: { query: { state: 'nope' } },
  132: { query: { state: undefined } },
  136: { idToken: (claims) => `${encode({ alg: 'none' })}.${encode(claims)}.` },
  137: { claims: { aud: 'other' } },
  139: { claims: { aud: ['app', 'x'], azp: 'x' } },
}

describe(`${suitePrefix}oidc`, () => {
  let provider: FakeProvider
  let clock: StillClock
  let node: LoginNode
  let browser: Browser

  beforeEach(async () => {
    clock = new StillClock()
    provider = await FakeProvider.open(() => clock.now())
    node = await openLogins(provider, { clock })
    browser = new Browser(gatewayOf(node, realm_uri))
  })
  afterEach(async () => {
    await node.close()
    await provider.close()
  })

  type Answer = Awaited<ReturnType<Browser['ask']>>
  const bodyIn = ({ expected }: BadInput) => (expected as { readonly body?: object }).body

  /** As the row says, and nobody has logged in. */
  function expectRow({ status, value }: Answer, entry: BadInput): void {
    expect([status, value]).to.deep.equal([entry.expected.status, bodyIn(entry)])
    expect([...browser.cookies.keys()].filter((name) => name.startsWith('service_'))).to.be.empty
  }

  function test(index: number, check: (entry: BadInput) => Promise<void>): void {
    const entry = row(index)
    it(`${index} oidc: ${entry.input.what}`, async () => {
      await check(entry)
      provider.twist = {}
      const next = new Browser(gatewayOf(node, realm_uri))
      await node.declare()
      provider.person = { sub: 'sub-9', preferred_username: 'next', roles: [] }
      await next.logIn(provider)
      expect((await next.ask('GET /v1/me')).value, 'the next login').to.equal('next')
    })
  }

  for (const [index, twist] of Object.entries(twists)) {
    test(Number(index), async (entry) => {
      provider.twist = twist
      expectRow(await browser.read(await browser.begin(provider)), entry)
      expect(node.left()).to.deep.equal([])
    })
  }

  for (const index of [111, 114, 115, 121, 122, 126, 128, 131]) {
    test(index, async (entry) => {
      const [, target = ''] = entry.input.request?.split(' ') ?? []
      expectRow(await browser.read(target.replace('provider=default', 'provider=mock')), entry)
      expect(browser.cookies.size, 'logins begun').to.equal(0)
    })
  }

  test(110, async () => {
    await browser.logIn(provider)
    await node.realms.remove(realm_uri)
    const { status, location } = await browser.get('/v1/oidc/logout?redirect_uri=/bye')
    expect([status, location, browser.cookies.size]).to.deep.equal([302, '/bye', 0])
  })

  test(116, async (entry) => {
    const url = await browser.begin(provider)
    const login = [...browser.cookies]
    expect((await browser.get(url)).status).to.equal(302)
    browser.cookies.clear()
    for (const [name, value] of login) browser.cookies.set(name, value)
    expectRow(await browser.read(url), entry)
  })

  test(117, async (entry) => {
    const { pathname, search } = new URL(await browser.begin(provider))
    const { status, value } = await browser.ask(`POST ${pathname}${search}`)
    expect(status).to.equal(entry.expected.status)
    expect(value).to.have.property('code', entry.expected.code)
  })

  test(118, async (entry) => {
    const url = await browser.begin(provider)
    clock.ms += 301_000
    expectRow(await browser.read(url), entry)
  })

  test(119, async (entry) => {
    const url = await browser.begin(provider)
    const other = { issuer: provider.issuer, client_id: 'app', allow_unsafe_http: true }
    const oidc_providers = { mock: other, other }
    const authmethods = ['oidcrp', 'cookie', 'ticket']
    await node.realms.load({ uri: realm_uri, authmethods, info: { oidc_providers } })
    expectRow(await browser.read(url.replace('/mock/', '/other/')), entry)
  })

  test(123, async (entry) => {
    await node.declare({}, { users: [{ username: 'ada', password: 'secret' }] })
    expectRow(await browser.read(await browser.begin(provider)), entry)
    expect(node.left()).to.deep.equal([])
  })

  test(130, async (entry) => {
    await browser.logIn(provider)
    const { status, headers } = await browser.get('/v1/oidc/logout?cookie_domain=evil.com')
    expect(status).to.equal(entry.expected.status)
    const cookies = [headers['set-cookie'] ?? []].flat()
    expect(cookies).to.have.length(3)
    for (const cookie of cookies) expect(cookie).not.to.match(/domain/i)
  })

  test(133, async (entry) => {
    const groups = Array.from({ length: 80 }, (_, index) => `a group of some length, ${index}`)
    provider.twist = { claims: { roles: ['staff'], groups, filler: 'x'.repeat(2_000) } }
    const { status, headers } = await browser.get(await browser.begin(provider))
    expect(status).to.equal(entry.expected.status)
    const [ticket = ''] = [headers['set-cookie'] ?? []].flat()
    expect(ticket).to.match(/^service_ticket_/)
    expect(ticket.length).to.be.at.most(4_096)
    expect((await browser.ask('GET /v1/me')).status).to.equal(200)
    const { location } = await browser.get('/v1/oidc/logout')
    expect(new URL(location).searchParams.get('id_token_hint')).to.have.length.above(4_096)
  })

  test(134, async (entry) => {
    for (const preferred_username of [['ada'], 7, 'a'.repeat(10_000), 'a\u0000b', 'a\nb', {}]) {
      provider.person = { sub: 'sub-1', preferred_username, roles: [] }
      expectRow(await browser.read(await browser.begin(provider)), entry)
    }
    expect(node.left()).to.deep.equal([])
  })

  test(135, async (entry) => {
    const origin = 'https://evil.com'
    const { status, headers } = await browser.ask('OPTIONS /v1/oidc/login', { origin })
    expect(status).to.equal(entry.expected.status)
    expect(headers).to.include({ 'access-control-allow-origin': origin, vary: 'Origin' })
    expect(headers).not.to.have.property('access-control-allow-credentials')
  })

  test(138, async (entry) => {
    const url = await browser.begin(provider)
    browser.cookies.clear()
    expectRow(await browser.read(url), entry)
    expect(url).to.contain(base)
  })
})
