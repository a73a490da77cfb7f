/** Parameters of a login: which go on to the provider, and what of them the ID token must confirm. */
import { expect } from 'chai'
import { ServiceError } from '#component/errors.ts'
import { browser, clock, codeOf, freshLogins, node, provider, realm_uri } from './login-fixture.ts'

const names = ['login_hint', 'kc_idp_hint', 'ui_locales', 'acr_values', 'prompt', 'max_age']

describe('the parameters of a login', () => {
  freshLogins()

  const now = () => Math.floor(clock.now() / 1000)
  const sentOf = async (query: Readonly<Record<string, string>>) => {
    const { searchParams } = new URL(await node.begin(browser(), { query }))
    return Object.fromEntries([...searchParams].filter(([name]) => names.includes(name)))
  }

  it('go on to the provider where the realm lists them, and stay here where not', async () => {
    const query = { login_hint: 'ada@example.com', ui_locales: 'de fr', other: 'x' }
    expect(await sentOf(query)).to.deep.equal({})
    await node.declare({ login_parameters: names })
    expect(await sentOf(query)).to.deep.equal({
      login_hint: 'ada@example.com',
      ui_locales: 'de fr',
    })
  })

  it('replace nothing that the gateway sets', async () => {
    await node.declare({ login_parameters: names })
    const query = { state: 'x', scope: 'x', redirect_uri: 'x', response_type: 'token' }
    const { searchParams } = new URL(await node.begin(browser(), { query }))
    for (const [name, value] of Object.entries(query)) {
      expect(searchParams.getAll(name)).to.have.length(1).and.not.include(value)
    }
  })

  it('are always sent where the realm gives their values', async () => {
    await node.declare({ authorization_parameters: { kc_idp_hint: 'github' } })
    expect(await sentOf({ kc_idp_hint: 'other' })).to.deep.equal({ kc_idp_hint: 'github' })
  })

  for (const [name, value, expected] of [
    ['login_hint', '', '1 to 256 characters'],
    ['login_hint', 'x'.repeat(257), '1 to 256 characters'],
    ['ui_locales', 'de\u0007', '1 to 256 characters'],
    ['acr_values', 'a\u0085b', '1 to 256 characters'],
    ['max_age', '-1', 'a number of seconds'],
    ['max_age', '1e3', 'a number of seconds'],
    ['max_age', '', 'a number of seconds'],
  ] as const) {
    it(`are refused before the login begins: ${name} ${JSON.stringify(value.slice(0, 9))}`, async () => {
      await node.declare({ login_parameters: names })
      const error = await sentOf({ [name]: value }).catch((thrown: unknown) => thrown)
      expect(error).to.be.instanceOf(ServiceError).and.include({
        uri: 'service.error.bad_request',
      })
      expect(String(error)).to.include(`${name}: expected ${expected}`)
    })
  }

  const unmet = 'unmet_authentication_requirements'
  const refused = 'token_exchange_failed'

  for (const [what, query, claims, expected] of [
    ['an acr that was asked for', { acr_values: 'gold silver' }, { acr: 'silver' }, undefined],
    ['another acr', { acr_values: 'gold silver' }, { acr: 'bronze' }, unmet],
    ['no acr', { acr_values: 'gold' }, {}, unmet],
    ['an acr that is a list', { acr_values: 'gold' }, { acr: ['gold'] }, unmet],
    ['an acr that nobody asked for', {}, { acr: 'bronze' }, undefined],
    ['a login of this age', { max_age: '60' }, { auth_time: -60 }, undefined],
    ['a login that is older', { max_age: '60' }, { auth_time: -91 }, unmet],
    ['no auth_time', { max_age: '60' }, {}, unmet],
    ['an auth_time that is a text', { max_age: '60' }, { auth_time: 'now' }, refused],
    ['an old login that nobody minds', {}, { auth_time: -9_999 }, undefined],
    ['a new login', { prompt: 'login' }, { auth_time: 0 }, undefined],
    ['an old login in place of a new one', { prompt: 'login' }, { auth_time: -31 }, unmet],
    ['an old login within max_age', { prompt: 'login', max_age: '60' }, { auth_time: -50 }, unmet],
    ['a provider that tells no time', { prompt: 'login' }, {}, undefined],
  ] as const) {
    it(`are checked in the ID token: ${what}`, async () => {
      await node.declare({ login_parameters: names })
      const by = browser()
      const location = await node.begin(by, { query })
      const { auth_time, ...others } = { auth_time: undefined, ...claims }
      const at = typeof auth_time === 'number' ? now() + auth_time : auth_time
      provider.twist = { claims: { ...others, auth_time: at } }
      const url = provider.authorize(location)
      expect(await codeOf(() => node.finish(by, url))).to.equal(expected)
      expect(node.left().length, 'an account').to.equal(expected === undefined ? 1 : 0)
    })
  }

  it('are judged by when the login began, however long the user takes', async () => {
    await node.declare({ login_parameters: names })
    const by = browser()
    const location = await node.begin(by, { query: { max_age: '0' } })
    provider.twist = { claims: { auth_time: now() + 5 } }
    clock.ms += 240_000
    expect(await codeOf(() => node.finish(by, provider.authorize(location)))).to.equal(undefined)
  })

  it('that the realm fixes are checked as well', async () => {
    await node.declare({ authorization_parameters: { acr_values: 'gold' } })
    expect(await codeOf(() => node.logIn())).to.equal(unmet)
    provider.twist = { claims: { acr: 'gold' } }
    expect(await codeOf(() => node.logIn())).to.equal(undefined)
  })

  it('tell a silent login from others when the provider has no session', async () => {
    await node.declare({ login_parameters: names })
    provider.twist = { query: { error: 'login_required', code: undefined } }
    for (const [query, isSilent] of [
      [{ prompt: 'none' }, true],
      [{ prompt: 'login' }, false],
      [{}, false],
    ] as const) {
      const by = browser()
      const url = provider.authorize(await node.begin(by, { query }))
      const state = new URL(url).searchParams.get('state') ?? ''
      const cookieOf = (name: string) => by.cookies.get(name)
      expect(node.login.remembered(state, cookieOf, realm_uri)).to.deep.include({ isSilent })
      const error = await node.finish(by, url).catch((thrown: unknown) => thrown)
      expect(JSON.parse(JSON.stringify(error))).to.deep.equal({
        error: 'provider_error',
        provider_code: 'login_required',
      })
    }
  })
})
