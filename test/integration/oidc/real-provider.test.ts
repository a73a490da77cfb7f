/** Logins over HTTP at oidc-provider: what pages ask it for, and how the gateway proves to it which client it is. */
import { generateKeyPairSync } from 'node:crypto'
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { writeCertificate } from '#test/support/certificate.ts'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { send } from '#test/support/http-request.ts'
import { Browser, declare, openShop, realmOf } from './example-apis.ts'
import { RealProvider, type RealProviderSetup } from './real-provider.ts'

const shop = { realm_uri: 'com.example.real_shop', base: '/real-shop' }
const client_secret = 'a secret of the client, long enough'
const bySecret = { client_secret, token_endpoint_auth_method: 'client_secret_basic' }

describe('a login at oidc-provider', () => {
  let gateway: TestGateway
  let provider: RealProvider
  let folder: string

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'gateway-real-provider-'))
    gateway = await startGateway({}, { isEmbedded: true })
    await openShop([gateway], shop, realmOf(shop, { issuer: 'https://id.example', client_id: 'x' }))
  })
  after(async () => {
    await gateway?.stop()
    rmSync(folder, { recursive: true, force: true })
  })
  afterEach(() => provider?.close())

  /** Opens a provider, and declares it in the realm. */
  const use = async (settings: object, setup: Partial<RealProviderSetup> = {}) => {
    const redirect_uri = `${gateway.url}${shop.base}/oidc/mock/callback`
    provider = await RealProvider.open({ client: bySecret, redirect_uri, ...setup })
    const { issuer } = provider
    const entry = { issuer, client_id: 'app', allow_unsafe_http: true, ...settings }
    await declare(gateway, realmOf(shop, entry))
  }
  const begin = (browser: Browser, query = '') =>
    browser.visit(gateway.url, `${shop.base}/oidc/login${query}`)
  const logIn = async (browser: Browser, query = '', headers = {}) => {
    const { status, location, text } = await begin(browser, query)
    expect(status, text).to.equal(302)
    const { pathname, search } = new URL(await provider.authorize(location))
    return browser.visit(gateway.url, pathname + search, { headers })
  }
  /** @param answer of the callback */
  const expectUser = async (browser: Browser, answer: { status: number; text: string }) => {
    expect(answer.status, answer.text).to.equal(302)
    const { status, text } = await browser.visit(gateway.url, `${shop.base}/me`)
    expect([status, text]).to.deep.equal([200, JSON.stringify(provider.user)])
  }

  describe('with parameters', () => {
    const login_parameters = ['login_hint', 'ui_locales', 'acr_values', 'prompt', 'max_age']

    it('takes them to the provider, and lets in whom it has logged in as they ask', async () => {
      await use({ client_secret, login_parameters }, { login: { acr: 'gold' } })
      const browser = new Browser()
      const query = '?login_hint=ada&ui_locales=de&acr_values=gold&max_age=60&prompt=login&other=x'
      await expectUser(browser, await logIn(browser, query))
      expect(provider.params).to.have.length(1)
      expect(provider.params[0]).to.deep.include({
        login_hint: 'ada',
        ui_locales: 'de',
        acr_values: 'gold',
        max_age: '60',
        prompt: 'login',
      })
      expect(provider.params[0]).to.not.have.property('other')
    })

    it('refuses a login that is weaker than they ask', async () => {
      await use({ client_secret, login_parameters }, { login: { acr: 'silver' } })
      const { status, text } = await logIn(new Browser(), '?acr_values=gold')
      expect([status, JSON.parse(text)]).to.deep.equal([
        400,
        { error: 'unmet_authentication_requirements' },
      ])
    })

    it('refuses a text that is not passed on', async () => {
      await use({ client_secret, login_parameters })
      expect((await begin(new Browser(), `?login_hint=${'x'.repeat(257)}`)).status).to.equal(400)
      expect((await begin(new Browser(), '?max_age=soon')).status).to.equal(400)
    })

    it('tells a page that asks with prompt=none that there is no session at the provider', async () => {
      await use({ client_secret, login_parameters })
      const { status, text } = await logIn(new Browser(), '?prompt=none')
      expect([status, JSON.parse(text)]).to.deep.equal([
        400,
        { error: 'provider_error', provider_code: 'login_required' },
      ])
      const page = await logIn(new Browser(), '?prompt=none&redirect_uri=/app', {
        accept: 'text/html',
      })
      expect(page.text)
        .to.include('You are not logged in at the identity provider.')
        .and.include('<a href="/app">Continue without logging in</a>')
    })
  })

  describe('whose request is pushed', () => {
    for (const [par, features] of [
      ['auto', { pushedAuthorizationRequests: { enabled: true } }],
      ['always', { pushedAuthorizationRequests: { enabled: true } }],
      [
        undefined,
        {
          pushedAuthorizationRequests: {
            enabled: true,
            requirePushedAuthorizationRequests: true,
          },
        },
      ],
    ] as const) {
      it(`shows the browser nothing of it: par ${par ?? 'as the provider requires'}`, async () => {
        await use({ client_secret, par, login_parameters: ['login_hint'] }, { features })
        const browser = new Browser()
        const { location } = await begin(browser, '?login_hint=ada')
        const { searchParams } = new URL(location)
        expect([...searchParams.keys()].sort()).to.deep.equal(['client_id', 'request_uri'])
        await expectUser(browser, await logIn(browser, '?login_hint=ada'))
        expect(provider.params[0]).to.include({ login_hint: 'ada' })
      })
    }

    it('is not pushed where the realm says never, or the provider only offers it', async () => {
      const features = { pushedAuthorizationRequests: { enabled: true } }
      for (const par of ['never', undefined]) {
        await use({ client_secret, par }, { features })
        const browser = new Browser()
        await expectUser(browser, await logIn(browser))
        expect(provider.asked).to.not.include('POST /request')
        await provider.close()
      }
    })
  })

  describe('that has another address inside the network, and a certificate of its own', () => {
    const issuer = 'https://id.example.com'
    const tlsIn = (name: string) => {
      const at = join(folder, name)
      mkdirSync(at)
      const { cert, key } = writeCertificate(at)
      return { ca_file: cert, tls: { cert: readFileSync(cert), key: readFileSync(key) } }
    }

    for (const isDynamic of [true, false]) {
      it(`is asked there, whose metadata has its ${isDynamic ? 'inner' : 'outer'} address`, async () => {
        const { ca_file, tls } = tlsIn(`inner-${isDynamic}`)
        await use({ client_secret }, { tls, issuer, isDynamic })
        const settings = { issuer, client_id: 'app', client_secret, ca_file }
        const internal_issuer_url = provider.address
        await declare(gateway, realmOf(shop, { ...settings, internal_issuer_url }))
        const browser = new Browser()
        const { location } = await begin(browser)
        const expected = isDynamic ? provider.address : issuer
        expect(new URL(location).origin).to.equal(expected)
        await expectUser(browser, await logIn(browser))
        expect(provider.asked).to.include.members([
          'GET /.well-known/openid-configuration',
          'POST /token',
          'GET /jwks',
          'GET /me',
        ])
      })
    }

    it('is refused without its certificate, and with that of another authority; a file that is replaced holds at once', async () => {
      const { ca_file, tls } = tlsIn('first')
      const other = tlsIn('second')
      await use({ client_secret }, { tls, issuer })
      const entry = {
        ...{ issuer, client_id: 'app', client_secret },
        internal_issuer_url: provider.address,
      }
      const file = join(folder, 'company-ca.pem')
      const codeWith = async (more: object) => {
        await declare(gateway, realmOf(shop, { ...entry, ...more }))
        const { status, text } = await begin(new Browser())
        return status === 302 ? status : JSON.parse(text).error
      }
      expect(await codeWith({})).to.equal('provider_unavailable')
      expect(await codeWith({ ca_file: file }), 'no file').to.equal('provider_unavailable')
      writeFileSync(file, 'no certificate')
      expect(await codeWith({ ca_file: file })).to.equal('provider_unavailable')
      copyFileSync(other.ca_file, file)
      expect(await codeWith({ ca_file: file })).to.equal('provider_unavailable')
      copyFileSync(ca_file, file)
      expect(await codeWith({ ca_file: file })).to.equal(302)
    })

    it('is refused when it calls itself by another name than the realm', async () => {
      const { ca_file, tls } = tlsIn('renamed')
      await use({ client_secret }, { tls, issuer: 'https://other.example.com' })
      const internal_issuer_url = provider.address
      const entry = { issuer, client_id: 'app', client_secret, ca_file, internal_issuer_url }
      await declare(gateway, realmOf(shop, entry))
      const { status, text } = await begin(new Browser())
      expect([status, JSON.parse(text)]).to.deep.equal([500, { error: 'provider_unavailable' }])
    })
  })

  describe('by a key in place of a secret', () => {
    const jwks = () => `${shop.base}/oidc/mock/jwks`

    for (const [alg, { privateKey }] of [
      ['ES256', generateKeyPairSync('ec', { namedCurve: 'P-256' })],
      ['RS256', generateKeyPairSync('rsa', { modulusLength: 2048 })],
      ['EdDSA', generateKeyPairSync('ed25519')],
    ] as const) {
      it(`of ${alg}, whose public half the provider reads from the gateway`, async () => {
        const file = join(folder, `${alg}.pem`)
        writeFileSync(file, privateKey.export({ type: 'pkcs8', format: 'pem' }))
        await use(
          // the secret of the provider before goes to no other address
          { private_key: { file }, client_secret: null },
          {
            client: {
              token_endpoint_auth_method: 'private_key_jwt',
              jwks_uri: gateway.url + jwks(),
            },
          },
        )
        const browser = new Browser()
        await expectUser(browser, await logIn(browser))
        const { status, text } = await send(gateway.url, jwks())
        const [key, ...others] = JSON.parse(text).keys
        expect([status, others]).to.deep.equal([200, []])
        expect(key).to.include({ alg, use: 'sig' }).and.not.have.any.keys('d', 'p', 'q')
      })
    }
  })
})
