/** What loading finds in documents whose security generates routes, and with whom these clash (behaviour §3, §7). */
import { expect } from 'chai'
import { RoutingTable } from '#component/routes/routing-table.ts'
import { flowsServed } from '#component/security/oauth2/kind.ts'
import { runAtOnce } from '#component/yielding.ts'
import { documentOf, fixed, issuesOf, serve } from '#test/unit/gateway/fake-exchange.ts'

const oauth2 = { type: 'oauth2', flow: 'resource_owner_password_credentials' }
const secured = { defaults: { security: oauth2 } }

describe('loading a document with oauth2', () => {
  const at = '/versions/1.0/paths'

  it('refuses a path of its own where one is generated, naming both', () => {
    const issues = issuesOf(documentOf({ '/oauth/token': { get: fixed() } }, secured))
    expect(issues).to.deep.equal([
      {
        path: `${at}/~1oauth~1token`,
        message:
          'the route /v1/oauth/token matches the same requests as /v1/oauth/token, generated for /defaults/security',
      },
    ])
  })

  it('serves all flows that name one place there', () => {
    const machines = { type: 'oauth2', flow: 'client_credentials' }
    const apart = { ...machines, token_path: '/oauth/apart' }
    const document = documentOf(
      { '/x': { security: machines, get: fixed() }, '/y': { security: apart, get: fixed() } },
      secured,
    )
    const { api } = serve(document)
    const served = api.entries.flatMap(({ pattern, routes: { post } }) =>
      post?.kind === 'oauth.token' ? [[pattern, flowsServed(post.security)]] : [],
    )
    expect(served).to.deep.equal([
      ['/v1/oauth/token', ['client_credentials', 'resource_owner_password_credentials']],
      ['/v1/oauth/apart', ['client_credentials']],
    ])
  })

  for (const [title, security, version] of [
    ['tokens and their revocation at one place', { ...oauth2, revoke_token_path: '/oauth/token' }],
    ['a token_path that is another endpoint', { ...oauth2, token_path: '/oauth/jwks' }],
    ['a route at /ws', { ...oauth2, token_path: '/ws' }, { base_path: '/[v1]' }],
  ] as const) {
    it(`refuses ${title}`, () => {
      const issues = issuesOf(documentOf({}, { defaults: { security } }, version))
      expect(issues.map(({ path }) => path)).to.deep.equal(['/defaults/security'])
    })
  }

  for (const [title, security, path] of [
    ['a token_path that is no path', { ...oauth2, token_path: '/a b' }, 'token_path'],
    ['a token_path of another type', { ...oauth2, token_path: 1 }, 'token_path'],
    ['a flow that is a number beyond 2^53', { ...oauth2, flow: 2n ** 60n }, 'flow'],
    ['no flow', { type: 'oauth2' }, 'flow'],
  ] as const) {
    it(`refuses ${title}, once`, () => {
      const issues = issuesOf(documentOf({ '/x': { get: fixed() } }, { defaults: { security } }))
      expect(issues.map((issue) => issue.path)).to.deep.equal([`/defaults/security/${path}`])
    })
  }

  it('refuses more routes than fit into the table', () => {
    const base_path = '/[a]/[b]/[c]/[d]/[e]/[f]/[g]/[h]'
    const versions = Array.from({ length: 10 }, (_, i) => ({ base_path: `/${i}${base_path}` }))
    const document = {
      ...documentOf({}, secured),
      versions: versions.map((v) => ({ ...v, paths: {} })),
    }
    expect(
      issuesOf(document)
        .map(({ message }) => message)
        .join(),
    ).to.contain('too many routes')
  })

  it('finds a broken default of a version without paths, once', () => {
    const document = documentOf({}, { defaults: { security: '{{variables.none}}' } })
    expect(issuesOf(document).map(({ path }) => path)).to.deep.equal(['/defaults/security'])
  })

  it('finds a broken default that a path inherits', () => {
    const document = documentOf(
      { '/x': { get: fixed() } },
      { defaults: { security: '{{variables.none}}' } },
    )
    expect(issuesOf(document).map(({ path }) => path)).to.deep.equal(['/defaults/security'])
  })

  it('takes a default that only the paths can resolve', () => {
    const path = { variables: { o: oauth2 }, get: fixed() }
    const document = documentOf({ '/x': path }, { defaults: { security: '{{variables.o}}' } })
    const shared = serve(document).api.entries.filter(({ isShared }) => isShared)
    expect(shared.map(({ pattern }) => pattern)).to.include('/v1/oauth/token')
  })
})

describe('generated routes of several documents', () => {
  const entriesOf = (realm_uri: string, security: object) =>
    serve({ ...documentOf({}, { defaults: { security } }), realm_uri }).api.entries

  for (const [title, realm_uri, security, isClash] of [
    ['are shared in one realm', 'com.a', oauth2, false],
    ['clash in two realms', 'com.b', oauth2, true],
    ['clash with two flows', 'com.a', { ...oauth2, flow: 'client_credentials' }, true],
    ['clash with two purposes', 'com.a', { ...oauth2, token_path: '/r' }, true],
  ] as const) {
    it(title, () => {
      const one = entriesOf('com.a', { ...oauth2, revoke_token_path: '/r' })
      const other = entriesOf(realm_uri, security)
      const { clashes } = runAtOnce(RoutingTable.buildingWhole([one, other]))
      expect(clashes.length > 0).to.equal(isClash)
    })
  }
})
