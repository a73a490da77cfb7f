/** The revisions of the Model Context Protocol: by which one a message is read, and what the current one wants of it. */
import { isMap, type JsonMap } from '#component/syntax/values.ts'
import { handshake, handshakeVersions } from './handshake-era.ts'
import { RpcError, type RpcMessage } from './rpc.ts'

/** The current revision: each request tells everything, and nothing is remembered. */
const currentVersion = '2026-07-28'

/** The revisions whose requests tell their own in `_meta`. */
const claimable = [currentVersion]

/** All revisions that MCP-Protocol-Version may name. */
const spoken = [...claimable, ...handshakeVersions]

/** Reserved keys of `_meta`: 2026-07-28, Base Protocol. */
const keys = {
  version: 'io.modelcontextprotocol/protocolVersion',
  capabilities: 'io.modelcontextprotocol/clientCapabilities',
} as const

/** Who the endpoint is. */
export interface ServerName {
  readonly name: string
  readonly version: string
}

/** How an answer looks. */
export interface Era {
  /** HTTP status of a request whose method is not known. */
  readonly unknownStatus: number
  /** Whether there is such a method. */
  knows(method: string): boolean
  /** What every result has beside its own members: the JSON text of a map. */
  common(server: ServerName): string
  /** How long a list may be kept, and whether by everybody. */
  caching(isPublic: boolean): JsonMap
  /** Whether a result may have the value as its `structuredContent`, and a tool a schema of such values. */
  isStructured(value: unknown): boolean
}

/** By server, since each answer has it. */
const commonTexts = new WeakMap<ServerName, string>()

function currentCommon(server: ServerName): string {
  let text = commonTexts.get(server)
  if (text === undefined) {
    const _meta = { 'io.modelcontextprotocol/serverInfo': server }
    text = JSON.stringify({ resultType: 'complete', _meta })
    commonTexts.set(server, text)
  }
  return text
}

const currentMethods: ReadonlySet<string> = new Set(['server/discover', 'tools/list', 'tools/call'])

const current: Era = {
  unknownStatus: 404,
  knows: (method) => currentMethods.has(method),
  common: currentCommon,
  caching: (isPublic) => ({ ttlMs: 60_000, cacheScope: isPublic ? 'public' : 'private' }),
  isStructured: () => true,
}

/** The header fields that repeat parts of a message (2026-07-28, Streamable HTTP); undefined where one is absent. */
export interface RepeatedFields {
  readonly version: string | undefined
  readonly method: string | undefined
  readonly name: string | undefined
}

/**
 * The revision that a message is of.
 * @throws RpcError -32020 where fields and body do not agree, -32022 for a revision that is not known, -32602 for a broken `_meta`
 */
export function eraOf(message: RpcMessage, fields: RepeatedFields): Era {
  const { kind, method, params } = message
  const meta: JsonMap = isMap(params._meta) ? params._meta : {}
  const isClaimed = Object.hasOwn(meta, keys.version)
  if (isClaimed || fields.version === currentVersion) {
    if (!isClaimed && method === 'initialize') {
      throw mismatch('MCP-Protocol-Version', 'that of an initialize request')
    }
    if (kind === 'request') checkMeta(meta, fields.version)
    checkFields(message, fields)
    return current
  }
  const { version } = fields
  if (version !== undefined && !handshakeVersions.includes(version))
    throw unsupported(version, spoken)
  // clients of 2025-03-26 send no such field: to them a method is known or unknown
  const isOfCurrent = kind === 'request' && current.knows(method) && !handshake.knows(method)
  if (version === undefined && isOfCurrent) throw mismatch('MCP-Protocol-Version', 'present')
  return handshake
}

/** Checks what each request of the current revision tells of its client. */
function checkMeta(meta: JsonMap, named: string | undefined): void {
  const { [keys.version]: version, [keys.capabilities]: capabilities } = meta
  if (typeof version !== 'string') throw badMeta(keys.version, 'a text')
  if (!isMap(capabilities)) throw badMeta(keys.capabilities, 'a map')
  if (named !== undefined && named !== version) {
    throw mismatch('MCP-Protocol-Version', `_meta["${keys.version}"]`)
  }
  if (version !== currentVersion) throw unsupported(version, claimable)
}

/** Checks that header fields repeat the body. Notifications need none. */
function checkFields({ kind, method, params }: RpcMessage, fields: RepeatedFields): void {
  const isRequest = kind === 'request'
  if (isRequest && fields.version === undefined) {
    throw mismatch('MCP-Protocol-Version', `_meta["${keys.version}"]`)
  }
  if (fields.method !== method && (isRequest || fields.method !== undefined)) {
    throw mismatch('Mcp-Method', 'method')
  }
  if (!isRequest || method !== 'tools/call' || typeof params.name !== 'string') return
  if (decoded(fields.name) !== params.name) throw mismatch('Mcp-Name', 'params.name')
}

const canonicalBase64 =
  /^=\?base64\?((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)\?=$/

/** The text of a field that may be in base64, since fields hold visible ASCII only; undefined where it is broken. */
function decoded(field: string | undefined): string | undefined {
  if (field === undefined || !field.startsWith('=?base64?') || !field.endsWith('?=')) return field
  const [, base64] = canonicalBase64.exec(field) ?? []
  if (base64 === undefined) return undefined
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(base64, 'base64'))
  } catch {
    return undefined
  }
}

const mismatch = (field: string, part: string): RpcError =>
  new RpcError('headerMismatch', `expected the header field ${field} to be ${part}`)

const unsupported = (requested: string, supported: readonly string[]): RpcError =>
  new RpcError('unsupportedVersion', 'the protocol version is not supported', 400, {
    supported,
    requested: requested.slice(0, 64),
  })

const badMeta = (key: string, wanted: string): RpcError =>
  new RpcError('invalidParams', `expected ${wanted} at params._meta["${key}"]`)

/** What the current revision answers to `server/discover`. */
export const discovered = (instructions: string | undefined): JsonMap => ({
  supportedVersions: claimable,
  capabilities: { tools: {} },
  ...(instructions !== undefined && { instructions }),
})
