/** Routed requests, a plain listener in front of Koa: request → gateway → reply; with its own error boundary and end-of-request hook. */
import type { IncomingMessage } from 'node:http'
import { ServiceError } from '#component/errors.ts'
import { problemOfError } from '#component/gateway/error-reply.ts'
import type { Exchange, Reply, StreamRecord } from '#component/gateway/exchange.ts'
import { reportThrown } from '#component/gateway/failure-report.ts'
import { type Headers, layOver } from '#component/gateway/header-layers.ts'
import { isForPerson, notFoundPage } from '#component/gateway/not-found-page.ts'
import type { InFlight } from '#component/in-flight.ts'
import type { Log } from '#component/log.ts'
import { noPath, nowhere, type ServedPath } from '#component/metrics/place.ts'
import type { RequestCounts } from '#component/metrics/request-counts.ts'
import type { RealmPage } from '#component/realm-page.ts'
import { peerName, plainAddress } from '#component/syntax/ip-address.ts'
import { readHandshake } from '#component/syntax/websocket.ts'
import type { Telemetry } from '#component/telemetry/telemetry.ts'
import type { Workload } from '#http/limits/workload.ts'
import { accessLine } from '#http/log/access-line.ts'
import { type FailureLog, failedOf } from '#http/log/failure-log.ts'
import { tellRequest, type WatchedRequests } from '#http/log/request-message.ts'
import { errorReply } from './errors.ts'
import { preflight, Refusal, refuseSlash } from './preflight.ts'
import { type ExchangePorts, HttpExchange } from './read-request.ts'
import { sendReply } from './reply.ts'
import { requestId } from './request-id.ts'
import type { Transport } from './transport/transport.ts'
import { isHandshake } from './upgrade.ts'

/** The core of the gateway: undefined when no host and path match. */
export interface Router {
  handle(exchange: Exchange): Reply | Promise<Reply> | undefined
  /** The headers of an error that is answered without it; absent: none. */
  headersOf?(exchange: Pick<Exchange, 'host' | 'path' | 'method' | 'header'>): Headers
  /** What a page says where nothing is served at a host and path; absent: nothing. */
  pageOf?(request: Pick<Exchange, 'host' | 'path'>): RealmPage | undefined
  /** Whether an escaped slash is text of its segment at a host and path; absent: nowhere. */
  keepsSlashes?(request: Pick<Exchange, 'host' | 'path'>): boolean
  /** Whether a GET of a host and path may be answered by a WebSocket; absent: none may. */
  opensSocket?(request: Pick<Exchange, 'host' | 'path'>): boolean
}

/** A request that is known by its origin at most, and reaches no route. */
export const noRoute = (origin?: string) =>
  ({ host: '', path: '', method: 'get', header: () => origin }) as const

/** Serves the requests that match no route. */
export type Fallback = (exchange: HttpExchange) => void

/** Dependencies that all listeners of the process share. */
export interface ListenerPorts extends ExchangePorts {
  readonly log: Log
  /** Absent: requests are not logged. */
  readonly accessLog: Log | undefined
  readonly failures: FailureLog
  /** The headers of errors that are answered here, such as those of CORS; absent: none. */
  readonly headersOf?: Router['headersOf'] | undefined
  /** What pages say of the realm of an address at which nothing is served; absent: nothing. */
  readonly pageOf?: Router['pageOf'] | undefined
  /** Counts and times requests. */
  readonly metrics: RequestCounts
  /** Counts answers that are streams, by path and media type; `ms` to the head. */
  readonly streams?:
    | {
        /** Streams of events and WebSockets that are open. */
        readonly open: number
        begun(stream: StreamRecord, path: ServedPath, type: string, ms: number): void
        over(stream: StreamRecord, path: ServedPath, type: string): void
      }
    | undefined
  /** Takes requests that are over, while somebody watches: those that it admits. */
  readonly watched?: WatchedRequests | undefined
  /** Begins distributed traces of requests for routes; absent: there are none. */
  readonly telemetry?: Pick<Telemetry, 'begin'> | undefined
  /** Whether the node is draining: each answer closes its connection. */
  isClosing(): boolean
  /** The reason to refuse a routed request now, such as overload; undefined when it is served. */
  refusal(exchange: HttpExchange): ServiceError | undefined
  /** Requests in flight, for draining, and when each has come: performance.now(). */
  readonly exchanges: InFlight<HttpExchange, number>
  readonly workload: Pick<Workload, 'over'>
}

/** Milliseconds since `start`, to the microsecond; the component's clock has whole milliseconds only. */
const since = (start: number): number => Math.round((performance.now() - start) * 1000) / 1000

/** The status logged for clients that went away before their answer began. */
const clientClosed = 499

/** Serves one request; `isWaiting` when the client expects 100 (Continue), `isUpgrade` when a WebSocket may answer it. */
export type Listener = (transport: Transport, isWaiting?: boolean, isUpgrade?: boolean) => void

/** Makes the listener of a server: routed requests by `router`, the rest by `fallback`. */
export function createListener(
  ports: ListenerPorts,
  router: Router | undefined,
  fallback: Fallback,
): Listener {
  return (transport, isWaiting = false, isUpgrade = false) => {
    // requests after the last answer of a connection, or on a closed one, are not served
    if (!transport.isOpen) return
    const { clock } = ports
    const start = performance.now()
    const id = requestId(clock.now())
    const target = transport.read(router?.keepsSlashes !== undefined)
    if (target instanceof Refusal) {
      refuse(ports, target, transport, id, start)
      return
    }
    const exchange = new HttpExchange(id, target, transport, ports, isWaiting)
    if (target.hasEscapedSlash && !router?.keepsSlashes?.(exchange)) {
      refuse(ports, refuseSlash(), transport, id, start)
      return
    }
    if (isUpgrade) exchange.handshake = readHandshake(exchange.headers)
    watch(exchange, ports, start)
    serve(exchange, ports, router, fallback, start)
  }
}

/** Whether node:http gives up the connection of a request: its path may answer it by a WebSocket. */
export const switchesProtocol =
  ({ proxies }: Pick<ListenerPorts, 'proxies'>, router: Router) =>
  (request: IncomingMessage): boolean => {
    const target = preflight(request, true)
    if (target instanceof Refusal || !isHandshake(request, target.headers)) return false
    const address = plainAddress(request.socket.remoteAddress ?? '')
    const { host } = proxies.read(address, target.headers)?.authority ?? target.authority
    const asked = { host, path: target.path }
    if (target.hasEscapedSlash && !router.keepsSlashes?.(asked)) return false
    return router.opensSocket?.(asked) === true
  }

function serve(
  exchange: HttpExchange,
  ports: ListenerPorts,
  router: Router | undefined,
  fallback: Fallback,
  start: number,
): void {
  if (router) exchange.trace = ports.telemetry?.begin(exchange, start)
  const refusal = router && ports.refusal(exchange)
  if (refusal) {
    fail(exchange, refusal, ports)
    return
  }
  let pending: ReturnType<Router['handle']>
  try {
    pending = router?.handle(exchange)
    if (!pending) {
      // what anybody may ask for at no cost fills no tracing backend
      exchange.trace = undefined
      fallback(exchange)
      return
    }
  } catch (error) {
    fail(exchange, error, ports)
    return
  }
  if (pending instanceof Promise) answerInTime(exchange, pending, ports, start)
  // what has come of the body is parsed first: a malformed one has the response of node:http's parser
  else if (exchange.hasBody) answerInTime(exchange, Promise.resolve(pending), ports, start)
  else answer(exchange, pending, ports, start)
}

function answerInTime(
  exchange: HttpExchange,
  pending: Promise<Reply>,
  ports: ListenerPorts,
  start: number,
): void {
  pending.then(
    (reply) => answer(exchange, reply, ports, start),
    (error: unknown) => fail(exchange, error, ports),
  )
}

/** Counts a stream whose head has been sent. @param start when its request came: performance.now() */
export function noteBegin(
  { method, served, transport, trace }: HttpExchange,
  { type, record }: NonNullable<HttpExchange['stream']>,
  { metrics, streams }: ListenerPorts,
  start: number,
): void {
  const duration = since(start)
  // how long a stream of events or a WebSocket lasts says nothing of the gateway
  if (record.kind !== 'call') {
    metrics.count(
      served,
      method,
      transport.status ?? 0,
      duration,
      trace?.sampledId,
      start + duration,
    )
  }
  streams?.begun(record, served, type, duration)
}

/** Sends a reply; when it cannot be encoded, the error is sent instead. @param start when its request came: performance.now() */
function answer(exchange: HttpExchange, reply: Reply, ports: ListenerPorts, start: number): void {
  // a request that was given up has its answer already
  if (!exchange.isAnswered) {
    exchange.failure = reply.failure
    exchange.error = reply.error?.uri ?? reply.failure?.error ?? reply.peerError
  }
  try {
    sendReply(exchange, reply, ports.isClosing())
  } catch (error) {
    fail(exchange, error, ports, reply.operation)
  }
  if (exchange.stream !== undefined) noteBegin(exchange, exchange.stream, ports, start)
}

/** The error boundary: expected errors are shown to the client, others are hidden; the log tells both. */
export function fail(
  exchange: HttpExchange,
  error: unknown,
  ports: ListenerPorts,
  operation?: Reply['operation'],
): void {
  const { transport } = exchange
  exchange.failure = reportThrown(error, operation)
  exchange.error = error instanceof ServiceError ? error.uri : 'service.error.internal'
  if (transport.status === undefined) {
    const problem = operation?.inherited.sendsProblems
      ? (shown: ServiceError) => problemOfError(exchange, operation, shown, shown.status)
      : undefined
    try {
      const headers = ports.headersOf?.(exchange)
      const reply =
        error === notServed && isForPerson(exchange)
          ? laidOver(headers, notFoundPage(notServed, ports.pageOf?.(exchange)))
          : errorReply(error, exchange.headers.accept, problem, headers)
      sendReply(exchange, reply, ports.isClosing())
    } catch (cause) {
      // a defect, which costs this request its response, and no other one
      exchange.failure = reportThrown(cause, operation)
      transport.reset()
    }
  } else if (!transport.isEnded) transport.reset()
}

/** Answers a request with 504, unless its answer has begun, and cancels its pending work, which is told the same. */
export function giveUp(exchange: HttpExchange, router: Router): void {
  const error = new ServiceError('service.error.timeout', 'this node is stopping')
  if (exchange.transport.status === undefined) {
    exchange.failure = reportThrown(error, undefined)
    exchange.error = error.uri
    const isRouted = exchange.served.version !== nowhere
    const headers = isRouted ? router.headersOf?.(exchange) : undefined
    sendReply(exchange, errorReply(error, exchange.headers.accept, undefined, headers), true)
  }
  exchange.abort(error)
}

/** The error for unserved paths; one instance for all requests. */
export const notServed = new ServiceError(
  'service.error.not_found',
  'nothing is served at this path',
  { headers: { 'cache-control': 'no-store' } },
)

/** A page with other headers below its own. */
const laidOver = (
  headers: Headers | undefined,
  page: ReturnType<typeof notFoundPage>,
): typeof page => ({
  ...page,
  headers: layOver(headers ?? {}, page.headers),
})

/** The fallback of a listener that serves routed requests only: an unknown path costs no more than a route. */
export const refuseAll =
  (ports: ListenerPorts): Fallback =>
  (exchange) =>
    fail(exchange, notServed, ports)

/** The end-of-request hook: writes log and metrics, and cancels what is pending for a disconnected client. */
function watch(exchange: HttpExchange, ports: ListenerPorts, start: number): void {
  const { transport } = exchange
  const written = transport.bytesWritten
  ports.exchanges.set(exchange, start)
  transport.onClose(() => {
    ports.exchanges.delete(exchange)
    exchange.onClosed?.()
    exchange.end()
    if (!transport.isDelivered) exchange.abort()
    // an unread body must not block the requests behind it
    else exchange.dropBody()
    const status = transport.status ?? clientClosed
    const duration = since(start)
    const { method, served, stream, trace } = exchange
    const record = stream?.record
    exchange.failure ??= record?.failure
    const { failure } = exchange
    if (record === undefined || record.kind === 'call') {
      ports.metrics.count(served, method, status, duration, trace?.sampledId, start + duration)
    }
    if (stream) ports.streams?.over(stream.record, served, stream.type)
    if (failure !== undefined || status >= 500) ports.failures.tell(failedOf(exchange, status))
    trace?.over({ served, status, error: exchange.error ?? record?.error })
    const bytes = transport.bytesWritten - written
    tellRequest(ports.watched, exchange, status, duration, bytes)
    // a client can cause any number of these at no cost
    const isCheap = status === clientClosed || status === 503
    if (!isCheap && !stream) ports.workload.over(duration)
    if (!ports.accessLog) return
    if (isCheap && !ports.failures.admits(exchange.client)) return
    ports.accessLog.info(accessLine(exchange, status, duration, bytes), 'request')
  })
}

/** Answers a request that has failed the preflight; its method, beyond what a response may have, and its headers cannot be trusted. */
function refuse(
  ports: ListenerPorts,
  refusal: Refusal,
  transport: Transport,
  id: string,
  start: number,
): void {
  const { connection, origin, isHead } = transport
  const address = plainAddress(connection.remoteAddress ?? '')
  const peer = peerName(address, connection.remotePort ?? 0)
  const target = {
    method: isHead ? 'head' : 'get',
    path: '/',
    hasEscapedSlash: false,
    query_string: '',
    authority: { host: '', port: '' },
    headers: {},
  } as const
  const exchange = new HttpExchange(id, target, transport, ports, false)
  transport.onClose(() => {
    const duration = since(start)
    ports.metrics.count(noPath, '', refusal.status, duration)
    const { error, status } = refusal
    const failure = { error: error.uri, reason: error.message }
    if (status >= 500) ports.failures.tell({ ...failedOf(exchange, status), failure })
    const line = { request_id: id, status: refusal.status, duration, peer }
    if (ports.accessLog && ports.failures.admits(address)) {
      ports.accessLog.info(line, 'malformed request')
    }
  })
  const headers = ports.headersOf?.(noRoute(origin))
  sendReply(exchange, errorReply(refusal, undefined, undefined, headers), true)
}
