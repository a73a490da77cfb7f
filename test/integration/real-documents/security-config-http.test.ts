/** A real security configuration, unchanged: what its users, clients and owners may do over HTTP, on the embedded router. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { type HttpAnswer, send } from '#test/support/http-request.ts'
import { joinUser, type WampUser } from '#test/support/peers/wamp-user.ts'

const file = join(import.meta.dirname, '../../cases/specs/security_config.json')
const documents = JSON.parse(readFileSync(file, 'utf8')) as unknown

const realms = {
  admin: 'com.example.admin',
  test: 'com.example.test',
  one: 'com.example.test_1',
  two: 'com.example.test_2',
  heir: 'com.example.test.inheritance',
} as const
type Realm = keyof typeof realms

const response = {
  on_result: { body: '{{action.result.args |> head}}' },
  on_error: {
    status_code: '{{status_codes |> get({{action.error.error_uri}}, 500) |> integer}}',
    body: '{{action.error.error_uri}}',
  },
}
const calls = (procedure: string, options = {}) => ({
  get: { action: { type: 'wamp_call', procedure, options }, response },
})
const paths = { '/add': calls('com.example.add', { disclose_me: true }), '/any': calls('com.any') }

const passwordFlow = { type: 'oauth2', flow: 'resource_owner_password_credentials' }
/** Folder of the paths, and what protects them. */
const securities = {
  oauth2: passwordFlow,
  clients: { type: 'oauth2', flow: 'client_credentials' },
  basic: { type: 'basic' },
  open: {},
} as const
type Security = keyof typeof securities

const documentOf = (name: Realm, security: Security) => ({
  id: `com.example.${name}.${security}`,
  host: '_',
  realm_uri: realms[name],
  defaults: { security: securities[security] },
  versions: { '1.0.0': { base_path: `/${name}/${security}`, paths } },
})

const password = 'changethispassword'
type Pair = readonly [name: string, secret: string]
const [app1, webapp, user3]: readonly Pair[] = [
  ['app1', password],
  ['webapp', 'secret'],
  ['user3@example.com', '123456'],
]
const basic = ([name, secret]: Pair) => ({
  authorization: `Basic ${Buffer.from(`${name}:${secret}`).toString('base64')}`,
})
const stranger: Pair = ['nobody', 'x']

const refused = 'wamp.error.not_authorized'
const absent = 'wamp.error.no_such_procedure'

describe('the real security configuration over HTTP', () => {
  let gateway: TestGateway
  let peer: WampUser
  const ask = (name: Realm, security: Security, path: string, headers: Record<string, string>) =>
    send(gateway.url, `/${name}/${security}/${path}`, { headers })
  const token = (name: Realm, security: Security, client: Pair, form: Record<string, string>) =>
    send(gateway.url, `/${name}/${security}/oauth/token`, {
      method: 'POST',
      headers: { ...basic(client), 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(form).toString(),
    })
  const passwordOf = ([username = '', secret = '']: Pair) => ({
    ...{ grant_type: 'password', username, password: secret },
  })
  const use = (name: Realm, security: Security, path: string, answer: HttpAnswer) => {
    const { access_token } = answer.json() as { readonly access_token: string }
    return ask(name, security, path, { authorization: `Bearer ${access_token}` })
  }

  before(async () => {
    // who is refused on purpose so often must be refused for what it is
    const limits = ['user_failures', 'address_failures'].map((name) => [
      `rate_limits.${name}`,
      '1000',
    ])
    gateway = await startGateway(Object.fromEntries(limits), { isEmbedded: true })
    const body = documents
    const { status } = await send(gateway.adminUrl, '/realms', { method: 'POST', body })
    expect(status).to.be.oneOf([200, 201])
    for (const name of Object.keys(realms) as Realm[]) {
      for (const security of Object.keys(securities) as Security[]) {
        const loaded = await gateway.load(documentOf(name, security))
        expect(loaded.status, JSON.stringify(loaded.body)).to.equal(201)
      }
    }
    const login = { authid: 'peer1', authmethod: 'wampcra', secret: password } as const
    peer = await joinUser(gateway.routerUrl, realms.test, login)
    await peer.answer('com.example.add', (d) => [d.caller_authid, d.caller_authrole])
  })
  after(async () => {
    await peer?.leave()
    await gateway?.stop()
  })

  for (const [client, owner, status, error] of [
    [app1, user3, 200, undefined],
    [webapp, user3, 200, undefined],
    [['peer1', password], user3, 401, 'invalid_client'],
    [['test@example.com', password], user3, 401, 'invalid_client'],
    [['device1', 'x'], user3, 401, 'invalid_client'],
    [['app1', 'wrong'], user3, 401, 'invalid_client'],
    [stranger, user3, 401, 'invalid_client'],
    [app1, ['user3@example.com', 'wrong'], 400, 'invalid_grant'],
    [app1, stranger, 400, 'invalid_grant'],
    [app1, ['peer1', password], 400, 'invalid_grant'],
    [app1, ['peer2', password], 400, 'invalid_grant'],
    [app1, ['test@example.com', password], 400, 'invalid_grant'],
    [app1, ['device1', 'x'], 400, 'invalid_grant'],
    [app1, webapp, 400, 'invalid_grant'],
  ] as readonly (readonly [Pair, Pair, number, string | undefined])[]) {
    const of = `${owner[0]} by the client ${client[0]} (${client[1]}, ${owner[1]})`
    it(`answers ${status} to a token request for ${of}`, async () => {
      const answer = await token('test', 'oauth2', client, passwordOf(owner))
      expect(answer.status, answer.text).to.equal(status)
      const { error: found } = answer.json() as { readonly error?: string }
      expect(found).to.equal(error)
    })
  }

  for (const name of ['admin', 'one', 'two', 'heir'] as const) {
    it(`has no tokens for the users of ${realms[name]}: it has no clients and no oauth2`, async () => {
      const clients = [app1, ['urn:user:1', '123456'], ['bob', '123456'], ['linda', '123456']]
      for (const client of clients as Pair[]) {
        const asked = await token(name, 'oauth2', client, passwordOf(user3 ?? stranger))
        expect(asked.status, asked.text).to.equal(401)
        const alone = await token(name, 'clients', client, { grant_type: 'client_credentials' })
        expect(alone.status, alone.text).to.equal(401)
      }
    })
  }

  it('lets the owner do everything by its token, as its group is granted', async () => {
    const answer = await token('test', 'oauth2', app1 ?? stranger, passwordOf(user3 ?? stranger))
    expect(answer.json()).to.include({ scope: 'account_admin resource_owners' })
    const called = await use('test', 'oauth2', 'add', answer)
    expect(called.json()).to.deep.equal(['user3@example.com', 'account_admin'])
    expect((await use('test', 'oauth2', 'any', answer)).json()).to.equal(absent)
    expect((await use('one', 'oauth2', 'any', answer)).status, 'in another realm').to.equal(401)
  })

  for (const client of [app1, webapp] as Pair[]) {
    it(`lets the client ${client[0]} log in for itself, and call nothing`, async () => {
      const form = { grant_type: 'client_credentials' }
      const answer = await token('test', 'clients', client, form)
      expect(answer.status, answer.text).to.equal(200)
      const called = await use('test', 'clients', 'add', answer)
      expect([called.status, called.json()]).to.deep.equal([403, refused])
    })
  }

  /** Realm, user, and what the two paths answer. */
  for (const [name, user, add, any] of [
    // a name with colons cannot be told by HTTP Basic (RFC 7617 §2)
    ['admin', ['urn:user:1', '123456'], undefined, undefined],
    ['test', app1, refused, refused],
    ['test', webapp, refused, refused],
    ['test', user3, ['user3@example.com', 'account_admin'], absent],
    ['test', ['peer1', password], ['peer1', 'microservices'], refused],
    ['test', ['peer2', password], ['peer2', 'microservices'], refused],
    ['test', ['test@example.com', password], refused, refused],
    ['test', ['device1', password], undefined, undefined],
    ['test', ['peer1', 'wrong'], undefined, undefined],
    ['test', stranger, undefined, undefined],
    ['one', ['bob', '123456'], absent, absent],
    ['one', ['linda', '123456'], undefined, undefined],
    ['two', ['linda', '123456'], refused, refused],
    ['two', ['app', '123456'], undefined, undefined],
    ['heir', ['linda', '123456'], refused, refused],
    ['heir', ['bob', '123456'], undefined, undefined],
  ] as readonly (readonly [Realm, Pair, unknown, unknown])[]) {
    const what = add === undefined ? 'refuses' : 'knows'
    it(`${what} ${user[0]} (${user[1]}) of ${realms[name]} by HTTP Basic`, async () => {
      for (const [path, expected] of [
        ['add', add],
        ['any', any],
      ] as const) {
        const answer = await ask(name, 'basic', path, basic(user))
        if (expected === undefined) expect(answer.status, path).to.equal(401)
        else expect(answer.json(), path).to.deep.equal(expected)
        if (expected === refused) expect(answer.status).to.equal(403)
      }
    })
  }

  it('serves open paths as anonymous where the realm lets that in, as it is granted', async () => {
    const added = await ask('test', 'open', 'add', {})
    expect(added.json()).to.deep.equal(['anonymous', 'anonymous'])
    expect((await ask('admin', 'open', 'any', {})).json()).to.equal(absent)
    for (const name of ['one', 'two', 'heir'] as const) {
      const answer = await ask(name, 'open', 'any', {})
      expect(answer.status, answer.text).to.be.within(500, 503)
    }
  })
})
