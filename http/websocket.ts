/** `/ws`: WAMP sessions over the gateway listener, served by the embedded router or piped to the configured one. */
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { withoutOwnCookies } from '#component/action/headers.ts'
import type { Clock } from '#component/clock.ts'
import { addressOf, isLoopback, plainAddress } from '#component/syntax/ip-address.ts'
import { hasLocalHost, hasProxyFields, isOwnOrigin } from '#http/management/access.ts'
import { rawError } from './errors.ts'
import type { TrustedProxies } from './peer.ts'
import { preflight, Refusal } from './preflight.ts'
import { type RelayTarget, relay } from './websocket-relay.ts'

/** Who serves the sessions: the embedded router, or the one at a `ws:` or `wss:` URL. */
export type WebSocketTarget =
  | {
      readonly kind: 'embedded'
      /**
       * @param peer IP address of the client
       * @param cookie the Cookie field, where the page may act by it
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

/** What the upgrade needs. */
export interface WebSocketPorts {
  readonly target: WebSocketTarget
  readonly clock: Clock
  readonly proxies: TrustedProxies
  /** `gateway.ws_allowed_origins`; `*` allows all. */
  readonly allowedOrigins: readonly string[]
  /** No more sessions are opened (draining). */
  isClosing(): boolean
}

/** Matched by no range but the one of all addresses. */
const unknownAddress = '0.0.0.0'

/** Whether the request asks for a WebSocket at one of the paths; every other upgrade is ignored (RFC 9110 §7.8). */
export function isWebSocketRequest(request: IncomingMessage, paths: readonly string[]): boolean {
  const [path = ''] = (request.url ?? '').split('?', 1)
  const plain = path.endsWith('/') && path !== '/' ? path.slice(0, -1) : path
  return paths.includes(plain) && request.headers.upgrade?.toLowerCase() === 'websocket'
}

/** Makes the `upgrade` listener of the gateway server, and the way to end the pipes. */
export function webSocketUpgrade(ports: WebSocketPorts): {
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void
  close(): void
} {
  const pipes = new Set<Duplex>()
  const upgrade = (request: IncomingMessage, _duplex: Duplex, head: Buffer) => {
    const { socket } = request
    socket.on('error', () => socket.destroy())
    const target = preflight(request)
    if (target instanceof Refusal) {
      const { error, status } = target
      socket.end(rawError(error.uri, error.message, status))
      return
    }
    const { headers } = target
    const refusal = refuse(headers, ports)
    if (refusal !== undefined) {
      socket.end(refusal)
      return
    }
    // the limits of the HTTP server end here: sessions are idle for long
    socket.setTimeout(0)
    socket.setNoDelay(true)
    const peer = peerOf(request, headers, ports.proxies)
    const cookie = actingCookie(headers, ports)
    if (ports.target.kind === 'embedded') ports.target.accept(request, socket, head, peer, cookie)
    else {
      // a router of our own says GOODBYE itself, when no request is in flight any more
      const isOwn = ports.target.socketPath !== undefined
      if (!isOwn) pipes.add(socket)
      socket.on('close', () => pipes.delete(socket))
      // another router gets no ticket of ours
      const passed = isOwn ? cookie : headers.cookie && withoutOwnCookies(headers.cookie)
      const client = { request, headers, socket, head, peer, cookie: passed }
      relay(ports.target, client, ports.clock)
    }
  }
  return {
    upgrade,
    close() {
      for (const socket of pipes) socket.destroy()
    },
  }
}

function refuse(
  headers: Readonly<Record<string, string>>,
  { allowedOrigins, isClosing }: WebSocketPorts,
): string | undefined {
  if (isClosing()) return rawError('service.error.unavailable', 'this node is stopping')
  const { origin } = headers
  const isAllowed =
    isOwnOrigin(headers) ||
    allowedOrigins.includes('*') ||
    (origin !== undefined && allowedOrigins.includes(origin))
  if (isAllowed) return undefined
  return rawError('wamp.error.not_authorized', 'pages of this origin may not open sessions')
}

/** Any page can have a browser send its cookies: only those of listed origins may act by them, and `*` lists none. */
function actingCookie(
  { origin, cookie }: Readonly<Record<string, string>>,
  { allowedOrigins }: WebSocketPorts,
): string | undefined {
  const isListed = origin !== undefined && origin !== '*' && allowedOrigins.includes(origin)
  return isListed ? cookie : undefined
}

/**
 * The IP address of the client; what trusted proxies say counts. Who comes over loopback through an unknown proxy, or
 * from a page whose name was pointed at this machine, is not local: their address is unknown.
 */
function peerOf(
  request: IncomingMessage,
  headers: Readonly<Record<string, string>>,
  proxies: TrustedProxies,
): string {
  const address = plainAddress(request.socket.remoteAddress ?? '')
  const peername = proxies.read(address, headers)?.peername
  if (peername !== undefined) return addressOf(peername)
  const isPage = headers.origin !== undefined
  const isDoubtful = hasProxyFields(headers) || (isPage && !hasLocalHost(headers))
  return isLoopback(address) && isDoubtful ? unknownAddress : address
}
