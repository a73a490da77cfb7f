/** Which paths documents add, and the redirect URIs of their logins, by a table. */
import { expect } from 'chai'
import { addedLines } from '#component/cli/added.ts'
import { compileOptions } from '#component/cli/validate.ts'
import { compileDocument } from '#component/compile/compile-document.ts'
import { addedPaths, type RedirectSettings } from '#component/gateway/added-paths.ts'

const configured: RedirectSettings = {
  address: 'https://api.example.com/x',
  isConfigured: true,
  providers: () => ({ default: undefined }),
}
const listening = { ...configured, address: 'http://127.0.0.1:8080', isConfigured: false }

const added = (
  security: object,
  settings = configured,
  { host = '_', base_path = '/', more = {} } = {},
) => {
  const action = { type: 'static', body: 'x' }
  const get = { action, response: { on_result: {}, on_error: {} } }
  const version = {
    base_path,
    is_active: true,
    defaults: { security },
    paths: { '/a': { get } },
    ...more,
  }
  const document = {
    ...{ id: 'com.example.a', name: 'A', host, realm_uri: 'com.example.test' },
    versions: { '1': version },
  }
  const { api, issues } = compileDocument(document, compileOptions({}))
  expect(issues).to.deep.equal([])
  return addedPaths(api?.entries ?? [], settings)
}

const redirectsOf = (...asked: Parameters<typeof added>) =>
  added(...asked).flatMap(({ redirect_uris = [] }) => redirect_uris)

describe('paths that documents add', () => {
  it('are lines with the redirect URI to register', () => {
    const [shown] = added({ type: 'oidc' }, listening).filter(({ redirect_uris }) => redirect_uris)
    expect(addedLines(shown && [shown])).to.equal(
      '  adds GET /oidc/:provider/callback (oidc.callback)\n' +
        '  register at the provider default as redirect URI: http://127.0.0.1:8080/oidc/default/callback (gateway.public_base_url is not set)\n',
    )
  })

  it('are none without what adds them', () => {
    expect(added({ type: 'basic' })).to.deep.equal([])
  })

  for (const [what, security, more, kinds] of [
    [
      'tokens',
      { type: 'oauth2', flow: 'client_credentials' },
      {},
      ['POST /oauth/token', 'POST /oauth/revoke'],
    ],
    ['logins', { type: 'oidc' }, {}, ['GET /oidc/login', 'GET /oidc/:provider/callback']],
    [
      'the description',
      { type: 'basic' },
      { openapi: { path: '/openapi' } },
      ['GET /openapi.json'],
    ],
  ] as const) {
    it(`are those of ${what}`, () => {
      const shown = added(security, configured, { more }).map(
        ({ methods, path }) => `${methods.join(',')} ${path}`,
      )
      expect(shown).to.include.members([...kinds])
    })
  }

  for (const [what, settings, place, uri, is_guessed] of [
    ['the configured address', configured, {}, 'https://api.example.com/x/oidc/default/callback'],
    [
      'the configured address, whatever the host',
      configured,
      { host: 'a.example' },
      'https://api.example.com/x/oidc/default/callback',
    ],
    ['the listening address', listening, {}, 'http://127.0.0.1:8080/oidc/default/callback', true],
    [
      'the host of the document',
      listening,
      { host: 'a.example' },
      'http://a.example:8080/oidc/default/callback',
      true,
    ],
    [
      'the base path',
      configured,
      { base_path: '/v1' },
      'https://api.example.com/x/v1/oidc/default/callback',
    ],
    [
      'a base path with a binding',
      configured,
      { base_path: '/:tenant' },
      'https://api.example.com/x/:tenant/oidc/default/callback',
    ],
    [
      'the settings of the provider',
      { ...listening, providers: () => ({ default: 'https://other.example/back' }) },
      {},
      'https://other.example/back',
    ],
  ] as const) {
    it(`have the redirect URI by ${what}`, () => {
      expect(redirectsOf({ type: 'oidc' }, settings, place)).to.deep.equal([
        { provider: 'default', uri, is_guessed: is_guessed ?? false },
      ])
    })
  }

  it('have a redirect URI for each provider', () => {
    const providers = () => ({ acme: undefined, 'b c': undefined })
    expect(
      redirectsOf({ type: 'oidc' }, { ...configured, providers }).map(({ uri }) => uri),
    ).to.deep.equal([
      'https://api.example.com/x/oidc/acme/callback',
      'https://api.example.com/x/oidc/b%20c/callback',
    ])
  })
})
