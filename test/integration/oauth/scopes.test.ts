/** Scopes of access tokens of the gateway: what a token is granted, what its claim says, and what it is good for now. */
import { expect } from 'chai'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { send } from '#test/support/http-request.ts'

const realm_uri = 'com.example.scopes'

/** Readers may read, staff may do both, and managers are staff. */
const realm = {
  uri: realm_uri,
  authmethods: ['password', 'oauth2', 'wampcra'],
  groups: [{ name: 'managers', groups: ['staff'] }],
  scopes: {
    'orders:read': { roles: ['readers', 'staff'], description: 'Read orders' },
    'orders:write': { roles: ['staff'] },
    'prices:read': { roles: ['readers'] },
    'nobody:holds': { roles: ['nobodies'] },
    client_secret: { roles: ['nobodies'] },
  },
  users: [
    { username: 'app', password: 's3cret', groups: ['api_clients', 'readers'] },
    {
      username: 'narrow',
      password: 's3cret',
      groups: ['api_clients', 'readers'],
      scopes: ['orders:read'],
    },
    { username: 'role', password: 's3cret', groups: ['api_clients'], scopes: ['readers'] },
    { username: 'stranger', password: 's3cret', groups: ['api_clients'], scopes: ['nobody:holds'] },
    { username: 'rita', password: 'pw', groups: ['resource_owners', 'readers'] },
    { username: 'sam', password: 'pw', groups: ['resource_owners', 'readers', 'staff'] },
    { username: 'mia', password: 'pw', groups: ['resource_owners', 'managers'] },
    { username: 'zoe', password: 'pw', groups: ['resource_owners'] },
  ],
}

type User = (typeof realm.users)[number]

const flow = 'resource_owner_password_credentials'
const oauth2 = (...scopes: readonly string[]) => ({
  type: 'oauth2',
  flow,
  ...(scopes.length > 0 && { scopes }),
})

const path = (security: object) => ({
  security,
  get: {
    action: {
      type: 'static',
      body: { roles: '{{security.authroles}}', granted: '{{security.granted_scopes}}' },
    },
    response: {},
  },
})

const document = {
  ...{ id: 'com.example.scopes', host: '_', realm_uri },
  versions: {
    '1': {
      base_path: '/v1',
      openapi: { path: '/openapi' },
      paths: {
        '/any': path(oauth2()),
        '/read': path(oauth2('orders:read')),
        '/write': path(oauth2('orders:read', 'orders:write')),
        '/prices': path(oauth2('prices:read')),
        '/staff': path({ ...oauth2(), roles: ['staff'] }),
        '/absent': path(oauth2('order:read')),
      },
    },
    own: {
      base_path: '/own',
      paths: { '/read': path({ ...oauth2('orders:read'), flow: 'client_credentials' }) },
    },
  },
}

interface Tokens {
  readonly access_token: string
  readonly refresh_token: string
  readonly scope: string
  readonly error?: string
}

const basicOf = (client: string) => ({
  authorization: `Basic ${Buffer.from(`${client}:s3cret`).toString('base64')}`,
})

const claimsOf = (token: string) =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as {
    readonly scope: string
    readonly auth: { readonly roles: readonly string[] }
  }

describe('scopes of tokens of the gateway', () => {
  let gateway: TestGateway
  let warnings: readonly { readonly path: string; readonly message: string }[] = []

  const change = async (changes: object = {}) => {
    const answer = await send(gateway.adminUrl, '/realms', {
      method: 'POST',
      body: { ...realm, ...changes },
    })
    expect(answer.status, answer.text).to.be.oneOf([200, 201])
  }
  /** The realm where users have other groups. */
  const regrouped = (groups: Readonly<Record<string, readonly string[]>>) => ({
    users: realm.users.map((user: User) => ({
      ...user,
      groups: groups[user.username] ?? user.groups,
    })),
  })

  before(async () => {
    gateway = await startGateway({ 'rate_limits.user_failures': '1000' }, { isEmbedded: true })
    await change()
    const { status, body } = await gateway.load(document)
    expect(status, JSON.stringify(body)).to.equal(201)
    warnings = body.warnings ?? []
  })
  after(() => gateway.stop())

  const post = (at: string, form: Record<string, string>, headers: Record<string, string> = {}) =>
    send(gateway.url, at, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(form).toString(),
    })

  async function request(form: Record<string, string>, client = 'app', base = '/v1') {
    const answer = await post(`${base}/oauth/token`, form, basicOf(client))
    return answer.json() as Tokens
  }
  const logIn = (username: string, scope?: string, client = 'app') =>
    request(
      { grant_type: 'password', username, password: 'pw', ...(scope !== undefined && { scope }) },
      client,
    )
  const refreshed = ({ refresh_token }: Tokens, scope?: string, client = 'app') =>
    request(
      { grant_type: 'refresh_token', refresh_token, ...(scope !== undefined && { scope }) },
      client,
    )
  const get = (at: string, { access_token }: Tokens) =>
    send(gateway.url, at, { headers: { authorization: `Bearer ${access_token}` } })
  const statuses = async (tokens: Tokens) =>
    Promise.all(
      ['/v1/any', '/v1/read', '/v1/write', '/v1/prices', '/v1/staff'].map(
        async (at) => (await get(at, tokens)).status,
      ),
    )

  // user, scope that is asked for, client, claim, roles, statuses of any, read, write, prices, staff
  for (const [username, scope, client, claim, roles, found] of [
    [
      'rita',
      undefined,
      'app',
      'resource_owners readers orders:read prices:read',
      'resource_owners readers',
      [200, 200, 403, 200, 403],
    ],
    ['rita', 'orders:read', 'app', 'orders:read', 'readers', [200, 200, 403, 403, 403]],
    ['rita', 'readers', 'app', 'readers', 'readers', [200, 200, 403, 200, 403]],
    [
      'rita',
      'resource_owners',
      'app',
      'resource_owners',
      'resource_owners',
      [200, 403, 403, 403, 403],
    ],
    [
      'rita',
      'prices:read  resource_owners',
      'app',
      'resource_owners prices:read',
      'resource_owners readers',
      [200, 403, 403, 200, 403],
    ],
    ['rita', 'orders:write', 'app', 'invalid_scope'],
    ['rita', 'orders:read staff', 'app', 'invalid_scope'],
    ['rita', 'nobody:holds', 'app', 'invalid_scope'],
    ['rita', 'openid', 'app', 'invalid_scope'],
    ['sam', 'orders:write', 'app', 'orders:write', 'staff', [200, 403, 403, 403, 200]],
    [
      'sam',
      'orders:read orders:write',
      'app',
      'orders:read orders:write',
      'readers staff',
      [200, 200, 200, 403, 200],
    ],
    [
      'mia',
      undefined,
      'app',
      'resource_owners managers staff orders:read orders:write',
      'resource_owners managers staff',
      [200, 200, 200, 403, 200],
    ],
    ['mia', 'orders:write', 'app', 'orders:write', 'staff', [200, 403, 403, 403, 200]],
    // managers are staff, but a token for the role managers is none for what its groups carry
    ['mia', 'managers', 'app', 'managers', 'managers', [200, 403, 403, 403, 403]],
    ['zoe', undefined, 'app', 'resource_owners', 'resource_owners', [200, 403, 403, 403, 403]],
    ['zoe', 'orders:read', 'app', 'invalid_scope'],
    ['sam', undefined, 'narrow', 'orders:read', 'readers staff', [200, 200, 403, 403, 200]],
    ['rita', undefined, 'narrow', 'orders:read', 'readers', [200, 200, 403, 403, 403]],
    ['rita', 'orders:read', 'narrow', 'orders:read', 'readers', [200, 200, 403, 403, 403]],
    ['rita', 'readers', 'narrow', 'invalid_scope'],
    ['rita', 'prices:read', 'narrow', 'invalid_scope'],
    ['sam', 'orders:write', 'narrow', 'invalid_scope'],
    ['rita', undefined, 'role', 'readers', 'readers', [200, 200, 403, 200, 403]],
    ['rita', 'orders:read', 'role', 'invalid_scope'],
    ['rita', undefined, 'stranger', 'invalid_scope'],
    ['zoe', undefined, 'narrow', 'invalid_scope'],
  ] as const) {
    const asked = scope === undefined ? 'nothing' : JSON.stringify(scope)
    it(`of ${username}, who asks ${client} for ${asked}: ${claim}`, async () => {
      const tokens = await logIn(username, scope, client)
      if (roles === undefined) return expect(tokens.error).to.equal(claim)
      expect(tokens.scope).to.equal(claim)
      const { scope: told, auth } = claimsOf(tokens.access_token)
      expect([told, auth.roles.join(' ')]).to.deep.equal([claim, roles])
      return expect(await statuses(tokens)).to.deep.equal(found)
    })
  }

  for (const [client, scope, claim, status] of [
    ['app', undefined, 'api_clients readers orders:read prices:read', 200],
    ['app', 'orders:read', 'orders:read', 200],
    ['app', 'prices:read', 'prices:read', 403],
    ['narrow', undefined, 'orders:read', 200],
    ['narrow', 'prices:read', 'invalid_scope', 0],
    ['role', undefined, 'invalid_scope', 0],
  ] as const) {
    it(`of the client ${client} itself, which asks for ${scope ?? 'nothing'}: ${claim}`, async () => {
      const form = { grant_type: 'client_credentials', ...(scope !== undefined && { scope }) }
      const tokens = await request(form, client, '/own')
      if (status === 0) return expect(tokens.error).to.equal(claim)
      expect(claimsOf(tokens.access_token).scope).to.equal(claim)
      return expect((await get('/own/read', tokens)).status).to.equal(status)
    })
  }

  it('that are missing are named by a challenge, with where to ask', async () => {
    const tokens = await logIn('rita')
    const { status, headers, text } = await get('/v1/write', tokens)
    expect(status).to.equal(403)
    expect(JSON.parse(text)).to.include({ code: 'wamp.error.not_authorized' })
    expect(headers['www-authenticate']).to.equal(
      `Bearer realm="${realm_uri}", error="insufficient_scope", error_description="the token lacks a scope of this path: orders:read orders:write", scope="orders:read orders:write", resource_metadata="${gateway.url}/.well-known/oauth-protected-resource/v1"`,
    )
  })

  it('that are granted are read by expressions', async () => {
    const body = async (tokens: Tokens) => (await get('/v1/any', tokens)).json()
    expect(await body(await logIn('sam', 'staff'))).to.deep.equal({
      roles: ['staff'],
      granted: ['orders:read', 'orders:write'],
    })
    expect(await body(await logIn('zoe'))).to.deep.equal({
      roles: ['resource_owners'],
      granted: [],
    })
  })

  describe('of a user who loses a role', () => {
    afterEach(() => change())

    it('are not granted any more, nor refreshed', async () => {
      const [both, read] = [await logIn('sam'), await logIn('sam', 'orders:read')]
      const write = await logIn('sam', 'orders:write')
      await change(regrouped({ sam: ['resource_owners', 'readers'] }))
      expect(await statuses(both)).to.deep.equal([200, 200, 403, 200, 403])
      expect(await statuses(read)).to.deep.equal([200, 200, 403, 403, 403])
      expect(await statuses(write)).to.deep.equal([200, 403, 403, 403, 403])
      expect((await refreshed(both)).scope).to.equal(
        'resource_owners readers orders:read prices:read',
      )
      expect((await refreshed(read)).scope).to.equal('orders:read')
      expect((await refreshed(write)).error).to.equal('invalid_grant')
    })

    it('are granted once they are declared to a token that names a role', async () => {
      await change({ scopes: {} })
      const before = await logIn('sam')
      expect(before.scope).to.equal('resource_owners readers staff')
      expect(await statuses(before)).to.deep.equal([200, 403, 403, 403, 200])
      await change()
      expect(await statuses(before)).to.deep.equal([200, 200, 200, 200, 200])
      expect((await refreshed(before)).scope).to.equal('resource_owners readers staff')
    })

    it('are those of a prototype, as groups are', async () => {
      const { scopes, groups, ...others } = realm
      await change({ uri: 'com.example.scopes.prototype', scopes, groups, users: [] })
      const answer = await send(gateway.adminUrl, '/realms', {
        method: 'POST',
        body: { ...others, prototype_uri: 'com.example.scopes.prototype' },
      })
      expect(answer.status, answer.text).to.be.oneOf([200, 201])
      expect((await logIn('mia', 'orders:write')).scope).to.equal('orders:write')
    })
  })

  it('are narrowed at a refresh, for its access token alone', async () => {
    const first = await logIn('sam', 'orders:read orders:write')
    const narrowed = await refreshed(first, 'orders:read')
    expect(claimsOf(narrowed.access_token)).to.deep.include({ scope: 'orders:read' })
    expect(claimsOf(narrowed.access_token).auth.roles).to.deep.equal(['readers', 'staff'])
    expect((await refreshed(narrowed, 'prices:read')).error).to.equal('invalid_scope')
    expect((await refreshed(narrowed)).scope).to.equal('orders:read orders:write')
  })

  it('of a client that is narrowed meanwhile are cut at a refresh', async () => {
    const tokens = await logIn('sam')
    const scopes = (words: readonly string[]) => ({
      users: realm.users.map((user: User) =>
        user.username === 'app' ? { ...user, scopes: words } : user,
      ),
    })
    await change(scopes(['orders:read']))
    const cut = await refreshed(tokens)
    expect(cut.scope).to.equal('orders:read')
    await change(scopes([]))
    expect((await refreshed(cut)).error).to.equal('invalid_grant')
    await change()
  })

  it('are told by metadata, introspection and the description', async () => {
    const json = async (at: string) =>
      (await send(gateway.url, at)).json() as Record<string, unknown>
    expect(
      (await json('/v1/.well-known/oauth-authorization-server')).scopes_supported,
    ).to.deep.equal(Object.keys(realm.scopes))
    const resource = await json('/.well-known/oauth-protected-resource/v1')
    expect(resource.scopes_supported).to.have.members([
      'orders:read',
      'orders:write',
      'prices:read',
      'order:read',
    ])
    const tokens = await logIn('rita', 'orders:read readers')
    const told = await post('/v1/oauth/introspect', { token: tokens.access_token }, basicOf('app'))
    expect(told.json()).to.deep.include({ active: true, scope: 'readers orders:read prices:read' })
    const described = (await json('/v1/openapi')) as unknown as {
      readonly paths: Record<string, { readonly get: { readonly security: unknown } }>
      readonly components: {
        readonly securitySchemes: Record<
          string,
          { readonly flows: { readonly password: { readonly scopes: unknown } } }
        >
      }
    }
    expect(described.paths['/write']?.get.security).to.deep.equal([
      { oauth2: ['orders:read', 'orders:write'] },
    ])
    expect(Object.keys(described.components.securitySchemes)).to.deep.equal(['oauth2'])
    expect(described.components.securitySchemes.oauth2?.flows.password.scopes).to.deep.equal({
      'order:read': '',
      'orders:read': 'Read orders',
      'orders:write': '',
      'prices:read': '',
    })
  })

  for (const [query, status] of [
    ['', 200],
    ['?scope=', 200],
    ['?scope=orders:read', 200],
    ['?scope=orders:read+prices:read', 200],
    ['?scope=orders%3Aread%20prices%3Aread', 200],
    ['?scope=orders:write', 403],
    ['?scope=orders:read+orders:write', 403],
    ['?scope=readers', 403],
    ['?scope=%22', 403],
  ] as const) {
    it(`are asked for by a proxy: ${query} is ${status}`, async () => {
      const found = await get(`/v1/oauth/verify${query}`, await logIn('rita'))
      expect(found.status, found.text).to.equal(status)
      const challenge = String(found.headers['www-authenticate'])
      expect(challenge.includes('insufficient_scope')).to.equal(status === 403)
    })
  }

  it('are shown with the realm, whatever they are called, and those of its clients', async () => {
    const shown = await send(gateway.adminUrl, `/realms/${realm_uri}`)
    const { scopes, users } = shown.json() as typeof realm
    expect(scopes).to.deep.equal(realm.scopes)
    const narrow = users.find(({ username }) => username === 'narrow')
    expect(narrow).to.deep.equal({
      username: 'narrow',
      groups: ['api_clients', 'readers'],
      scopes: ['orders:read'],
    })
  })

  it('that the realm does not declare are warned of at load', () => {
    expect(warnings).to.deep.equal([
      {
        path: '/versions/1/paths/~1absent/security',
        message: `no token can have it: ${realm_uri} declares no scope "order:read"; did you mean orders:read?`,
      },
    ])
  })

  for (const [what, scopes, at] of [
    ['the name of a group', { staff: { roles: ['staff'] } }, '/scopes/staff'],
    ['the name of a user', { sam: { roles: ['staff'] } }, '/scopes/sam'],
    ['the group of all clients', { api_clients: { roles: ['staff'] } }, '/scopes/api_clients'],
    ['everybody', { all: { roles: ['staff'] } }, '/scopes/all'],
    ['a text that reads as two', { 'a b': { roles: ['staff'] } }, '/scopes/a b'],
    ['a name with a quote', { 'a"': { roles: ['staff'] } }, '/scopes/a"'],
    ['no roles', { x: {} }, '/scopes/x/roles'],
    ['an empty list of roles', { x: { roles: [] } }, '/scopes/x/roles'],
    ['a role that is no list', { x: { roles: 'staff' } }, '/scopes/x/roles'],
    ['a misspelt key', { x: { roles: ['staff'], role: [] } }, '/scopes/x/role'],
    ['a list', ['x'], '/scopes'],
    [
      'too many',
      Object.fromEntries(Array.from({ length: 501 }, (_, at) => [`s${at}`, { roles: ['r'] }])),
      '/scopes',
    ],
  ] as const) {
    it(`are refused in a realm: ${what}`, async () => {
      const answer = await send(gateway.adminUrl, '/realms', {
        method: 'POST',
        body: { ...realm, scopes },
      })
      expect(answer.status).to.equal(400)
      const { details } = answer.json() as {
        readonly details: readonly { readonly path: string }[]
      }
      expect(details.map((one) => one.path)).to.deep.equal([at])
    })
  }
})
