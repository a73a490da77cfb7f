/** Messages to an endpoint for language models that are broken. */
import { expect } from 'chai'
import { type Ask, serve } from '#test/unit/gateway/fake-exchange.ts'
import { askOf, callOf, jsonOf, meta, olderAsk, orders, send } from './fixture.ts'

const served = serve(orders)
const versionKey = 'io.modelcontextprotocol/protocolVersion'

/** What a message is refused with: HTTP status and code. */
const refusalOf = async (ask: Ask): Promise<unknown[]> => {
  const { status, json } = await send(served, ask)
  return [status, json.error?.code]
}

describe('A message that is broken', () => {
  const { headers = {} } = askOf({ method: 'tools/list' })
  const raw = (body: string) => refusalOf({ headers, body })

  it('is 400 -32700: a body that is no JSON', async () => {
    expect(await raw('{')).to.deep.equal([400, -32700])
  })

  it('is 400 -32600: an array (batch)', async () => {
    expect(await raw('[]')).to.deep.equal([400, -32600])
    expect(await raw('[{"jsonrpc":"2.0","id":1,"method":"ping"}]')).to.deep.equal([400, -32600])
  })

  for (const body of [
    '1',
    'null',
    '{}',
    '{"id":1,"method":"tools/list"}',
    '{"jsonrpc":"1.0","id":1,"method":"tools/list"}',
    '{"jsonrpc":"2.0","id":1}',
    '{"jsonrpc":"2.0","id":1,"method":7}',
    '{"jsonrpc":"2.0","id":null,"method":"tools/list"}',
    '{"jsonrpc":"2.0","id":1.5,"method":"tools/list"}',
    '{"jsonrpc":"2.0","id":{},"method":"tools/list"}',
    '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":[]}',
  ]) {
    it(`is 400 -32600: ${body}`, async () => {
      expect(await raw(body)).to.deep.equal([400, -32600])
    })
  }

  it('is 413: 5 MB', async () => {
    const reply = await served.ask('POST /v1/mcp', {
      headers,
      body: `"${'x'.repeat(5_000_000)}"`,
    })
    expect(reply.status).to.equal(413)
  })

  it('is 415: another type than JSON', async () => {
    const typed = { ...headers, 'content-type': 'application/x-www-form-urlencoded' }
    expect((await served.ask('POST /v1/mcp', { headers: typed, body: 'a=1' })).status).to.equal(415)
  })

  for (const method of [undefined, 'tools/call', 'TOOLS/LIST']) {
    it(`is 400 -32020: ${method ?? 'no'} Mcp-Method, which is not that of the body`, async () => {
      const ask = askOf({ method: 'tools/list' }, { 'mcp-method': method })
      expect(await refusalOf(ask)).to.deep.equal([400, -32020])
    })
  }

  for (const name of [
    undefined,
    'put_order',
    '=?base64?eA==?=',
    '=?base64?Z2V0X29yZGVy',
    '=?base64?!?=',
  ]) {
    it(`is 400 -32020: ${name ?? 'no'} Mcp-Name, which is not that of the body`, async () => {
      const ask = askOf(callOf('get_order', { id: 'a' }), { 'mcp-name': name })
      expect(await refusalOf(ask)).to.deep.equal([400, -32020])
    })
  }

  it('is none: Mcp-Name in base64 form, equal after decoding', async () => {
    const name = `=?base64?${Buffer.from('get_order').toString('base64')}?=`
    const ask = askOf(callOf('get_order', { id: 'a' }), { 'mcp-name': name })
    expect((await send(served, ask)).json.result?.isError).to.equal(undefined)
  })

  // what discovery names is what _meta may claim
  for (const [claim, supported] of [
    [undefined, ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26']],
    ['1900-01-01', ['2026-07-28']],
  ] as const) {
    it(`is 400 -32022 with supported: MCP-Protocol-Version: 1900-01-01, ${claim ? 'also in' : 'without'} _meta`, async () => {
      const params = claim ? { _meta: { ...meta, [versionKey]: claim } } : { _meta: undefined }
      const ask = askOf({ method: 'tools/list', params }, { 'mcp-protocol-version': '1900-01-01' })
      const { status, json } = await send(served, ask)
      expect([status, json.error?.code]).to.deep.equal([400, -32022])
      expect(json.error?.data).to.deep.equal({ supported, requested: '1900-01-01' })
    })
  }

  it('is of an older revision: header absent and no _meta; 400 -32020 for a method that only the current one has', async () => {
    const absent = { 'mcp-protocol-version': undefined }
    const { json } = await send(served, olderAsk({ method: 'tools/list' }, absent))
    expect(Object.keys(json.result ?? {})).to.deep.equal(['tools'])
    const other = olderAsk({ method: 'server/discover' }, absent)
    expect(await refusalOf(other)).to.deep.equal([400, -32020])
    for (const method of [
      'resources/list',
      'prompts/list',
      'logging/setLevel',
      'x',
      'tools/list2',
    ]) {
      const unknown = olderAsk({ method }, absent)
      expect(await refusalOf(unknown), method).to.deep.equal([200, -32601])
    }
  })

  it('is 400 -32020: the version of the header is not that of the body', async () => {
    for (const version of ['2025-11-25', undefined]) {
      const ask = askOf({ method: 'tools/list' }, { 'mcp-protocol-version': version })
      expect(await refusalOf(ask)).to.deep.equal([400, -32020])
    }
    const handshake = olderAsk({ method: 'initialize' }, { 'mcp-protocol-version': '2026-07-28' })
    expect(await refusalOf(handshake)).to.deep.equal([400, -32020])
  })

  it('is 400 -32602: a _meta without what the current revision wants', async () => {
    for (const _meta of [undefined, {}, { [versionKey]: 1 }, { [versionKey]: '2026-07-28' }, 1]) {
      const ask = askOf({ method: 'tools/list', params: { _meta } })
      expect(await refusalOf(ask)).to.deep.equal([400, -32602])
    }
  })

  it('shows nothing of what was sent but the version', async () => {
    const secret = 'hunter2'
    for (const body of [`{"${secret}`, `{"jsonrpc":"2.0","id":1,"method":"${secret}"}`]) {
      const reply = await served.ask('POST /v1/mcp', { headers, body })
      expect(JSON.stringify(jsonOf(reply))).not.to.include(secret)
    }
  })
})
