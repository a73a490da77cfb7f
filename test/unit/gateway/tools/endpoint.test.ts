/** The endpoint for language models: methods and revisions, and who may use it. */
import { expect } from 'chai'
import { ServiceError } from '#component/errors.ts'
import { type Ask, fixed, serve } from '#test/unit/gateway/fake-exchange.ts'
import { askOf, callOf, meta, olderAsk, orders, send, tool, toolsOf } from './fixture.ts'

const served = serve(orders)
const names = ['get_order', 'put_order', 'list_orders', 'create_order']
const older = ['2025-03-26', '2025-06-18', '2025-11-25']

/** What a message is refused with: HTTP status and code. */
const refusalOf = async (ask: Ask): Promise<unknown[]> => {
  const { status, json } = await send(served, ask)
  return [status, json.error?.code]
}

describe('The endpoint for language models: 2026-07-28', () => {
  it('answers server/discover', async () => {
    const { status, json, headers } = await send(served, askOf({ method: 'server/discover' }))
    expect(status).to.equal(200)
    expect(headers['cache-control']).to.equal('no-store')
    expect(json).to.deep.equal({
      jsonrpc: '2.0',
      id: 1,
      result: {
        resultType: 'complete',
        _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'orders', version: '1.0' } },
        supportedVersions: ['2026-07-28'],
        capabilities: { tools: {} },
        ttlMs: 60_000,
        cacheScope: 'public',
      },
    })
  })

  it('tells the instructions, and without a name the id of the document', async () => {
    const mcp = { path: '/mcp', instructions: 'Be kind.' }
    const document = toolsOf({ '/x': { get: tool('x', {}, fixed()) } }, { mcp })
    const { json } = await send(serve(document), askOf({ method: 'server/discover' }))
    expect(json.result).to.deep.include({ instructions: 'Be kind.' })
    expect(json.result?._meta).to.deep.equal({
      'io.modelcontextprotocol/serverInfo': { name: 'com.example.test', version: '1.0' },
    })
  })

  it('answers tools/list in the order of the document', async () => {
    const { json } = await send(served, askOf({ method: 'tools/list' }))
    expect(json.result?.tools?.map(({ name }) => name)).to.deep.equal(names)
    expect(json.result).to.deep.include({
      resultType: 'complete',
      ttlMs: 60_000,
      cacheScope: 'public',
    })
    expect(json.result?.tools?.[0]).to.deep.equal({
      name: 'get_order',
      description: 'Does get_order.',
      inputSchema: {
        type: 'object',
        properties: { id: { type: 'string' } },
        required: ['id'],
        additionalProperties: false,
      },
      annotations: { readOnlyHint: true, idempotentHint: true },
    })
  })

  it('answers tools/call', async () => {
    const { json } = await send(served, askOf(callOf('get_order', { id: 'a' })))
    expect(json.result?.resultType).to.equal('complete')
  })

  for (const method of ['subscriptions/listen', 'resources/list', 'prompts/list', 'ping', 'x']) {
    it(`answers ${method} by 404 -32601`, async () => {
      expect(await refusalOf(askOf({ method }))).to.deep.equal([404, -32601])
    })
  }

  it('answers initialize with a claim of this revision by 404 -32601', async () => {
    expect(await refusalOf(askOf({ method: 'initialize' }))).to.deep.equal([404, -32601])
  })

  it('accepts a notification by 202, without a body', async () => {
    const { headers = {} } = askOf({ method: 'notifications/cancelled' })
    const body = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled' })
    const reply = await served.ask('POST /v1/mcp', { headers, body })
    expect([reply.status, reply.body.kind]).to.deep.equal([202, 'none'])
  })

  it('refuses a cursor, since no list has a next page', async () => {
    const ask = askOf({ method: 'tools/list', params: { _meta: meta, cursor: 'a' } })
    expect(await refusalOf(ask)).to.deep.equal([200, -32602])
  })

  it('gives the id back as it was sent', async () => {
    for (const id of ['a', 0, -7]) {
      const { json } = await send(served, askOf({ method: 'tools/list', id }))
      expect(json.id).to.equal(id)
    }
    const { json } = await send(served, askOf({ method: 'x', id: 'b' }))
    expect(json.id).to.equal('b')
  })
})

for (const version of older) {
  describe(`The endpoint for language models: ${version}`, () => {
    const headers = { 'mcp-protocol-version': version }

    it('answers initialize, and gives no session', async () => {
      const params = { protocolVersion: version, capabilities: {}, clientInfo: {} }
      const ask = olderAsk(
        { method: 'initialize', params },
        { 'mcp-protocol-version': undefined, 'mcp-session-id': 'x' },
      )
      const { status, json, headers: sent } = await send(served, ask)
      expect(status).to.equal(200)
      expect(sent).not.to.have.property('mcp-session-id')
      expect(json.result).to.deep.equal({
        protocolVersion: version,
        capabilities: { tools: {} },
        serverInfo: { name: 'orders', version: '1.0' },
      })
    })

    it('accepts notifications/initialized by 202', async () => {
      const body = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })
      const reply = await served.ask('POST /v1/mcp', { headers, body })
      expect([reply.status, reply.body.kind]).to.deep.equal([202, 'none'])
    })

    it('answers ping', async () => {
      const { json } = await send(served, olderAsk({ method: 'ping' }, headers))
      expect(json.result).to.deep.equal({})
    })

    it('answers tools/list and tools/call', async () => {
      const { json } = await send(served, olderAsk({ method: 'tools/list' }, headers))
      expect(json.result?.tools?.map(({ name }) => name)).to.deep.equal(names)
      expect(Object.keys(json.result ?? {})).to.deep.equal(['tools'])
      const called = await send(served, olderAsk(callOf('get_order', { id: 'a' }), headers))
      expect(called.json.result?.structuredContent?.bindings).to.deep.equal({ id: 'a' })
    })

    it('answers other methods, resources and prompts by 200 -32601', async () => {
      for (const method of ['resources/list', 'prompts/list', 'server/discover', 'x']) {
        expect(await refusalOf(olderAsk({ method }, headers))).to.deep.equal([200, -32601])
      }
    })
  })
}

describe('The endpoint for language models: any revision', () => {
  it('answers initialize for a version that is not known by the newest one', async () => {
    const params = { protocolVersion: '2024-11-05' }
    const { json } = await send(
      served,
      olderAsk({ method: 'initialize', params }, { 'mcp-protocol-version': undefined }),
    )
    expect(json.result?.protocolVersion).to.equal('2025-11-25')
  })

  it('shows no schema of results that older clients cannot read', async () => {
    const paths = {
      '/x': { get: tool('a', { output: { type: 'array' } }, fixed()) },
      '/y': { get: tool('b', { output: { type: 'object' } }, fixed()) },
    }
    const listOf = async (ask: Ask) => (await send(serve(toolsOf(paths)), ask)).json.result?.tools
    const schemas = (tools: readonly object[] = []) =>
      tools.map((one) => (one as { outputSchema?: unknown }).outputSchema)
    const method = 'tools/list'
    expect(schemas(await listOf(olderAsk({ method })))).to.deep.equal([
      undefined,
      { type: 'object' },
    ])
    expect(schemas(await listOf(askOf({ method })))).to.deep.equal([
      { type: 'array' },
      { type: 'object' },
    ])
  })

  for (const line of ['GET /v1/mcp', 'DELETE /v1/mcp']) {
    it(`answers ${line} by 405, Allow: OPTIONS, POST`, async () => {
      const { status, headers } = await served.ask(line)
      expect([status, headers.allow]).to.deep.equal([405, 'OPTIONS, POST'])
    })
  }

  const discover = askOf({ method: 'server/discover' })
  for (const origin of ['https://evil.example', 'null', 'http://localhost:81']) {
    it(`refuses pages of ${origin} by 403`, async () => {
      const headers = { ...discover.headers, origin, host: 'localhost' }
      expect((await send(served, { ...discover, headers })).status).to.equal(403)
    })
  }

  it('serves pages of its own origin', async () => {
    const headers = { ...discover.headers, origin: 'http://localhost:80', host: 'localhost:80' }
    expect((await send(served, { ...discover, headers })).status).to.equal(200)
  })

  it('refuses pages under another name that come from this machine by 403: DNS rebinding', async () => {
    const statusOf = async (host: string, more: object = {}) => {
      const headers = { ...discover.headers, origin: `http://${host}`, host, ...more }
      return (await send(served, { ...discover, headers, peer: '127.0.0.1' })).status
    }
    expect(await statusOf('evil.example:8080')).to.equal(403)
    for (const host of ['localhost:8080', '127.0.0.1', '[::1]:80']) {
      expect(await statusOf(host)).to.equal(200)
    }
    expect(await statusOf('api.example.com', { 'x-forwarded-for': '192.0.2.1' })).to.equal(200)
  })

  it('accepts a response that nobody has asked for by 202', async () => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, result: {} })
    expect((await served.ask('POST /v1/mcp', { body })).status).to.equal(202)
  })
})

describe('A failure of the endpoint itself', () => {
  it('is a reply like that of any path', async () => {
    const secured = toolsOf({ '/x': { security: { type: 'basic' }, get: tool('x', {}, fixed()) } })
    const busy = new ServiceError('service.error.unavailable', 'busy')
    const scheme = {
      authenticate() {
        throw busy
      },
    }
    const all = new Proxy({}, { get: () => scheme }) as never
    const failing = serve(secured, undefined, undefined, all)
    expect((await send(failing, askOf({ method: 'tools/list' }))).status).to.equal(503)
  })
})
