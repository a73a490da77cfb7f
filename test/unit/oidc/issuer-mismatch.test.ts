/** A provider that does not call itself as the realm document calls it: its operator reads what to write. */
import { expect } from 'chai'
import type { OidcError } from '#component/oidc-error.ts'
import { freshLogins, node, provider } from './login-fixture.ts'

const slash = (form: 'with' | 'without') =>
  `the provider writes its issuer ${form} a slash at the end: write it so in the realm document`
const tenants =
  'the issuer is that of all tenants of Entra ID, whose metadata say {tenantid}: name the issuer with the id of your tenant'

describe('a provider of another name', () => {
  freshLogins()

  /** Why a login fails, for the log. */
  const reason = (): Promise<string> =>
    node.logIn().then(
      () => '',
      ({ message }: OidcError) => message,
    )

  for (const [what, at, told, expected] of [
    ['with a slash in its metadata', '/realm', '/realm/', slash('with')],
    ['without the slash in its metadata', '/realm/', '/realm', slash('without')],
    ['of all tenants', '/common/v2.0', '/{tenantid}/v2.0', tenants],
    ['of another tenant', '/a/v2.0', '/b/v2.0', undefined],
  ] as const) {
    it(`is told of by what to write: ${what}`, async () => {
      const path = `${at.replace(/\/$/, '')}/.well-known/openid-configuration`
      const metadata = {
        issuer: provider.issuer + told,
        authorization_endpoint: `${provider.issuer}/authorize`,
        token_endpoint: `${provider.issuer}/token`,
        jwks_uri: `${provider.issuer}/jwks`,
      }
      provider.twist = { answers: { [path]: { body: metadata } } }
      await node.declare({ issuer: provider.issuer + at })
      const message = await reason()
      expect(message).to.match(/^the metadata of the provider could not be fetched: /)
      if (expected === undefined) expect(message).to.not.include('slash').and.not.include('tenant')
      else expect(message).to.include(expected)
    })
  }

  it('is told of where its ID token has a slash, too', async () => {
    provider.twist = { claims: { iss: `${provider.issuer}/` } }
    expect(await reason()).to.equal(`the code could not be exchanged: ${slash('with')}`)
  })

  it('is told of where its answer to the browser has a slash, too', async () => {
    provider.twist = { query: { iss: `${provider.issuer}/` } }
    expect(await reason()).to.equal(`the code could not be exchanged: ${slash('with')}`)
  })
})
