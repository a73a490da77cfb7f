/** The revisions of the Model Context Protocol that begin with `initialize`, served without sessions: nothing is remembered of it. */
import { isMap, type JsonMap } from '#component/syntax/values.ts'
import type { Era, ServerName } from './eras.ts'

/** The newest one first. */
export const handshakeVersions: readonly string[] = ['2025-11-25', '2025-06-18', '2025-03-26']

/** The requests that there are. */
const handshakeMethods: ReadonlySet<string> = new Set([
  'initialize',
  'ping',
  'tools/list',
  'tools/call',
])

/** They differ in nothing that the endpoint sends: their clients ignore members that they do not know. */
export const handshake: Era = {
  unknownStatus: 200,
  knows: (method) => handshakeMethods.has(method),
  common: () => '{}',
  caching: () => ({}),
  isStructured: isMap,
}

/** What they answer to `initialize`: the version that the client wants, or the newest one. */
export function initialized(
  { protocolVersion }: JsonMap,
  serverInfo: ServerName,
  instructions: string | undefined,
): JsonMap {
  const isKnown = handshakeVersions.some((version) => version === protocolVersion)
  return {
    protocolVersion: isKnown ? protocolVersion : handshakeVersions[0],
    capabilities: { tools: {} },
    serverInfo,
    ...(instructions !== undefined && { instructions }),
  }
}
