/** A document with tools, and a client of each era that sends messages to its endpoint. */
import type { Reply } from '#component/gateway/exchange.ts'
import { type Ask, call, documentOf, fixed, type serve } from '#test/unit/gateway/fake-exchange.ts'

type Served = ReturnType<typeof serve>

const version = '2026-07-28'

/** `params._meta` of the current revision. */
export const meta = {
  'io.modelcontextprotocol/protocolVersion': version,
  'io.modelcontextprotocol/clientCapabilities': {},
}

/** An operation that is a tool. */
export const tool = (name: string, more: object = {}, operation: object = call()): object => ({
  ...operation,
  tool: { name, description: `Does ${name}.`, ...more },
})

/** A document whose version has the endpoint `/v1/mcp`. */
export const toolsOf = (paths: object, more: object = {}, mcp: object = {}) =>
  documentOf(paths, {}, { mcp: { path: '/mcp', name: 'orders', ...mcp }, ...more })

/** One that answers the arguments as the operation sees them. */
const seen = {
  action: {
    type: 'static',
    body: {
      bindings: '{{request.bindings}}',
      query: '{{request.query_params}}',
      query_string: '{{request.query_string}}',
      body: '{{request.body}}',
      headers: '{{request.headers}}',
      method: '{{request.method}}',
      path: '{{request.path}}',
    },
  },
  response: { on_result: {}, on_error: {} },
}

/** The usual one. */
export const orders = toolsOf({
  '/orders/:id': {
    get: tool('get_order', {}, seen),
    put: tool(
      'put_order',
      { input: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] } },
      seen,
    ),
  },
  '/orders': {
    get: tool('list_orders', { input: { type: 'object' } }, seen),
    post: tool(
      'create_order',
      {
        input: {
          type: 'object',
          properties: { sku: { type: 'string' }, amount: { type: 'integer', minimum: 1 } },
          required: ['sku', 'amount'],
          additionalProperties: false,
        },
      },
      seen,
    ),
  },
  '/plain': { get: fixed() },
})

/** What is sent. */
export interface Sent {
  readonly method: string
  readonly params?: object
  readonly id?: unknown
}

/** A request of the current revision. */
export function askOf({ method, params = {}, id = 1 }: Sent, headers: object = {}): Ask {
  const body = { jsonrpc: '2.0', id, method, params: { _meta: meta, ...params } }
  const { name } = params as { readonly name?: unknown }
  return {
    headers: {
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': version,
      'mcp-method': method,
      ...(typeof name === 'string' && { 'mcp-name': name }),
      ...headers,
    },
    body: JSON.stringify(body),
  }
}

/** A message of the revisions before. */
export const olderAsk = ({ method, params = {}, id = 1 }: Sent, headers: object = {}): Ask => ({
  headers: {
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2025-11-25',
    ...headers,
  },
  body: JSON.stringify({ jsonrpc: '2.0', id, method, params }),
})

/** The JSON of a reply. */
export function jsonOf({ body }: Reply): Record<string, unknown> {
  if (body.kind === 'bytes') return JSON.parse(String(body.bytes))
  return body.kind === 'value' ? JSON.parse(JSON.stringify(body.value)) : {}
}

/** Sends a message. */
export async function send(
  served: Served,
  ask: Ask,
): Promise<Awaited<ReturnType<Served['ask']>> & { readonly json: Answer }> {
  const reply = await served.ask('POST /v1/mcp', ask)
  return { ...reply, json: jsonOf(reply) }
}

/** An answer as tests read it. */
export interface Answer {
  readonly result?: Result
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
  readonly id?: unknown
}

interface Result {
  readonly content?: readonly { readonly text: string }[]
  readonly structuredContent?: Record<string, unknown>
  readonly isError?: boolean
  readonly tools?: readonly { readonly name: string }[]
  readonly [member: string]: unknown
}

/** Calls a tool. */
export const callOf = (name: string, args: unknown = {}, more: object = {}): Sent => ({
  method: 'tools/call',
  params: { name, arguments: args, ...more },
})

/** What a tool that fails tells. */
export const failureIn = ({ json: { result } }: { json: Answer }): Record<string, unknown> => {
  if (result?.isError !== true) throw new Error(`no failure: ${JSON.stringify(result)}`)
  return JSON.parse(result.content?.[0]?.text ?? '')
}
