/** Who may call what: the list of tools shows a user those that this user may call, and no others. */
import { expect } from 'chai'
import { toolsDocument } from '#test/support/examples/tools-api.ts'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { send } from '#test/support/http-request.ts'
import { FakeIssuer } from '#test/unit/issuer/fake-issuer.ts'
import { ask, callTool, listTools } from './ask.ts'

const realm = 'com.example.realm'

const realmWith = (issuer: FakeIssuer) => ({
  ...{ uri: realm, authmethods: ['jwt'] },
  users: [{ username: 'program', groups: ['programs'] }],
  sources: [{ usernames: 'all', authmethod: 'jwt', cidr: '127.0.0.0/8' }],
  groups: [{ name: 'programs' }],
  info: { jwt_issuers: { corp: issuer.settings } },
})

const jwt = (...scopes: readonly string[]) => ({
  security: { type: 'jwt', issuer: 'corp', scopes },
})

/** The tools by name, with what protects them. */
const protections = {
  open: { security: {} },
  read: jwt('orders:read'),
  write: jwt('orders:read', 'orders:write'),
  keyed: { security: { type: 'api_key', header_name: 'x-key' } },
  inside: { security: {}, allow_from: ['10.0.0.0/8'] },
} as const

type Tool = keyof typeof protections

const tools = Object.keys(protections) as readonly Tool[]

const paths = Object.fromEntries(
  Object.entries(protections).map(([name, protection]) => [
    `/${name}`,
    {
      ...protection,
      get: {
        tool: { name, description: `The tool ${name}.` },
        action: { type: 'static', body: { authid: '{{security.authid}}' } },
        response: { on_result: {}, on_error: {} },
      },
    },
  ]),
)

/** Which tools the users may call, by what the documents say: row by row, column by column. */
const matrix: Readonly<Record<string, readonly Tool[]>> = {
  //          open    read    write    keyed
  nobody: ['open'],
  reader: ['open', 'read'],
  writer: ['open', 'read', 'write'],
  program: ['open', 'keyed'],
}

describe('the tools of a user', () => {
  let issuer: FakeIssuer
  let gateway: TestGateway
  /** The header fields of each user. */
  const fields: Record<string, Record<string, string>> = { nobody: {} }

  before(async () => {
    issuer = await FakeIssuer.open(Date.now)
    gateway = await startGateway({}, { isEmbedded: true })
    const post = (path: string, body: unknown) =>
      send(gateway.adminUrl, path, { method: 'POST', body })
    const loaded = await post('/realms', realmWith(issuer))
    expect(loaded.status, loaded.text).to.be.oneOf([200, 201])
    const document = { ...toolsDocument(paths), realm_uri: realm }
    await gateway.mustLoad(document)
    for (const [name, scope] of [
      ['reader', 'orders:read'],
      ['writer', 'orders:read orders:write'],
    ] as const) {
      const token = await issuer.token({ claims: { sub: name, scope } })
      fields[name] = { authorization: `Bearer ${token}` }
    }
    const key = await post(`/realms/${realm}/users/program/api_keys`, {})
    fields.program = { 'x-key': (key.json() as { readonly api_key: string }).api_key }
  })
  after(async () => {
    await gateway?.stop()
    await issuer?.close()
  })

  for (const [user, mayCall] of Object.entries(matrix)) {
    it(`are listed for ${user}: ${mayCall.join(', ')}`, async () => {
      expect(await listTools(gateway.url, fields[user])).to.deep.equal(mayCall)
    })

    for (const tool of tools) {
      const may = mayCall.includes(tool)
      it(`${tool} ${may ? 'answers' : 'does not answer'} ${user}`, async () => {
        const { result, error } = await callTool(gateway.url, tool, {}, fields[user])
        expect(result !== undefined && result.isError !== true).to.equal(may)
        if (may) expect(result?.structuredContent).to.have.property('authid')
        else expect(JSON.stringify({ result, error })).not.to.include('authid')
      })
    }

    it(`are those whose paths answer ${user}`, async () => {
      const found = await Promise.all(
        tools.map((tool) => send(gateway.url, `/v1/${tool}`, { headers: fields[user] ?? {} })),
      )
      const answered = tools.filter((_, at) => found[at]?.status === 200)
      expect(answered).to.deep.equal(mayCall)
    })
  }

  it('that are hidden cannot be told from those that do not exist', async () => {
    const hidden = await callTool(gateway.url, 'keyed', {}, fields.reader)
    const unknown = await callTool(gateway.url, 'absent', {}, fields.reader)
    expect(hidden).to.deep.equal(unknown)
    expect(hidden.error?.code).to.equal(-32602)
  })

  it('are not shown to who brings a token that does not hold, who is told where to get one', async () => {
    for (const method of ['tools/list', 'tools/call'] as const) {
      const token = await issuer.token({ claims: { sub: 'reader', exp: 1 } })
      const params = method === 'tools/call' ? { name: 'read', arguments: {} } : {}
      const answer = await ask(gateway.url, method, params, { authorization: `Bearer ${token}` })
      expect(answer.status).to.equal(401)
      const metadata = `${gateway.url}/.well-known/oauth-protected-resource/v1/mcp`
      expect(answer.headers['www-authenticate']).to.include(`resource_metadata="${metadata}"`)
      const found = await send(metadata, '')
      expect(found.json()).to.deep.include({
        resource: `${gateway.url}/v1/mcp`,
        authorization_servers: [issuer.settings.issuer],
      })
    }
  })
})
