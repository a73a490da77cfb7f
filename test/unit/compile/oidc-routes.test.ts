/** The routes that `oidc` security brings along, with whom they are shared, and what loading warns of (behaviour §3, §8). */
import { expect } from 'chai'
import { compileSpec } from '#component/compile/compile.ts'
import { RoutingTable } from '#component/routes/routing-table.ts'
import { validateSpec } from '#component/spec/validate.ts'
import { runAtOnce } from '#component/yielding.ts'
import { bodyOf, documentOf, fixed, issuesOf, serve } from '#test/unit/gateway/fake-exchange.ts'
import { generated, linesOf, open, type Row } from './generated.ts'

const oidc = { type: 'oidc', provider: 'acme' }
const secured = { defaults: { security: oidc } }

const below = (base: string): string[] => [
  `get ${base}/oidc/login oidc.login`,
  `options ${base}/oidc/login oidc.login`,
  `get ${base}/oidc/:provider/callback oidc.callback`,
  `options ${base}/oidc/:provider/callback oidc.callback`,
  `get ${base}/oidc/:provider/jwks oidc.jwks`,
  `options ${base}/oidc/:provider/jwks oidc.jwks`,
  `get ${base}/oidc/logout oidc.logout`,
  `options ${base}/oidc/logout oidc.logout`,
  `post ${base}/oidc/logout oidc.logout`,
  `post ${base}/oidc/:provider/backchannel_logout oidc.backchannel_logout`,
]

const rows: readonly Row[] = [
  ['defaults of the API', documentOf(open, secured), below('/v1')],
  ['a path', documentOf({ '/x': { security: oidc, get: fixed() } }), below('/v1')],
  ['an operation', documentOf({ '/x': { get: { ...fixed(), security: oidc } } }), below('/v1')],
  ['defaults where paths is empty', documentOf({}, secured), below('/v1')],
  ['base_path "/"', documentOf({}, secured, { base_path: '/' }), below('')],
  ['nothing: a version that is not active', documentOf({}, secured, { is_active: false }), []],
]

describe('the routes generated for oidc', () => {
  for (const [title, document, lines] of rows) {
    it(`by ${title}`, () => {
      expect(linesOf(document)).to.have.members(lines)
    })
  }

  it('answer under every form of base_path, with its bindings', async () => {
    const { ask } = serve(documentOf({}, secured, { base_path: '/[:tenant]/[v1]' }))
    for (const [line, kind, bindings] of [
      ['GET /oidc/login', 'oidc.login', {}],
      ['GET /v1/oidc/login/', 'oidc.login', {}],
      ['HEAD /a/v1/oidc/login', 'oidc.login', { tenant: 'a' }],
      ['GET /v1/oidc/acme/jwks', 'oidc.jwks', { provider: 'acme' }],
      ['GET /a%20b/oidc/x%20y/callback', 'oidc.callback', { tenant: 'a b', provider: 'x y' }],
      ['POST /a/v1/oidc/logout', 'oidc.logout', { tenant: 'a' }],
      ['OPTIONS /v1/oidc/logout', 'oidc.logout', {}],
      ['POST /v1/oidc/x/backchannel_logout', 'oidc.backchannel_logout', { provider: 'x' }],
    ] as const) {
      const reply = await ask(line)
      expect(bodyOf(reply), line).to.deep.equal({ kind, base: '/[:tenant]/[v1]', bindings })
    }
  })

  it('are one set for a version that names two providers; the first is its default', () => {
    const document = documentOf({
      '/x': { security: oidc, get: fixed() },
      '/y': { security: { type: 'oidc' }, get: fixed() },
    })
    const entries = generated(document)
    expect(linesOf(document)).to.have.members(below('/v1'))
    for (const { routes } of entries) {
      const endpoint = routes.get ?? routes.post
      expect(endpoint?.kind !== undefined && endpoint.security).to.deep.equal(oidc)
    }
  })

  it('stand beside those of oauth2', () => {
    const oauth2 = { type: 'oauth2', flow: 'client_credentials' }
    const lines = linesOf(documentOf({ '/x': { security: oauth2, get: fixed() } }, secured))
    expect(lines).to.include.members([...below('/v1'), 'post /v1/oauth/token oauth.token'])
  })

  it('are served over https only where one path is', async () => {
    const document = documentOf({
      '/x': { security: oidc, get: fixed() },
      '/y': { security: { type: 'oidc', provider: 'b' }, schemes: ['https'], get: fixed() },
    })
    const { ask } = serve(document)
    expect((await ask('GET /v1/oidc/login')).status).to.equal(403)
    expect((await ask('GET /v1/oidc/login', { scheme: 'https' })).status).to.equal(200)
  })

  it('are not kept, not framed, and tell no next page of themselves, also when refused', async () => {
    const { ask } = serve(documentOf({}, secured))
    for (const line of [
      'GET /v1/oidc/login',
      'POST /v1/oidc/a/callback',
      'DELETE /v1/oidc/logout',
    ]) {
      const { headers } = await ask(line)
      expect(headers, line).to.include({
        'cache-control': 'no-store',
        'content-security-policy': "frame-ancestors 'none'",
        'referrer-policy': 'no-referrer',
      })
      expect(headers, line).not.to.have.property('access-control-allow-origin')
    }
  })

  it('refuse a path of the document in their place', () => {
    const issues = issuesOf(
      documentOf({ '/oidc/:any': { get: fixed() }, '/oidc/login': { get: fixed() } }, secured),
    )
    expect(issues.map(({ path }) => path)).to.deep.equal(['/versions/1.0/paths/~1oidc~1login'])
  })

  it('refuse a base_path that binds what they bind', () => {
    const issues = issuesOf(documentOf({}, secured, { base_path: '/:provider' }))
    expect(issues).to.deep.equal(
      ['callback', 'jwks', 'backchannel_logout'].map((name) => ({
        path: '/defaults/security',
        message: `its security generates the route /:provider/oidc/:provider/${name}: two bindings are named provider`,
      })),
    )
  })
})

describe('the logins of several documents', () => {
  const entriesOf = (realm_uri: string, security: object) =>
    serve({ ...documentOf({}, { defaults: { security } }), realm_uri }).api.entries

  for (const [title, realm_uri, security, isClash] of [
    ['are shared in one realm', 'com.a', oidc, false],
    ['clash in two realms', 'com.b', oidc, true],
    ['clash with two providers as the default', 'com.a', { type: 'oidc' }, true],
  ] as const) {
    it(title, () => {
      const { clashes } = runAtOnce(
        RoutingTable.buildingWhole([entriesOf('com.a', oidc), entriesOf(realm_uri, security)]),
      )
      expect(clashes.length > 0).to.equal(isClash)
    })
  }
})

describe('loading a document with oidc', () => {
  const warningsOf = (document: unknown) => {
    const { spec } = validateSpec(document)
    if (!spec) throw new Error('the document is broken')
    const asked: string[] = []
    const { warnings, issues } = compileSpec(spec, {
      callTimeout: 1_000,
      partyProblem(realm_uri, { provider = 'default' }) {
        asked.push(`${realm_uri} ${provider}`)
        return provider === 'gone' ? 'there is no such provider' : undefined
      },
    })
    return { asked, warnings, issues }
  }

  it('warns of each provider that nobody can log in at, once, where it is named', () => {
    const gone = { type: 'oidc', provider: 'gone' }
    const { asked, warnings, issues } = warningsOf(
      documentOf(
        { '/x': { security: gone, get: fixed() }, '/y': { security: gone, get: fixed() } },
        secured,
      ),
    )
    expect(issues).to.deep.equal([])
    expect(asked).to.deep.equal(['com.example.realm acme', 'com.example.realm gone'])
    expect(warnings).to.deep.equal([
      { path: '/versions/1.0/paths/~1x/security', message: 'there is no such provider' },
    ])
  })

  it('asks for the provider `default` where none is named, and not for versions that are off', () => {
    expect(
      warningsOf(documentOf({}, { defaults: { security: { type: 'oidc' } } })).asked,
    ).to.deep.equal(['com.example.realm default'])
    expect(warningsOf(documentOf({}, secured, { is_active: false })).asked).to.deep.equal([])
  })
})
