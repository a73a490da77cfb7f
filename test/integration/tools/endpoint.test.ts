/** The endpoint for language models over real HTTP: tokens of an issuer, its metadata, and what log and metrics tell of a call. */
import { expect } from 'chai'
import { toolsDocument } from '#test/support/examples/tools-api.ts'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { type HttpAnswer, send } from '#test/support/http-request.ts'
import { keptLog } from '#test/support/log-lines.ts'
import { until } from '#test/support/running/until.ts'
import { fixed } from '#test/unit/gateway/fake-exchange.ts'
import { askOf, callOf, type Sent, tool } from '#test/unit/gateway/tools/fixture.ts'
import { FakeIssuer } from '#test/unit/issuer/fake-issuer.ts'

const realm = 'com.example.realm'

const securities = {
  corp: { type: 'jwt', issuer: 'corp', scopes: ['orders:read'] },
  own: { type: 'oauth2', flow: 'client_credentials' },
}

const document = {
  id: 'com.example.orders',
  host: '_',
  realm_uri: realm,
  defaults: { schemes: ['http'] },
  versions: {
    one: {
      base_path: '/v1',
      mcp: { path: '/mcp' },
      paths: {
        '/orders/:id': { security: securities.corp, get: tool('get_order', {}, fixed('an order')) },
        '/stock': { security: securities.own, get: tool('stock', {}, fixed()) },
        '/other': { security: { type: 'jwt', issuer: 'other' }, get: fixed() },
      },
    },
    tenants: {
      base_path: '/:tenant/v2',
      mcp: { path: '/mcp' },
      paths: {
        '/me': {
          get: tool(
            'me',
            {},
            {
              action: { type: 'static', body: '{{request.bindings}}' },
              response: { on_result: {}, on_error: {} },
            },
          ),
        },
      },
    },
  },
}

describe('The endpoint for language models over HTTP', () => {
  const { log, lines } = keptLog()
  let issuer: FakeIssuer
  let gateway: TestGateway

  before(async () => {
    issuer = await FakeIssuer.open(Date.now)
    gateway = await startGateway({}, { isEmbedded: true, log })
    const loaded = await send(gateway.adminUrl, '/services/load_realm', {
      method: 'POST',
      body: {
        uri: realm,
        authmethods: ['jwt'],
        sources: [{ usernames: 'all', authmethod: 'jwt', cidr: '0.0.0.0/0' }],
        info: { jwt_issuers: { corp: { ...issuer.settings, clock_tolerance_secs: 0 } } },
      },
    })
    expect(loaded.status, loaded.text).to.be.within(200, 201)
    await gateway.mustLoad(document)
  })
  after(async () => {
    await gateway.stop()
    await issuer.close()
  })

  const post = (sent: Sent, headers: object = {}, path = '/v1/mcp'): Promise<HttpAnswer> => {
    const ask = askOf(sent, { 'content-type': 'application/json', ...headers })
    return send(gateway.url, path, { method: 'POST', headers: ask.headers ?? {}, body: ask.body })
  }

  const bearer = async (claims: object = {}) => ({
    authorization: `Bearer ${await issuer.token({ claims: { sub: 'ada', ...claims } })}`,
  })

  const metadataUrl = () => `${gateway.url}/.well-known/oauth-protected-resource/v1/mcp`

  it('calls a tool with a token of the issuer', async () => {
    const { status, text } = await post(
      callOf('get_order', { id: 'a' }),
      await bearer({ scope: 'orders:read' }),
    )
    expect([status, JSON.parse(text).result?.structuredContent]).to.deep.equal([200, 'an order'])
  })

  it('answers 401 with resource_metadata: token expired', async () => {
    for (const sent of [{ method: 'tools/list' }, callOf('get_order', { id: 'a' })]) {
      const expired = await bearer({ scope: 'orders:read', exp: 1_000_000_000 })
      const { status, headers } = await post(sent, expired)
      expect(status).to.equal(401)
      expect(headers['www-authenticate']).to.match(
        /^Bearer realm="com\.example\.realm", error="invalid_token"/,
      )
      expect(headers['www-authenticate']).to.include(`resource_metadata="${metadataUrl()}"`)
    }
  })

  it('answers 401 with resource_metadata to who brings nothing, so that a client begins its login', async () => {
    const { status, headers } = await post({ method: 'server/discover' })
    expect(status).to.equal(401)
    expect(headers['www-authenticate']).to.include(`resource_metadata="${metadataUrl()}"`)
  })

  it('answers 403 to a token without the scope', async () => {
    const { status, headers } = await post(
      { method: 'tools/list' },
      await bearer({ scope: 'other' }),
    )
    expect(status).to.equal(403)
    expect(headers['www-authenticate']).to.include('error="insufficient_scope"')
  })

  it('serves its metadata: the resource as its client addresses it, and the issuers of the tools that can log people in', async () => {
    const { status, text } = await send(
      gateway.url,
      '/.well-known/oauth-protected-resource/v1/mcp',
      { host: 'tools.example.com' },
    )
    expect(status).to.equal(200)
    expect(JSON.parse(text)).to.deep.equal({
      resource: 'http://tools.example.com/v1/mcp',
      authorization_servers: [issuer.url],
      scopes_supported: ['orders:read'],
      bearer_methods_supported: ['header'],
    })
  })

  it('has the bindings of base_path from its own address', async () => {
    const { text } = await post(callOf('me'), {}, '/acme/v2/mcp')
    expect(JSON.parse(text).result?.structuredContent).to.deep.equal({ tenant: 'acme' })
  })

  it('is one line of the log, and counts at the path of the operation', async () => {
    const { headers } = await post(
      callOf('get_order', { id: 'b' }),
      await bearer({ scope: 'orders:read' }),
    )
    const find = () => lines.find((line) => line.request_id === headers['x-request-id'])
    await until('the line is written', () => find() !== undefined)
    expect(find()).to.deep.include({
      msg: 'request',
      method: 'post',
      route: '/v1/orders/:id',
      tool: 'get_order',
      status: 200,
    })
    expect(JSON.stringify(find())).not.to.include('Bearer')
    const { text } = await send(gateway.adminUrl, '/metrics')
    expect(text).to.match(
      /gateway_http_requests_total\{api="com\.example\.orders",version="one",route="\/v1\/orders\/:id",method="post",status="200"\} \d/,
    )
  })

  it('lets pages of other origins read its answers only where they are listed', async () => {
    const origin = { origin: 'https://page.example' }
    expect((await post({ method: 'server/discover' }, origin)).status).to.equal(403)
  })
})

describe('a page of another origin and the endpoint of tools', () => {
  const page = 'https://page.example'
  const path = '/v1/mcp'
  const fields = 'content-type,accept,authorization,mcp-protocol-version,mcp-method,mcp-name'

  for (const [what, settings, origin, isAllowed] of [
    ['listed', {}, page, true],
    [
      'listed, whatever gateway.cors says',
      { 'gateway.cors.allow_origin': '"https://x.example"' },
      page,
      true,
    ],
    [
      'listed, with gateway.cors off',
      {
        'gateway.cors.allow_origin': '""',
        'gateway.cors.allow_headers': '""',
        'gateway.cors.allow_methods': '""',
      },
      page,
      true,
    ],
    ['not listed', { 'gateway.cors.allow_origin': '""' }, 'https://evil.example', false],
    [
      'any, where all are listed',
      { 'gateway.ws_allowed_origins': '["*"]' },
      'https://any.example',
      true,
    ],
  ] as const) {
    it(`is ${isAllowed ? 'let use' : 'kept from'} it: ${what}`, async () => {
      const all = { 'gateway.ws_allowed_origins': JSON.stringify([page]), ...settings }
      const gateway = await startGateway(all, { isEmbedded: true })
      try {
        await gateway.mustLoad(toolsDocument())
        const asked = {
          'access-control-request-method': 'POST',
          'access-control-request-headers': fields,
        }
        const preflight = await send(gateway.url, path, {
          method: 'OPTIONS',
          headers: { origin, ...asked },
        })
        const { headers } = preflight
        expect(preflight.status).to.equal(204)
        expect(headers['access-control-allow-origin'] === origin).to.equal(isAllowed)
        const allowed = String(headers['access-control-allow-headers']).toLowerCase().split(',')
        const lacks = fields.split(',').filter((one) => !allowed.includes(one))
        expect(lacks.length === 0).to.equal(isAllowed)
        if (isAllowed) expect(headers['access-control-allow-methods']).to.include('POST')
        expect(headers.vary).to.include('Origin')

        const message = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }
        const reply = await send(gateway.url, path, {
          method: 'POST',
          headers: { origin, 'content-type': 'application/json' },
          body: JSON.stringify(message),
        })
        expect(reply.status).to.equal(isAllowed ? 200 : 403)
        expect(reply.headers['access-control-allow-origin'] === origin).to.equal(isAllowed)
        const read = String(reply.headers['access-control-expose-headers'])
        expect(read.includes('www-authenticate')).to.equal(isAllowed)
        // clients of before 2026-07-28 ask for a stream, and are told that there is none
        const stream = await send(gateway.url, path, { headers: { origin } })
        expect(stream.status).to.equal(405)
        expect(stream.headers['access-control-allow-origin'] === origin).to.equal(isAllowed)
      } finally {
        await gateway.stop()
      }
    })
  }
})
