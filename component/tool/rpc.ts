/** Messages of JSON-RPC 2.0, as the Model Context Protocol sends them: one in each POST. */
import { stringifyJson } from '#component/codec/json.ts'
import { isMap, type JsonMap } from '#component/syntax/values.ts'

/** The id of a request: its client finds the answer by it. */
export type RpcId = string | number | bigint

/** The codes of errors: JSON-RPC 2.0 §5.1, and those of the Model Context Protocol, 2026-07-28. */
export const rpcCodes = {
  parse: -32_700,
  invalidRequest: -32_600,
  unknownMethod: -32_601,
  invalidParams: -32_602,
  headerMismatch: -32_020,
  unsupportedVersion: -32_022,
} as const

/** An error of the protocol, and the HTTP status that it is answered with. */
export class RpcError extends Error {
  readonly code: number
  readonly status: number
  readonly data: JsonMap | undefined

  constructor(kind: keyof typeof rpcCodes, message: string, status = 400, data?: JsonMap) {
    super(message)
    this.code = rpcCodes[kind]
    this.status = status
    this.data = data
  }
}

/** What a client sends. A notification has no answer, and nobody has asked for a response. */
export interface RpcMessage {
  readonly kind: 'request' | 'notification' | 'response'
  /** Of a request. */
  readonly id: RpcId | undefined
  /** `""` of a response. */
  readonly method: string
  readonly params: JsonMap
}

const isInteger = (value: unknown): value is number | bigint =>
  typeof value === 'bigint' || Number.isInteger(value)

const isId = (value: unknown): value is RpcId => typeof value === 'string' || isInteger(value)

/** The id of a message that may be broken; undefined where it has none to be answered by. */
export const idOf = (value: unknown): RpcId | undefined =>
  isMap(value) && isId(value.id) ? value.id : undefined

/** Reads the value of a body. @throws RpcError -32600 */
export function readMessage(value: unknown): RpcMessage {
  if (Array.isArray(value)) throw invalid('expected one message, got a list of messages')
  if (!isMap(value) || value.jsonrpc !== '2.0') {
    throw invalid('expected a map with "jsonrpc": "2.0"')
  }
  const { id, method, params = {} } = value
  if (method === undefined && (Object.hasOwn(value, 'result') || Object.hasOwn(value, 'error'))) {
    return { kind: 'response', id: undefined, method: '', params: {} }
  }
  if (typeof method !== 'string') throw invalid('expected a text as method')
  if (!isMap(params)) throw invalid('expected a map as params')
  if (!Object.hasOwn(value, 'id')) return { kind: 'notification', id: undefined, method, params }
  if (!isId(id)) throw invalid('expected a text or an integer as id')
  return { kind: 'request', id, method, params }
}

const invalid = (message: string): RpcError => new RpcError('invalidRequest', message)

/**
 * The answer to a request as text.
 * @param common the JSON text of a map: members that the result has before its own
 * @param result the JSON text of a map
 */
export function resultText(id: RpcId, common: string, result: string): string {
  const hasBoth = common !== '{}' && result !== '{}'
  const first = common === '{}' ? result : common
  const members = hasBoth ? `${common.slice(0, -1)},${result.slice(1)}` : first
  return `{"jsonrpc":"2.0","id":${stringifyJson(id)},"result":${members}}`
}

/** The answer to a request that fails. */
export const errorOf = (id: RpcId | undefined, { code, message, data }: RpcError): JsonMap => ({
  jsonrpc: '2.0',
  id: id ?? null,
  error: { code, message, ...(data && { data }) },
})

/** A notification as text. */
export const notificationText = (method: string, params: JsonMap): string =>
  stringifyJson({ jsonrpc: '2.0', method, params })
