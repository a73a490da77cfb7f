/** `/ws`: WAMP sessions over the gateway listener, served by the embedded router or piped to the configured one. */
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { withoutOwnCookies } from '#component/action/headers.ts'
import type { Clock } from '#component/clock.ts'
import { ServiceError } from '#component/errors.ts'
import { addressOf, isLoopback, plainAddress } from '#component/syntax/ip-address.ts'
import { hasLocalHost, hasProxyFields, isOwnOrigin } from '#component/syntax/page-origin.ts'
import type { FailureLog } from '#http/log/failure-log.ts'
import { rawError } from './errors.ts'
import { type Forwarded, type TrustedProxies, withPublicHost } from './peer.ts'
import { preflight, Refusal } from './preflight.ts'
import { type RelayTarget, relay } from './websocket-relay.ts'

/** The router that serves the sessions: the embedded one, or the one at a `ws:` or `wss:` URL. */
export type WebSocketTarget =
  | {
      readonly kind: 'embedded'
      /**
       * @param peer IP address of the client
       * @param cookie the Cookie field; undefined unless the page may act by its cookies
       */
      accept(
        request: IncomingMessage,
        socket: Duplex,
        head: Buffer,
        peer: string,
        cookie: string | undefined,
      ): void
    }
  | ({ readonly kind: 'pipe' } & RelayTarget)

/** Dependencies of the upgrade. */
export interface WebSocketPorts {
  readonly target: WebSocketTarget
  readonly clock: Clock
  readonly proxies: TrustedProxies
  readonly failures: Pick<FailureLog, 'tell'>
  /** `gateway.ws_allowed_origins`; `*` allows all. */
  readonly allowedOrigins: readonly string[]
  /** Whether the node is draining and opens no more sessions. */
  isClosing(): boolean
  /** The refusal of a node that has not been ready yet: its own router may lack realms and users that it is about to load. */
  unready(): ServiceError | undefined
}

/** The address of a client whose address is unknown; only the range of all addresses contains it. */
const unknownAddress = '0.0.0.0'

/** Whether the request asks for a WebSocket at one of the paths; every other upgrade is ignored (RFC 9110 §7.8). */
export function isWebSocketRequest(request: IncomingMessage, paths: readonly string[]): boolean {
  const [path = ''] = (request.url ?? '').split('?', 1)
  const plain = path.endsWith('/') && path !== '/' ? path.slice(0, -1) : path
  return paths.includes(plain) && request.headers.upgrade?.toLowerCase() === 'websocket'
}

/** Makes the `upgrade` listener of the gateway server, and a function that closes the sessions relayed to external routers. */
export function webSocketUpgrade(ports: WebSocketPorts): {
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void
  close(): void
} {
  const pipes = new Set<Duplex>()
  /** Logs an error of ours: the client could have opened a session. */
  const tell = (peer: string, { uri: error, message: reason, status }: ServiceError) => {
    if (status < 500) return
    const request = { method: 'get', route: '/ws', status, peername: peer, client: peer }
    ports.failures.tell({ ...request, failure: { error, reason } })
  }
  const upgrade = (request: IncomingMessage, _duplex: Duplex, head: Buffer) => {
    const { socket } = request
    socket.on('error', () => socket.destroy())
    const target = preflight(request)
    if (target instanceof Refusal) {
      const { error, status } = target
      socket.end(rawError(error.uri, error.message, status))
      return
    }
    const address = plainAddress(socket.remoteAddress ?? '')
    const forwarded = ports.proxies.read(address, target.headers)
    const headers = withPublicHost(target.headers, forwarded)
    const peer = peerOf(address, headers, forwarded)
    const refusal = refuse(headers, ports)
    if (refusal !== undefined) {
      tell(peer, refusal)
      refuseBy(socket, refusal)
      return
    }
    // an ordinary answer, which each client gets that comes back while the node starts: the log does not tell it
    const unready = isOwnRouter(ports.target) ? ports.unready() : undefined
    if (unready !== undefined) {
      refuseBy(socket, unready)
      return
    }
    // the timeouts of the HTTP server do not apply: sessions may be idle for long
    socket.setTimeout(0)
    socket.setNoDelay(true)
    const cookie = actingCookie(headers, ports)
    if (ports.target.kind === 'embedded') ports.target.accept(request, socket, head, peer, cookie)
    else {
      // the gateway's own router sends GOODBYE itself, once no request is in flight
      const isOwn = isOwnRouter(ports.target)
      if (!isOwn) pipes.add(socket)
      socket.on('close', () => pipes.delete(socket))
      // an external router must not receive the gateway's tickets
      const passed = isOwn ? cookie : headers.cookie && withoutOwnCookies(headers.cookie)
      const client = { request, headers, socket, head, peer, cookie: passed }
      relay(ports.target, client, ports.clock, (error) => tell(peer, error))
    }
  }
  return {
    upgrade,
    close() {
      for (const socket of pipes) socket.destroy()
    },
  }
}

/** Whether the router is the embedded one, in this process or in the primary. */
const isOwnRouter = (target: WebSocketTarget): boolean =>
  target.kind === 'embedded' || target.socketPath !== undefined

function refuseBy(socket: Socket, { uri, message, headers }: ServiceError): void {
  socket.end(rawError(uri, message, undefined, headers))
}

function refuse(
  headers: Readonly<Record<string, string>>,
  { allowedOrigins, isClosing }: WebSocketPorts,
): ServiceError | undefined {
  if (isClosing()) return new ServiceError('service.error.unavailable', 'this node is stopping')
  const { origin } = headers
  const isAllowed =
    isOwnOrigin(headers) ||
    allowedOrigins.includes('*') ||
    (origin !== undefined && allowedOrigins.includes(origin))
  if (isAllowed) return undefined
  const message = 'pages of this origin may not open sessions'
  return new ServiceError('wamp.error.not_authorized', message)
}

/** The cookies of a page of a listed origin. Any page can make a browser send cookies, so `*` lists no origin here. */
function actingCookie(
  { origin, cookie }: Readonly<Record<string, string>>,
  { allowedOrigins }: WebSocketPorts,
): string | undefined {
  const isListed = origin !== undefined && origin !== '*' && allowedOrigins.includes(origin)
  return isListed ? cookie : undefined
}

/**
 * The IP address of the client, as trusted proxies report it. A loopback connection of an unknown proxy, or of a page under
 * another host name (DNS rebinding), is not local: the address of its client is unknown.
 */
function peerOf(
  address: string,
  headers: Readonly<Record<string, string>>,
  forwarded: Forwarded | undefined,
): string {
  const peername = forwarded?.peername
  if (peername !== undefined) return addressOf(peername)
  const isPage = headers.origin !== undefined
  const isDoubtful = hasProxyFields(headers) || (isPage && !hasLocalHost(headers))
  return isLoopback(address) && isDoubtful ? unknownAddress : address
}
