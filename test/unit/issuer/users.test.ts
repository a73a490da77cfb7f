/** The users of tokens of other issuers: whose names they have, and when they may come no more. */
import { expect } from 'chai'
import { ServiceError } from '#component/errors.ts'
import { issuerProblem } from '#component/issuer/settings.ts'
import { answerTo, type Foreign, openForeign, realm_uri } from './fixture.ts'

const noIssueTime =
  '401 the tokens of the user were revoked, and this one does not say when it was issued (iat)'

describe('the user of a token of another issuer', () => {
  let node: Foreign
  let token: string
  beforeEach(async () => {
    node = await openForeign('corp')
    token = await node.server.token()
  })
  afterEach(() => node.close())

  const answer = (peername?: string) =>
    answerTo(() => node.ask(token, 'corp', {}, peername ?? '192.0.2.1:5000'))
  const revokeUser = (authid: string, realm = realm_uri) =>
    node.revocations.revokeUsers([{ realm_uri: realm, authid }])
  const bind = (authid: string, sub = 'ada', issuer = node.server.url) =>
    node.accounts.bind(realm_uri, authid, { issuer, sub }, true)

  it('is known by the token, with its client and the end of the token', async () => {
    const identity = await node.ask(token)
    expect({ ...identity }).to.deep.equal({
      ...{ realm_uri, authid: 'corp|ada', username: 'corp|ada', authmethod: 'jwt' },
      authroles: ['corp|orders:read', 'corp|staff'],
      groups: ['corp|orders:read', 'corp|staff'],
      ...{ meta: {}, client_id: 'app', session: 'j1' },
    })
    expect(identity.expires_at).to.equal(node.clock.ms + 3_630_000)
    expect(node.ask(token), 'one object for all requests').to.equal(identity)
  })

  it('has the name of an account at an identity provider of the same issuer and subject', async () => {
    expect(await answer()).to.equal('ok corp|ada')
    await bind('ada')
    expect(await answer()).to.equal('ok ada')
    await node.accounts.forget(realm_uri, 'ada')
    expect(await answer()).to.equal('ok corp|ada')
    await bind('ada', 'another')
    await bind('bob', 'ada', 'https://other.example')
    expect(await answer()).to.equal('ok corp|ada')
  })

  it('has its own name where its subject has had several accounts', async () => {
    await bind('ada')
    await bind('lovelace')
    expect(await answer()).to.equal('ok corp|ada')
  })

  it('is refused where the document disables the name that it would have', async () => {
    const refusal = '401 the realm does not admit the user of the token'
    await bind('ada')
    await node.declare({}, { users: [{ username: 'ada', enabled: false }] })
    expect(await answer()).to.equal(refusal)
    await node.declare()
    expect(await answer()).to.equal('ok ada')
    await node.accounts.forget(realm_uri, 'ada')
    await node.declare({}, { users: [{ username: 'corp|ada', enabled: false }] })
    expect(await answer()).to.equal(refusal)
  })

  it('is refused where a user with a password has its name', async () => {
    await node.declare({}, { users: [{ username: 'corp|ada', password: 'a password of it' }] })
    expect(await answer()).to.equal('401 the realm does not admit the user of the token')
  })

  it('has the meta of the document, and neither its groups as roles nor the roles of other users', async () => {
    const users = [
      { username: 'corp|ada', groups: ['admins'], meta: { locale: 'de' } },
      { username: 'bob' },
    ]
    await node.declare({ role_mapping: { staff: 'bob', 'orders:read': 'readers' } }, { users })
    const { authroles, locale } = await node.ask(token)
    expect({ authroles, locale }).to.deep.equal({ authroles: ['readers'], locale: 'de' })
  })

  it('has a name that nobody gets at an identity provider', async () => {
    const refusal = await bind('corp|eve', 'eve').catch((error: Error) => error.message)
    expect(refusal).to.equal('the name is that of a user of an issuer of access tokens')
    await bind('other|eve', 'eve')
    expect(node.accounts.isKnown(realm_uri, 'other|eve')).to.equal(true)
  })

  it('is refused when the realm has given up its issuer, and known again with it', async () => {
    await node.ask(token)
    await node.realms.load({ uri: realm_uri, authmethods: ['jwt'] })
    expect(await answer()).to.equal('401 the realm accepts no tokens of the issuer of this path')
    expect(node.users.isKnown(realm_uri, 'corp|ada')).to.equal(false)
    await node.declare()
    expect(await answer()).to.equal('ok corp|ada')
    expect(node.users.isKnown(realm_uri, 'corp|ada')).to.equal(true)
    expect(node.users.isKnown(realm_uri, 'ada')).to.equal(false)
  })

  it('comes only from where the sources of the realm admit it', async () => {
    await node.ask(token)
    await node.declare(
      {},
      {
        sources: [{ usernames: ['corp|ada'], authmethod: 'jwt', cidr: '192.0.2.0/24' }],
      },
    )
    expect(await answer('192.0.2.7:5000')).to.equal('ok corp|ada')
    expect(await answer('198.51.100.7:5000')).to.equal(
      '401 the sources of the realm do not admit the user of the token from there',
    )
  })

  it('is refused with tokens from before everything of it was revoked', async () => {
    await node.ask(token)
    await node.revocations.revokeUsers([{ realm_uri, authid: 'corp|ada' }])
    expect(await answer()).to.equal('401 the token was revoked')
    node.pass(61)
    token = await node.server.token()
    expect(await answer()).to.equal('ok corp|ada')
  })

  for (const [what, revoke, expected] of [
    ['nothing', () => Promise.resolve(), 'ok corp|ada'],
    ['what is of another user', () => revokeUser('corp|eve'), 'ok corp|ada'],
    ['what is of the user of another issuer', () => revokeUser('other|ada'), 'ok corp|ada'],
    ['what is of the user of another realm', () => revokeUser('corp|ada', 'com.b'), 'ok corp|ada'],
    ['what is of the user', () => revokeUser('corp|ada'), noIssueTime],
  ] as const) {
    it(`comes to ${expected} with a token without iat where ${what} was revoked`, async () => {
      token = await node.server.token({ claims: { iat: undefined } })
      expect(await answer()).to.equal('ok corp|ada')
      await revoke()
      expect(await answer()).to.equal(expected)
      node.pass(61)
      token = await node.server.token({ claims: { iat: undefined } })
      expect(await answer(), 'a new one').to.equal(expected)
      token = await node.server.token()
      expect(await answer(), 'one that says when it was issued').to.equal('ok corp|ada')
    })
  }

  it('needs a confirmed address where addresses are names', async () => {
    await node.declare({ authid_claim: 'email' })
    const claims = { email: 'ada@example.com' }
    token = await node.server.token({ claims })
    expect(await answer()).to.equal('401 the token does not confirm the email address of its user')
    token = await node.server.token({ claims: { ...claims, email_verified: true } })
    expect(await answer()).to.equal('ok corp|ada@example.com')
  })

  it('is told what its token lacks for a path, as RFC 6750 §3.1 says', async () => {
    const refusal = await Promise.resolve()
      .then(() => node.ask(token, 'corp', { scopes: ['orders:read', 'orders:write'] }))
      .catch((error: unknown) => error)
    if (!(refusal instanceof ServiceError)) throw new Error('expected a refusal')
    expect([refusal.status, refusal.headers]).to.deep.equal([
      403,
      {
        'www-authenticate': `Bearer realm="${realm_uri}", error="insufficient_scope", error_description="the token lacks a scope of this path: orders:read orders:write", scope="orders:read orders:write"`,
      },
    ])
  })

  it('comes by the issuer of its token where no path names one', async () => {
    const found = await node.tokens.verifyOfAny(token, realm_uri)
    expect(found.name).to.equal('corp|ada')
    const other = await node.server.token({ claims: { iss: 'https://other.example' } })
    const refusals = [other, 'x', `${token}x`].map((text) =>
      node.tokens.verifyOfAny(text, realm_uri).catch((error: Error) => error.message),
    )
    expect(await Promise.all(refusals)).to.deep.equal([
      'the issuer of the token is unknown',
      'the token is malformed',
      'the signature of the token is wrong',
    ])
  })

  it('is warned of before it comes, where a document names an issuer in vain', async () => {
    const problem = (uri: string, name: string) => issuerProblem(node.realms, uri, name)
    expect(problem(realm_uri, 'corp')).to.equal(undefined)
    expect(problem(realm_uri, 'other')).to.equal(
      `no token of the issuer other is accepted in ${realm_uri}: the realm has no info.jwt_issuers.other`,
    )
    await node.declare({}, { authmethods: ['ticket'] })
    for (const uri of [realm_uri, 'com.example.gone']) {
      expect(problem(uri, 'corp')).to.equal(
        `no token of the issuer corp is accepted in ${uri}: the realm has no jwt among its authmethods`,
      )
    }
  })
})
