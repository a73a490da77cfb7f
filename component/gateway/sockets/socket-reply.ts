/** The reply to an opening handshake that an upstream has accepted. */
import type { OfferedSocket, OpenedSocket, Outcome } from '#component/action/action.ts'
import { withinCors } from '#component/gateway/cors.ts'
import type { Reply, ReplyBody } from '#component/gateway/exchange.ts'
import { applyLayers } from '#component/gateway/header-layers.ts'
import type { RequestState } from '#component/gateway/state.ts'
import { acceptOf } from '#component/syntax/websocket.ts'

/**
 * A 101 with the fields of the upstream and of `on_result`, without those of a body.
 * @param outcome of an action that has opened the socket
 * @throws ExpressionError for a header
 */
export function socketReply(state: RequestState, outcome: Outcome, socket: OpenedSocket): Reply {
  const { route, cors } = state
  const { on_result, path } = route
  const declared: Record<string, string | readonly string[]> = {
    ...cors,
    ...withinCors(outcome.answer?.headers ?? {}, path.version),
    ...on_result.headers,
  }
  applyLayers(declared as Record<string, string>, on_result.layers, state.contextAfter(outcome))
  const kept = Object.entries(declared).filter(([name]) => !name.startsWith('content-'))
  const { key } = state.socket as OfferedSocket
  return {
    status: 101,
    headers: {
      ...Object.fromEntries(kept),
      ...socket.headers,
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-accept': acceptOf(key),
    },
    body: bodyOf(state, socket),
    operation: route,
  }
}

function bodyOf(
  { exchange, route, identity, parts, place }: RequestState,
  socket: OpenedSocket,
): ReplyBody {
  const kind = 'websocket'
  const cancel = (): void => socket.cancel()
  const tunnel = parts.sockets?.open(exchange, route, identity, socket, place)
  if (!tunnel) return { kind, begin: cancel, cancel, record: { ...none, reason: 'complete' } }
  return {
    kind,
    begin: (client) => tunnel.begin(client),
    cancel: () => tunnel.cancel(),
    record: {
      ...none,
      get reason() {
        return tunnel.reason
      },
    },
  }
}

/** Nobody counts what passes. */
const none = { kind: 'websocket', events: undefined } as const
