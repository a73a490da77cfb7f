/** What a provider says of a failure: what clients are told, and what the log is told. */
import { expect } from 'chai'
import { OidcError } from '#component/oidc-error.ts'
import { browser, callback, codeOf, freshLogins, node, provider } from './login-fixture.ts'

describe('a login that fails at the provider', () => {
  freshLogins()

  for (const [what, query, expected] of [
    ['access_denied', { error: 'access_denied' }, 'access_denied'],
    ['invalid_scope', { error: 'invalid_scope' }, 'invalid_scope'],
    ['no such code', { error: 'a "b"' }, undefined],
    ['an endless code', { error: 'a'.repeat(65) }, undefined],
    ['an error in place of a code', { error: 'x', code: undefined }, 'x'],
  ] as const) {
    it(`is refused with the error of the provider: ${what}`, async () => {
      provider.twist = { query: { error_description: `hid\u0007den ${'x'.repeat(999)}`, ...query } }
      const by = browser()
      const url = provider.authorize(await node.begin(by))
      const error = await node.finish(by, url).catch((thrown: OidcError) => thrown)
      expect(error).to.be.instanceOf(OidcError).that.deep.includes({ code: 'provider_error' })
      expect(JSON.parse(JSON.stringify(error))).to.deep.equal({
        error: 'provider_error',
        ...(expected && { provider_code: expected }),
      })
      const { provider_description = '' } = (error as OidcError).answer
      expect(provider_description)
        .to.match(/^hid den x+$/)
        .and.have.length(256)
    })
  }

  it('with an error of a provider that it never went to is of no state', async () => {
    const url = `${callback}?error=access_denied&state=unknown`
    expect(await codeOf(() => node.finish(browser(), url))).to.equal('invalid_state')
  })

  for (const [what, answers, expected] of [
    [
      'the token endpoint',
      {
        '/token': { status: 400, body: { error: 'invalid_client', error_description: 'no PAR' } },
      },
      { path: '/token', status: 400, code: 'invalid_client', description: 'no PAR' },
    ],
    ['userinfo', { '/userinfo': { status: 403 } }, { path: '/userinfo', status: 403 }],
    [
      'discovery',
      { '/.well-known/openid-configuration': { status: 404 } },
      { path: '/.well-known/openid-configuration', status: 404 },
    ],
  ] as const) {
    it(`that ${what} of the provider refuses says where and how, for the log`, async () => {
      provider.twist = { answers }
      const error = await node.logIn().catch((thrown: OidcError) => thrown)
      const { path, status, code, description } = {
        code: undefined,
        description: undefined,
        ...expected,
      }
      expect((error as OidcError).answer).to.deep.equal({
        provider_url: provider.issuer + path,
        provider_status: status,
        ...(code && { provider_code: code, provider_description: description }),
      })
    })
  }
})
