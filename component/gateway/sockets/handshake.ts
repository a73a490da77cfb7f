/** The stages of a request for a WebSocket: its opening handshake is judged, and it takes a place before the upstream is asked. */
import type { SocketTerms } from '#component/action/action.ts'
import { ServiceError } from '#component/errors.ts'
import type { Exchange } from '#component/gateway/exchange.ts'
import { stage } from '#component/gateway/stage.ts'
import type { PolicyCheck } from '#component/gateway/stage-facts.ts'
import type { RequestState } from '#component/gateway/state.ts'
import { isOwnOrigin } from '#component/syntax/page-origin.ts'
import { isWebSocketKey, protocolsProblem, websocketVersion } from '#component/syntax/websocket.ts'

declare module '#component/gateway/stage-facts.ts' {
  interface StageFacts {
    /** Nothing of requests for no WebSocket. */
    websocket: { readonly findings: readonly PolicyCheck[] }
    place: Record<never, never>
  }
}

/** Whether the page that asks may open WebSockets; who sends no Origin is no page. */
export const isAllowedOrigin = (
  { headers }: Pick<Exchange, 'headers'>,
  { origins }: Pick<SocketTerms, 'origins'>,
): boolean => isOwnOrigin(headers) || origins.includes(headers.origin ?? '')

/** A route with the stages has them. */
const termsOf = ({ route }: RequestState) => route.websocket as SocketTerms

const malformed = (message: string) => new ServiceError('service.error.bad_request', message)

/**
 * Judges an opening handshake: 403 for pages of other origins, whatever their credentials, since a browser sends cookies for any page;
 * 426, 400.
 */
export const websocket = stage('websocket', {
  enter(state) {
    const { exchange } = state
    const { handshake } = exchange
    if (handshake === undefined) return undefined
    const terms = termsOf(state)
    if (!isAllowedOrigin(exchange, terms)) {
      const message = 'pages of this origin may not open WebSockets here'
      throw new ServiceError('wamp.error.not_authorized', message)
    }
    const { version, key, extensions } = handshake
    if (version !== websocketVersion) {
      const message = `expected Sec-WebSocket-Version: ${websocketVersion}`
      throw new ServiceError('service.error.upgrade_required', message, {
        headers: {
          'sec-websocket-version': websocketVersion,
          upgrade: 'websocket',
          connection: 'close, Upgrade',
        },
      })
    }
    if (!isWebSocketKey(key)) throw malformed('expected Sec-WebSocket-Key: 16 bytes in base64')
    const problem = protocolsProblem(handshake.protocols)
    if (problem !== undefined) throw malformed(`Sec-WebSocket-Protocol: ${problem}`)
    const { protocols: allowed } = terms
    const protocols = allowed
      ? handshake.protocols.filter((name) => allowed.includes(name))
      : handshake.protocols
    if (allowed && protocols.length === 0) {
      throw malformed(`expected Sec-WebSocket-Protocol with ${allowed.join(' or ')}`)
    }
    state.socket = { key, protocols, extensions }
    return undefined
  },
  facts({ exchange, socket }) {
    const { handshake, headers } = exchange
    if (handshake === undefined) return { findings: [] }
    const { origin = null } = headers
    const passed = socket !== undefined
    const check: PolicyCheck = { step: 'websocket', passed, origin }
    return { findings: [passed ? { ...check, protocols: socket.protocols } : check] }
  },
})

/** Takes the place of a WebSocket among those of the process, the client and the user, and gives it back unless one is opened. 503, 429. */
export const place = stage('place', {
  enter(state) {
    const { exchange, route, identity, parts } = state
    if (state.socket) state.place = parts.sockets?.take(exchange, route, identity)
    return undefined
  },
  leave(state, reply) {
    if (reply.body.kind !== 'websocket') state.place?.give()
    return reply
  },
  abandon: ({ place }) => place?.give(),
  facts: () => ({}),
})
