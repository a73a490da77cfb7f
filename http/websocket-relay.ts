/** Relays `/ws` to a router in another process: the gateway makes a handshake of its own; after its 101 bytes pass both ways. */
import { type IncomingMessage, type RequestOptions, request as requestPlain } from 'node:http'
import { request as requestTls } from 'node:https'
import type { Socket } from 'node:net'
import { answerHeaders } from '#component/action/headers.ts'
import type { Clock } from '#component/clock.ts'
import { type ErrorUri, ServiceError } from '#component/errors.ts'
import {
  acceptOf,
  isWebSocketKey,
  readHandshake,
  switchProblem,
  websocketVersion,
} from '#component/syntax/websocket.ts'
import { rawError } from './errors.ts'

/** The address of the other router. */
export interface RelayTarget {
  /** A `ws:` or `wss:` URL; undefined while the router is reached by other means. */
  readonly url: string | undefined
  /** Path of the router's Unix socket, used instead of the host in the URL. */
  readonly socketPath?: string
}

/** One client that asks for a WebSocket. */
export interface RelayedClient {
  readonly request: Pick<IncomingMessage, 'method'>
  /** Fields of the request, checked, with lower-case names. */
  readonly headers: Readonly<Record<string, string>>
  readonly socket: Socket
  /** Bytes that the client sent after its handshake; the router gets them after its 101. */
  readonly head: Buffer
  /** IP address of the client. */
  readonly peer: string
  /** The Cookie field that the router may see. */
  readonly cookie: string | undefined
}

/** How long the router may take to connect and to answer the handshake; milliseconds. */
const handshakeTimeout = 10_000

/** How long a refused client may take to read the answer; milliseconds. */
const farewellTimeout = 2_000

/** Longest head of the router's answer; bytes. */
const maxHeadSize = 16_384

/** Fields of the client that are passed on; all other fields of the handshake are made here. */
const passedFields = ['sec-websocket-protocol', 'sec-websocket-extensions', 'origin'] as const

/** Fields of the router that are passed back; all other fields of the answer are made here. */
const passedBack = ['sec-websocket-protocol', 'sec-websocket-extensions', 'set-cookie'] as const

/**
 * Opens a WebSocket at the router and connects the client with it. When the router does not answer with a valid 101 within 10
 * seconds, the client gets 502 `wamp.error.net_failure` and its connection ends.
 * @param onFailure called with that error
 */
export function relay(
  target: RelayTarget,
  client: RelayedClient,
  clock: Clock,
  onFailure: (error: ServiceError) => void,
): void {
  const { socket, headers, head } = client
  const handshake = readHandshake(headers)
  const { key, version } = handshake
  const isHandshake = client.request.method === 'GET' && version === websocketVersion
  if (!isHandshake || !isWebSocketKey(key)) {
    const message =
      'a WebSocket handshake is a GET with Sec-WebSocket-Key and Sec-WebSocket-Version: 13'
    refuse(socket, 'service.error.bad_request', message, clock)
    return
  }
  const { url, socketPath } = target
  if (url === undefined) {
    const message =
      'the gateway reaches the WAMP router without a WebSocket: connect to the router itself'
    const error = new ServiceError('service.error.unavailable', message)
    onFailure(error)
    refuse(socket, error.uri, error.message, clock)
    return
  }
  const upstream = ask(new URL(url), socketPath, client, key)
  const stopTimer = clock.after(handshakeTimeout, () => fail('did not respond in time'))
  const settle = () => {
    stopTimer()
    socket.off('close', abandon)
  }
  const abandon = () => {
    settle()
    upstream.destroy()
  }
  let hasFailed = false
  const fail = (what: string) => {
    if (hasFailed) return
    hasFailed = true
    abandon()
    const error = new ServiceError('wamp.error.net_failure', `the WAMP router ${what}`)
    onFailure(error)
    refuse(socket, error.uri, error.message, clock)
  }
  socket.once('close', abandon)
  upstream.on('error', () => fail('cannot be reached, or its response is not HTTP'))
  upstream.on('information', ({ statusCode }) => {
    if (statusCode === 101) fail('returned 101 without Upgrade')
  })
  upstream.on('response', ({ statusCode }) => fail(`responded to the handshake with ${statusCode}`))
  upstream.on('upgrade', (answer, router: Socket, first) => {
    router.on('error', () => router.destroy())
    const problem =
      answer.statusCode === 101
        ? switchProblem(withoutExtensions(answer.headers), handshake)
        : `responded to the handshake with ${answer.statusCode}`
    if (problem !== undefined || hasFailed) {
      router.destroy()
      fail(problem ?? '')
      return
    }
    settle()
    router.setTimeout(0)
    router.setNoDelay(true)
    socket.write(switching(answer, key), 'latin1')
    if (first.length > 0) socket.write(first)
    if (head.length > 0) router.write(head)
    router.on('close', () => socket.end())
    socket.on('close', () => router.destroy())
    router.pipe(socket)
    socket.pipe(router)
  })
  upstream.end()
}

/** The opening handshake (RFC 6455 §4.1): the passed fields and the gateway's own. */
function ask(url: URL, socketPath: string | undefined, client: RelayedClient, key: string) {
  const fields: Record<string, string> = {
    host: url.host,
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': websocketVersion,
    'sec-websocket-key': key,
    'x-forwarded-for': client.peer,
  }
  if (client.cookie) fields.cookie = client.cookie
  for (const name of passedFields) {
    const value = client.headers[name]
    if (value !== undefined) fields[name] = value
  }
  const options: RequestOptions = {
    method: 'GET',
    host: url.hostname.startsWith('[') ? url.hostname.slice(1, -1) : url.hostname,
    port: url.port,
    path: `${url.pathname}${url.search}`,
    headers: fields,
    agent: false,
    maxHeaderSize: maxHeadSize,
    ...(socketPath !== undefined && { socketPath }),
  }
  return url.protocol === 'wss:' ? requestTls(options) : requestPlain(options)
}

/** The client judges the extensions itself. */
const withoutExtensions = ({
  'sec-websocket-extensions': _,
  ...fields
}: IncomingMessage['headers']) => fields

/** The 101 for the client, with the fields passed back from the router. */
function switching({ headers }: IncomingMessage, key: string): string {
  const lines = ['HTTP/1.1 101 Switching Protocols', 'Upgrade: websocket', 'Connection: Upgrade']
  lines.push(`Sec-WebSocket-Accept: ${acceptOf(key)}`)
  const passed = answerHeaders(headers)
  for (const name of passedBack) {
    for (const value of [passed[name] ?? []].flat()) lines.push(`${name}: ${value}`)
  }
  return `${lines.join('\r\n')}\r\n\r\n`
}

/** Refuses a client: sends the error, discards the bytes that the client still sends, and ends its connection. */
function refuse(socket: Socket, uri: ErrorUri, message: string, clock: Clock): void {
  if (socket.destroyed) return
  const stopTimer = clock.after(farewellTimeout, () => socket.destroy())
  socket.once('close', stopTimer)
  socket.resume()
  socket.end(rawError(uri, message))
}
