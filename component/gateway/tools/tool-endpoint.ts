/** The endpoint of a version for language models: one message of the Model Context Protocol in, one answer out. */
import { stringifyJson } from '#component/codec/json.ts'
import { ServiceError } from '#component/errors.ts'
import type { CompiledTool, ToolsEndpoint } from '#component/gateway/api.ts'
import type { Content, Exchange, Reply } from '#component/gateway/exchange.ts'
import type { Schemes } from '#component/security/scheme.ts'
import { isLoopback } from '#component/syntax/ip-address.ts'
import { hasLocalHost, hasProxyFields, isOwnOrigin } from '#component/syntax/page-origin.ts'
import type { JsonMap } from '#component/syntax/values.ts'
import { discovered, type Era, eraOf } from '#component/tool/eras.ts'
import { initialized } from '#component/tool/handshake-era.ts'
import { listed } from '#component/tool/list.ts'
import {
  errorOf,
  idOf,
  RpcError,
  type RpcId,
  type RpcMessage,
  readMessage,
  resultText,
} from '#component/tool/rpc.ts'
import { isAllowedPage } from './page-cors.ts'
import { admitted } from './refused-tool.ts'
import { callTool } from './tool-call.ts'
import type { ToolExchange } from './tool-exchange.ts'
import type { ToolWatch } from './tool-metrics.ts'

/** Bytes of a message; our own limit, below that of the version. */
const mostBytes = 4_194_304

const json = 'application/json'

/** What the endpoints of all versions share. */
export interface ToolPorts {
  readonly schemes: Schemes
  /** Serves an operation; errors are replies, too. */
  answer(call: ToolExchange, tool: CompiledTool): Reply | Promise<Reply>
  /** Where a client reaches this gateway, without a slash at the end. Absent: challenges name no metadata. */
  readonly publicBase?: ((exchange: Exchange) => string) | undefined
  /** Origins whose pages may use the endpoints besides the gateway's own (`gateway.ws_allowed_origins`); `*`: all. */
  readonly pageOrigins: readonly string[]
  /** Is told of calls, for metrics. */
  readonly calls?: ToolWatch | undefined
}

/** A request of a client that may be answered. */
export interface ToolRequest {
  readonly exchange: Exchange
  readonly endpoint: ToolsEndpoint
  /** Of the address of the endpoint. */
  readonly bindings: Readonly<Record<string, string>>
  readonly era: Era
  readonly id: RpcId
  readonly message: RpcMessage
}

/** Answers a POST to the endpoint. @throws ServiceError 401, 403, 413, 415, 429 as for any path */
export async function serveTools(
  exchange: Exchange,
  endpoint: ToolsEndpoint,
  bindings: Readonly<Record<string, string>>,
  ports: ToolPorts,
): Promise<Reply> {
  checkPage(exchange, ports.pageOrigins)
  let value: unknown
  try {
    value = (await readHeard(exchange, endpoint)).body
    const message = readMessage(value)
    const era = eraOf(message, {
      version: exchange.header('mcp-protocol-version'),
      method: exchange.header('mcp-method'),
      name: exchange.header('mcp-name'),
    })
    const { id } = message
    // notifications and responses get no answer
    if (id === undefined) return { status: 202, headers: {}, body: { kind: 'none' } }
    return await answer({ exchange, endpoint, bindings, era, id, message }, ports)
  } catch (thrown) {
    const error = value === undefined ? ofBody(thrown) : thrown
    if (!(error instanceof RpcError)) throw error
    return rpcReply(errorOf(idOf(value), error), error.status)
  }
}

/** 403 for pages of other origins (2026-07-28, Streamable HTTP: DNS rebinding). */
function checkPage(exchange: Exchange, allowed: readonly string[]): void {
  const { headers } = exchange
  const { origin } = headers
  if (origin === undefined || isAllowedPage(origin, allowed)) return
  if (isOwnOrigin(headers) && !isRebound(exchange)) return
  const message = 'pages of this origin may not use tools'
  throw new ServiceError('wamp.error.not_authorized', message)
}

/** Whether a page of another name has come to this machine, whose address its name server told: its origin says nothing then. */
const isRebound = ({ headers, client }: Exchange): boolean =>
  isLoopback(client) && !hasLocalHost(headers) && !hasProxyFields(headers)

/** The message, for a listener as the stage `body` of a route. */
async function readHeard(exchange: Exchange, endpoint: ToolsEndpoint): Promise<Content> {
  const { listener } = exchange
  if (listener === undefined) return readBody(exchange, endpoint)
  const accepts = [json]
  const isAccepted = exchange.isAccepted(accepts)
  const contentType = exchange.header('content-type')
  const facts = { accepts, contentType, isAccepted, isDecoded: true, bytes: 0 }
  listener.enter('body')
  try {
    const content = await readBody(exchange, endpoint)
    listener.leave('body', { ...facts, bytes: content.body_length })
    return content
  } catch (error) {
    listener.leave('body', facts, error)
    throw error
  }
}

function readBody(exchange: Exchange, { path }: ToolsEndpoint): Promise<Content> {
  if (!exchange.isAccepted([json])) {
    const message = `expected a body of type ${json}`
    throw new ServiceError('service.error.unsupported_media_type', message)
  }
  const { limits } = path.inherited
  const body_max_bytes = Math.min(limits.body_max_bytes, mostBytes)
  return exchange.readBody({ ...limits, body_max_bytes })
}

/** The error of a body that cannot be read: broken JSON is told as the protocol does. */
const ofBody = (error: unknown): unknown =>
  error instanceof ServiceError && error.uri === 'service.error.bad_request'
    ? new RpcError('parse', error.message)
    : error

const rpcReply = (value: JsonMap, status = 200): Reply => ({
  status,
  headers: {},
  body: { kind: 'value', value, type: json },
})

function answer(request: ToolRequest, ports: ToolPorts): Promise<Reply> {
  const { era, message } = request
  const { method } = message
  if (!era.knows(method)) {
    throw new RpcError('unknownMethod', 'there is no such method', era.unknownStatus)
  }
  return method === 'tools/call' ? callTool(request, ports) : tell(request, ports)
}

/** Answers what is asked about the endpoint. */
async function tell(request: ToolRequest, ports: ToolPorts): Promise<Reply> {
  const { era, id, message, endpoint } = request
  const { tools } = endpoint
  const { method, params } = message
  const common = era.common(tools.server)
  const reply = (result: JsonMap): Reply => ({
    status: 200,
    headers: { 'content-type': json },
    body: { kind: 'bytes', bytes: resultText(id, common, stringifyJson(result)) },
  })
  if (method === 'ping') return reply({})
  const isOpen = tools.groups.some(({ protection }) => protection === undefined)
  if (method === 'tools/list') {
    if (params.cursor !== undefined) {
      throw new RpcError('invalidParams', 'there is no such cursor', 200)
    }
    const { visible } = await admitted(request, ports, !isOpen)
    const definitions = visible.map(({ definition }) => definition)
    return reply(listed(definitions, era, tools.isPublic))
  }
  if (!isOpen) await admitted(request, ports, true)
  const { instructions } = tools
  return method === 'initialize'
    ? reply(initialized(params, tools.server, instructions))
    : reply({ ...discovered(instructions), ...era.caching(tools.isPublic) })
}
