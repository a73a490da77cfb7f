/** The key `websocket` of a forward: its rule, and the handshake with the upstream. */
import type { OfferedSocket, SocketTerms } from '#component/action/action.ts'
import type { HeaderMap } from '#component/action/headers.ts'
import { closedMap } from '#component/spec/closed-map.ts'
import { maxMilliseconds } from '#component/spec/http-rules.ts'
import {
  boolean,
  described,
  integer,
  listOf,
  type Rule,
  rule,
  text,
} from '#component/spec/rules.ts'
import { isToken } from '#component/syntax/http-field.ts'
import { pageOrigin } from '#component/syntax/page-origin.ts'
import { isMap } from '#component/syntax/values.ts'
import { websocketVersion } from '#component/syntax/websocket.ts'

/** Milliseconds without a byte either way. */
const defaultIdle = 300_000

const originPattern = new RegExp(`^${pageOrigin}$`)

const settings = closedMap('a map {origins, protocols, idle_timeout, max_duration, max_sockets}', {
  origins: described(
    listOf(
      text('an origin such as "https://shop.example.com"', (value) =>
        originPattern.test(value)
          ? undefined
          : 'it is no scheme and host in lower case without a path',
      ),
      'a list of origins',
    ),
    'The pages that may open WebSockets, beside those of the host itself. A client that is no page sends no Origin.',
  ),
  protocols: described(
    listOf(
      text('a subprotocol', (value) => (isToken(value) ? undefined : 'it is no token')),
      'a list of subprotocols',
    ),
    'The subprotocols that clients may ask for; of others the upstream receives nothing. Default: any.',
  ),
  idle_timeout: described(
    integer(1_000, maxMilliseconds, ' of milliseconds'),
    'How long a WebSocket may be open without a byte either way.',
    { default: defaultIdle },
  ),
  max_duration: described(
    integer(0, Number.MAX_SAFE_INTEGER, ' of milliseconds'),
    'How long a WebSocket may be open. 0: any time.',
    { default: 0 },
  ),
  max_sockets: described(
    integer(1, Number.MAX_SAFE_INTEGER),
    'WebSockets of the operation at once, in each process. Default: any number.',
  ),
})

/** `true`, or a map of what differs from the defaults. */
export const websocketRule: Rule = described(
  rule({ anyOf: [boolean.schema, settings.schema] }, (value, path, report) => {
    if (typeof value === 'boolean') return
    if (isMap(value)) settings(value, path, report)
    else report.expected(path, 'true, false or a map', value)
  }),
  'Whether requests for a WebSocket open one to the upstream. Under get only.',
  { title: 'websocket' },
)

/** What the key declares, of valid shape; undefined: no WebSockets. */
export function socketTerms(websocket: unknown): SocketTerms | undefined {
  if (websocket !== true && !isMap(websocket)) return undefined
  const declared = isMap(websocket) ? websocket : {}
  const { origins = [], protocols, idle_timeout = defaultIdle, max_duration = 0 } = declared
  return {
    origins: origins as readonly string[],
    protocols: protocols as readonly string[] | undefined,
    idleMs: idle_timeout as number,
    maxDurationMs: max_duration as number,
    maxSockets: declared.max_sockets as number | undefined,
  }
}

/** Makes the header fields of a request those of an opening handshake (RFC 6455 §4.1); the connection adds Upgrade. */
export function setHandshake(
  headers: HeaderMap,
  { key, protocols, extensions }: OfferedSocket,
): void {
  for (const name in headers) if (name.startsWith('sec-websocket-')) delete headers[name]
  headers['sec-websocket-version'] = websocketVersion
  headers['sec-websocket-key'] = key
  if (protocols.length > 0) headers['sec-websocket-protocol'] = protocols.join(', ')
  if (extensions !== undefined) headers['sec-websocket-extensions'] = extensions
}
