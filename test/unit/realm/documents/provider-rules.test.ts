/** What loading a realm says of the keys of its identity providers. */
import { expect } from 'chai'
import type { InvalidSpecError } from '#component/errors.ts'
import { realmsWith } from '#test/unit/realm/doubles.ts'

const uri = 'com.example.test'
const least = { issuer: 'https://id.example', client_id: 'app' }
const realm = (entry: object) => ({ uri, info: { oidc_providers: { main: entry } } })

describe('the keys of a provider', () => {
  for (const [key, hint] of [
    ['role_maping', '; did you mean role_mapping?'],
    ['client-secret', '; did you mean client_secret?'],
    ['xyz', ''],
  ]) {
    it(`are warned of when they are unknown: ${key}`, async () => {
      const { realms } = await realmsWith()
      const [loaded] = await realms.load(realm({ ...least, [`${key}`]: {} }))
      expect(loaded?.warnings).to.deep.equal([
        {
          path: `/info/oidc_providers/main/${key}`,
          message: `the key "${key}" is unknown and is ignored${hint}`,
        },
      ])
    })
  }

  it('are not warned of when they are known', async () => {
    const { realms } = await realmsWith()
    const entry = { ...least, role_mapping: { role_maping: 'a' }, cookie_same_site: 'strict' }
    expect((await realms.load(realm(entry)))[0]?.warnings).to.deep.equal([])
  })

  const noLogin = 'no login at this provider succeeds'
  for (const [key, value] of [
    ['authorization_parameters', { response_mode: 'form_post' }],
    ['login_parameters', ['response_mode']],
    ['cookie_same_site', 'Lax'],
    ['cookie_same_site', 'unknown'],
    ['scopes', 'openid email'],
    ['scopes', { openid: true }],
    ['issuer', 'http://id.example'],
    ['issuer', 'id.example'],
    ['issuer', undefined],
    ['issuer', 'https://id.example/.well-known/openid-configuration'],
    ['issuer', 'https://login.microsoftonline.com/{tenantid}/v2.0'],
    ['issuer', 'https://login.microsoftonline.com/<tenant>/v2.0'],
    ['internal_issuer_url', 'http://id.internal'],
    ['client_id', undefined],
    ['client_id', 7],
    ['ticket_expiry_secs', '3600'],
    ['recheck_interval', 30],
    ['auto_provision', 'yes'],
    ['role_mapping', ['staff']],
    ['role_claim', 'a."b'],
    ['claims', 'email'],
    ['allowed_redirect_uris', 'https://app.example'],
    ['title', 'a\u202eb'],
  ] as const) {
    it(`are warned of where no login succeeds by them: ${key} ${JSON.stringify(value)}`, async () => {
      const { realms } = await realmsWith()
      const [loaded] = await realms.load(realm({ ...least, [key]: value }))
      expect(loaded?.warnings.map(({ path }) => path)).to.deep.equal([
        `/info/oidc_providers/main/${key}`,
      ])
      const [{ message } = { message: '' }] = loaded?.warnings ?? []
      expect(message)
        .to.match(/^expected /)
        .and.include(noLogin)
      const text = JSON.stringify(value ?? '')
      expect(message.includes('a."b') || (text.length > 9 && message.includes(text))).to.equal(
        false,
      )
    })
  }

  it('are warned of where the provider, or all of them, are no map', async () => {
    const { realms } = await realmsWith()
    const warned = async (oidc_providers: unknown) =>
      (await realms.load({ uri, info: { oidc_providers } }))[0]?.warnings
    expect(await warned({ main: 'https://id.example' })).to.deep.equal([
      { path: '/info/oidc_providers/main', message: `expected a map: ${noLogin}` },
    ])
    expect((await warned(['main']))?.map(({ path }) => path)).to.deep.equal([
      '/info/oidc_providers',
    ])
    expect(await warned(null)).to.deep.equal([])
  })

  it('say nothing where they are null', async () => {
    const { realms } = await realmsWith()
    const entry = { ...least, scopes: null, cookie_same_site: null, ticket_idle_secs: null }
    expect((await realms.load(realm(entry)))[0]?.warnings).to.deep.equal([])
  })

  it('refuse a way to authenticate that the gateway does not have, without repeating it', async () => {
    const { realms } = await realmsWith()
    const entry = { ...least, token_endpoint_auth_method: 'private_key_jwt' }
    const refusal = await realms.load(realm(entry)).then(
      () => undefined,
      (error: InvalidSpecError) => error.issues,
    )
    expect(refusal).to.deep.equal([
      {
        path: '/info/oidc_providers/main/token_endpoint_auth_method',
        message: 'expected one of client_secret_basic, client_secret_post, none',
      },
    ])
  })
})
