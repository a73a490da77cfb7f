/** What a client of tools sends, by hand: one message, in either era, with the header fields that the test wants. */
import { type HttpAnswer, send } from '#test/support/http-request.ts'

/** The current revision, and the last one with `initialize`. */
export const revisions = { current: '2026-07-28', former: '2025-11-25' } as const

const meta = {
  'io.modelcontextprotocol/protocolVersion': revisions.current,
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}

/** What an answer holds. */
export interface RpcAnswer {
  readonly id?: unknown
  readonly result?: {
    readonly tools?: readonly { readonly name: string }[]
    readonly isError?: boolean
    readonly structuredContent?: unknown
    readonly content?: readonly { readonly text?: string }[]
  }
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
}

/** A request and its header fields. @param more fields, which replace those that belong to it */
export function messageOf(
  method: string,
  params: Readonly<Record<string, unknown>> = {},
  more: Readonly<Record<string, string>> = {},
): { readonly headers: Record<string, string>; readonly body: string } {
  const body = {
    jsonrpc: '2.0',
    id: 1,
    method,
    params: { ...params, _meta: { ...meta, ...(params._meta ?? {}) } },
  }
  return {
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': revisions.current,
      'mcp-method': method,
      ...(typeof params.name === 'string' && { 'mcp-name': params.name }),
      ...more,
    },
    body: JSON.stringify(body),
  }
}

/** Sends a request of the current revision to `/v1/mcp`. */
export const ask = (
  base: string,
  method: string,
  params: Readonly<Record<string, unknown>> = {},
  more: Readonly<Record<string, string>> = {},
): Promise<HttpAnswer> =>
  send(base, '/v1/mcp', { method: 'POST', ...messageOf(method, params, more) })

/** Calls a tool. */
export async function callTool(
  base: string,
  name: string,
  args: unknown = {},
  more: Readonly<Record<string, string>> = {},
): Promise<{ readonly status: number } & RpcAnswer> {
  const answer = await ask(base, 'tools/call', { name, arguments: args }, more)
  return { status: answer.status, ...(answer.json() as RpcAnswer) }
}

/** The names of the tools that a request with these fields is shown. */
export async function listTools(
  base: string,
  more: Readonly<Record<string, string>> = {},
): Promise<readonly string[]> {
  const { result } = (await ask(base, 'tools/list', {}, more)).json() as RpcAnswer
  return (result?.tools ?? []).map(({ name }) => name)
}
