/** One server of node:http with the settings of reliability §3.1; it also closes connections that Node would leave open. */
import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from 'node:http'
import type { Server as NetServer, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { TLSSocket } from 'node:tls'
import type { Headers } from '#component/gateway/header-layers.ts'
import type { NetworkShare } from '#component/limits/network-share.ts'
import type { Connections } from '#http/limits/connections.ts'
import { closeIdle } from '#http/limits/idle-connections.ts'
import { Pipeline, pipelineOf } from '#http/limits/pipeline.ts'
import { isHttp2, type TlsContexts } from '#http/tls/tls-contexts.ts'
import { closeSlowly } from './close-slowly.ts'
import { parserError, rawError } from './errors.ts'
import type { Listener } from './gateway.ts'
import type { Address, HttpOptions } from './options.ts'
import { maxHeaderBytes } from './preflight.ts'
import { Http1 } from './transport/http1.ts'
import type { Http2Connections } from './transport/http2-connections.ts'
import { serveUpgrade } from './upgrade.ts'
import { isWebSocketRequest } from './websocket.ts'
import { flush } from './write-queue.ts'

const backlog = 2048
const noBytes = Buffer.alloc(0)

/** Settings of each connection that is accepted. */
export const connectionOptions = { noDelay: true, keepAlive: true, keepAliveInitialDelay: 30_000 }

/** Settings and handlers of one server. */
export interface ServerPlan {
  readonly limits: HttpOptions['limits']
  /** Absent: without TLS. */
  readonly tls?: TlsContexts | undefined
  /** Takes connections of HTTP/2; absent: it is not offered. */
  readonly http2?: Pick<Http2Connections, 'accept'> | undefined
  readonly listener: Listener
  /** Takes WebSockets over; absent: every upgrade is ignored. */
  readonly upgrade?: (request: IncomingMessage, socket: Duplex, head: Buffer) => void
  /** Whether the WebSockets of a document answer the request; absent: there are none. */
  readonly switchesProtocol?: ((request: IncomingMessage) => boolean) | undefined
  /** Paths at which WebSockets are opened, such as `/ws`. */
  readonly upgradePaths?: readonly string[]
  readonly connections: Pick<Connections, 'limit'>
  /** Counts the bytes of pipelined requests that wait to be parsed. */
  readonly pipelined: NetworkShare
  /** Whether the address is that of a trusted proxy, which stands for many clients. */
  isProxy(address: string): boolean
  /** The headers of answers to what is no HTTP; absent: none. */
  readonly brokenHeaders?: Headers | undefined
}

/** Makes a server; it does not listen yet. */
export function makeServer(plan: ServerPlan): Server {
  const { limits, tls, http2, listener, upgrade, upgradePaths = [], switchesProtocol } = plan
  const isOwnSocket = (request: IncomingMessage): boolean =>
    upgrade !== undefined && isWebSocketRequest(request, upgradePaths)
  const options: ServerOptions & {
    headersTimeout: number
    shouldUpgradeCallback(request: IncomingMessage): boolean
  } = {
    headersTimeout: limits.headers_timeout,
    requestTimeout: limits.request_timeout,
    connectionsCheckingInterval: 1000,
    keepAliveTimeout: limits.keep_alive_timeout,
    maxHeaderSize: maxHeaderBytes,
    insecureHTTPParser: false,
    requireHostHeader: false, // the preflight refuses it, with a body
    rejectNonStandardBodyWrites: true,
    joinDuplicateHeaders: false,
    optimizeEmptyRequests: true,
    ...connectionOptions,
    shouldUpgradeCallback: (request) =>
      isOwnSocket(request) || switchesProtocol?.(request) === true,
  }
  const accept = http2 && ((socket: TLSSocket) => http2.accept(socket))
  const server = tls ? tls.createServer(options, plan.isProxy, accept) : createServer(options)
  // Node would drop fields beyond its limit: the preflight refuses the request (F9)
  server.maxHeadersCount = 0
  plan.connections.limit(server, plan.isProxy)
  const serve = (
    request: IncomingMessage,
    response: ServerResponse,
    isWaiting: boolean,
    pipeline?: Pipeline,
  ) => listener(new Http1(request, response, pipeline), isWaiting)
  const begin = (request: IncomingMessage, response: ServerResponse, isWaiting: boolean) => {
    const pipeline = pipelineOf(request.socket)
    if (pipeline) pipeline.begin(request, response, isWaiting)
    else serve(request, response, isWaiting)
  }
  server.on('request', (request, response) => begin(request, response, false))
  server.on('checkContinue', (request, response) => begin(request, response, true))
  // the preflight refuses these requests: Node's answer would lack our header fields and our log line
  server.on('checkExpectation', (request, response) => begin(request, response, false))
  server.on(tls ? 'secureConnection' : 'connection', (socket: Socket) => {
    // beyond a limit, or HTTP/2
    if (socket.destroyed || (http2 && isHttp2(socket))) return
    // queued answers are written before anything else happens to their sockets
    socket.prependListener('end', flush)
    new Pipeline(socket, plan.pipelined, serve)
  })
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    flush()
    endBroken(error.code, socket, plan.brokenHeaders)
  })
  server.on('connect', (request, socket: Duplex) => {
    flush()
    pipelineOf(request.socket)?.leave()
    endWith(socket, rawError('service.error.bad_request', 'CONNECT is not supported'))
  })
  if (upgrade) {
    server.on('upgrade', (request, socket, head) => {
      flush()
      const pipeline = pipelineOf(request.socket)
      if (pipeline && !isOwnSocket(request)) {
        pipeline.handOver((rest) =>
          serveUpgrade(request, rest.length > 0 ? Buffer.concat([head, rest]) : head, (response) =>
            listener(new Http1(request, response), false, true),
          ),
        )
        return
      }
      const rest = pipeline?.leave() ?? noBytes
      upgrade(request, socket, rest.length > 0 ? Buffer.concat([head, rest]) : head)
    })
  }
  closeIdle(server)
  return server
}

/** Sockets whose last answer has been written: errors of the parser in later bytes are ignored. */
const ended = new WeakSet<Duplex>()

/** Ends a connection after malformed HTTP, once the requests before it are answered. */
function endBroken(code: string | undefined, socket: Socket, more: Headers | undefined): void {
  if (ended.has(socket)) return
  ended.add(socket)
  const end = () => {
    // an earlier answer was the last on this connection
    if (socket.writableEnded) return
    if (!socket.writable || hasBegunAnswer(socket)) socket.destroy()
    else endWith(socket, parserError(code, more))
  }
  const pipeline = code === 'ECONNRESET' || !socket.writable ? undefined : pipelineOf(socket)
  if (pipeline) pipeline.finish(end)
  else socket.destroy()
}

/** Writes the last answer and lets the client finish sending, so that it reads the answer. */
function endWith(socket: Duplex, answer: string): void {
  ended.add(socket)
  socket.on('error', () => socket.destroy())
  socket.end(answer)
  closeSlowly(socket)
}

/** Whether an answer has begun: another head would become a part of it. */
const hasBegunAnswer = (socket: Duplex): boolean => {
  const message: unknown = '_httpMessage' in socket ? socket._httpMessage : undefined
  return (
    typeof message === 'object' &&
    message !== null &&
    'headersSent' in message &&
    message.headersSent === true
  )
}

/** Listens; resolves with the address, with the actual port where 0 was requested. */
export function listen(server: NetServer, { host, port }: Address): Promise<Address> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host, port, backlog }, () => {
      server.off('error', reject)
      const address = server.address()
      resolve({ host, port: typeof address === 'object' && address ? address.port : port })
    })
  })
}
