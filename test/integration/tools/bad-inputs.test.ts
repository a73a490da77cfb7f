/** What an endpoint for tools answers to messages that are not as the protocol, or a tool, wants them. */
import { expect } from 'chai'
import { ToolCallee, toolPaths, toolsDocument } from '#test/support/examples/tools-api.ts'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { type HttpRequest, send } from '#test/support/http-request.ts'
import { messageOf, type RpcAnswer, revisions } from './ask.ts'

/** What is sent: header fields beside those that make a client be taken for one, and the body. */
type Sent = Pick<HttpRequest, 'headers' | 'body' | 'method'>

/** What comes back. */
interface Expected {
  readonly status: number
  /** Of the error. */
  readonly code?: number
  /** Header fields. */
  readonly fields?: Readonly<Record<string, string>>
  /** Texts in the body. */
  readonly texts?: readonly string[]
  readonly isError?: boolean
}

/** A message of the current revision, with other fields; `undefined` takes a field away. */
function current(
  method: string,
  params: Readonly<Record<string, unknown>> = {},
  changes: Readonly<Record<string, string | undefined>> = {},
): Sent {
  const { headers, body } = messageOf(method, params)
  const fields = Object.entries({ ...headers, ...changes })
  const kept = fields.filter((entry): entry is [string, string] => entry[1] !== undefined)
  return { headers: Object.fromEntries(kept), body }
}

/** A message of a revision with `initialize`. */
const former = (
  method: string,
  params: object = {},
  fields: Record<string, string> = {},
): Sent => ({
  headers: { 'content-type': 'application/json', ...fields },
  body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
})

const call = (name: string, args: object, changes?: Readonly<Record<string, string | undefined>>) =>
  current('tools/call', { name, arguments: args }, changes)

const order = { id: '7' }
const base64 = (text: string) => `=?base64?${Buffer.from(text).toString('base64')}?=`
const initialize = {
  protocolVersion: revisions.former,
  capabilities: {},
  clientInfo: { name: 'x', version: '1' },
}

type Row = readonly [what: string, sent: Sent, expected: Expected]

/** Each with the answer. */
const rows: readonly Row[] = [
  ['no JSON', { ...current('tools/list'), body: '{' }, { status: 400, code: -32700 }],
  [
    'a batch',
    { ...current('tools/list'), body: `[${current('tools/list').body}]` },
    { status: 400, code: -32600 },
  ],
  ['5 MB', call('read_any', { id: 'x'.repeat(5_000_000) }), { status: 413 }],
  [
    'another media type',
    current('tools/list', {}, { 'content-type': 'text/plain' }),
    { status: 415 },
  ],
  [
    'no Mcp-Method',
    current('tools/list', {}, { 'mcp-method': undefined }),
    { status: 400, code: -32020 },
  ],
  [
    'another Mcp-Method',
    current('tools/list', {}, { 'mcp-method': 'tools/call' }),
    { status: 400, code: -32020 },
  ],
  [
    'no Mcp-Name',
    call('get_order', order, { 'mcp-name': undefined }),
    { status: 400, code: -32020 },
  ],
  [
    'another Mcp-Name',
    call('get_order', order, { 'mcp-name': 'fail' }),
    { status: 400, code: -32020 },
  ],
  [
    'Mcp-Name in base64',
    call('get_order', order, { 'mcp-name': base64('get_order') }),
    { status: 200, texts: ['"7"'] },
  ],
  [
    'another Mcp-Name in base64',
    call('get_order', order, { 'mcp-name': base64('fail') }),
    { status: 400, code: -32020 },
  ],
  [
    'an unknown revision',
    current(
      'tools/list',
      { _meta: { 'io.modelcontextprotocol/protocolVersion': '1900-01-01' } },
      { 'mcp-protocol-version': '1900-01-01' },
    ),
    { status: 400, code: -32022, texts: [`["${revisions.current}"]`] },
  ],
  [
    'an unknown revision without _meta',
    former('tools/list', {}, { 'mcp-protocol-version': '1900-01-01' }),
    { status: 400, code: -32022, texts: [revisions.current, revisions.former] },
  ],
  [
    'another revision in the header field than in _meta',
    current('tools/list', {}, { 'mcp-protocol-version': revisions.former }),
    { status: 400, code: -32020 },
  ],
  ['no revision, and a method of all', former('tools/list'), { status: 200, texts: ['get_order'] }],
  [
    'no revision, and a method of the current one',
    former('server/discover'),
    { status: 400, code: -32020 },
  ],
  ...['resources/list', 'prompts/list', 'completion/complete', 'roots/list', 'constructor'].map(
    (method): Row => [
      `no revision, and the unknown method ${method}`,
      former(method),
      { status: 200, code: -32601 },
    ],
  ),
  ['an unknown tool', call('absent', {}), { status: 200, code: -32602, texts: ['no such tool'] }],
  [
    'a tool named like a member of all objects',
    call('constructor', {}),
    { status: 200, code: -32602 },
  ],
  ['no name of a tool', current('tools/call', { arguments: {} }), { status: 200, code: -32602 }],
  [
    'arguments that are a list',
    current('tools/call', { name: 'get_order', arguments: ['7'] }),
    { status: 200, code: -32602 },
  ],
  [
    'no argument for a binding',
    call('get_order', {}),
    { status: 200, isError: true, texts: ['id'] },
  ],
  [
    'an empty binding',
    call('get_order', { id: '' }),
    { status: 200, isError: true, texts: ['id'] },
  ],
  [
    'arguments against the schema, each with its place',
    call('create_order', { sku: 7, amount: 0 }),
    { status: 200, isError: true, texts: ['/sku', '/amount'] },
  ],
  [
    'an argument that the schema does not know',
    call('create_order', { sku: 'tea', amount: 1, authorization: 'Bearer x', headers: {} }),
    { status: 200, isError: true, texts: ['/authorization', '/headers'] },
  ],
  [
    'a binding that tries another path',
    call('get_order', { id: '../../admin' }),
    { status: 200, texts: ['../../admin'] },
  ],
  [
    'an error of the callee',
    call('fail', {}),
    { status: 200, isError: true, texts: ['500', 'com.example.broken'] },
  ],
  [
    'a result that is too large',
    call('large', { text: 'x'.repeat(600) }),
    { status: 200, isError: true, texts: ['payload_too_large'] },
  ],
  [
    'a result that is not',
    call('large', { text: 'x'.repeat(100) }),
    { status: 200, texts: ['xxx'] },
  ],
  [
    'a result that is binary',
    call('binary', {}),
    { status: 200, isError: true, texts: ['not for tools'] },
  ],
  ['GET', { method: 'GET' }, { status: 405, fields: { allow: 'OPTIONS, POST' } }],
  ['DELETE', { method: 'DELETE' }, { status: 405, fields: { allow: 'OPTIONS, POST' } }],
  [
    'a page of elsewhere',
    current('tools/list', {}, { origin: 'https://evil.example' }),
    { status: 403 },
  ],
  ['a page without an origin', current('tools/list', {}, { origin: 'null' }), { status: 403 }],
  [
    'a page that is listed',
    current('tools/list', {}, { origin: 'https://app.example' }),
    { status: 200 },
  ],
  ['subscriptions/listen', current('subscriptions/listen'), { status: 404, code: -32601 }],
  ['resources/list', current('resources/list'), { status: 404, code: -32601 }],
  ['initialize of the current revision', current('initialize'), { status: 404, code: -32601 }],
  [
    'resources/list before',
    former('resources/list', {}, { 'mcp-protocol-version': revisions.former }),
    { status: 200, code: -32601 },
  ],
  ['initialize', former('initialize', initialize), { status: 200, texts: [revisions.former] }],
  [
    'initialize with a revision that is not known',
    former('initialize', { ...initialize, protocolVersion: '1900-01-01' }),
    { status: 200, texts: [revisions.former] },
  ],
  [
    'a session that there is not',
    former('ping', {}, { 'mcp-session-id': 'x', 'mcp-protocol-version': revisions.former }),
    { status: 200, texts: ['"result":{}'] },
  ],
  [
    'a notification',
    { ...former('x'), body: '{"jsonrpc":"2.0","method":"notifications/initialized"}' },
    { status: 202 },
  ],
]

describe('an endpoint for tools', () => {
  let gateway: TestGateway
  let callee: ToolCallee

  before(async () => {
    gateway = await startGateway({ 'gateway.ws_allowed_origins': '["https://app.example"]' })
    const response = { on_result: { body: '{{action.result.args |> head}}' }, on_error: {} }
    const paths = {
      ...toolPaths,
      '/large': {
        post: {
          tool: {
            name: 'large',
            description: 'As much as it is given.',
            input: { type: 'object' },
          },
          action: { type: 'static', body: '{{request.body}}' },
          response: { on_result: {}, on_error: {} },
        },
      },
      '/binary': {
        get: {
          tool: { name: 'binary', description: 'Bytes.' },
          action: { type: 'wamp_call', procedure: 'com.example.tools.bytes' },
          response,
        },
      },
    }
    const mcp = { path: '/mcp', name: 'orders', max_result_bytes: 500 }
    await gateway.mustLoad(toolsDocument(paths, { mcp }))
    callee = await ToolCallee.join(gateway.routerUrl)
  })
  after(async () => {
    callee?.close()
    await gateway?.stop()
  })

  for (const [what, sent, { status, code, fields = {}, texts = [], isError }] of rows) {
    it(`answers ${what} with ${[status, code, isError && 'isError'].filter(Boolean).join(', ')}`, async () => {
      const answer = await send(gateway.url, '/v1/mcp', { method: 'POST', ...sent })
      expect(answer.status, answer.text).to.equal(status)
      for (const [name, value] of Object.entries(fields)) {
        expect(answer.headers[name], name).to.equal(value)
      }
      expect(answer.headers).not.to.have.property('mcp-session-id')
      for (const text of texts) expect(answer.text).to.include(text)
      if (code === undefined && isError === undefined) return
      const { error, result } = answer.json() as RpcAnswer
      expect([error?.code, result?.isError], answer.text).to.deep.equal([code, isError])
    })
  }

  it('takes a page of its own', async () => {
    const sent = current('tools/list', {}, { origin: gateway.url })
    expect((await send(gateway.url, '/v1/mcp', { method: 'POST', ...sent })).status).to.equal(200)
  })
})
