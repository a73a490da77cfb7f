/** Reply → response: head and body in one write where the whole body is known, back-pressure where it streams. */
import { ServiceError } from '#component/errors.ts'
import type { Reply, ReplyBody } from '#component/gateway/exchange.ts'
import { reportThrown } from '#component/gateway/failure-report.ts'
import { maxUncounted } from '#http/limits/held-bytes.ts'
import { isRefused } from './body/request-body.ts'
import { encodeBody } from './codec.ts'
import type { HttpExchange } from './read-request.ts'

/** An unwanted body of at most this size is read to its end, so that the connection can be reused; bytes. */
const maxDumped = 65_536

/** Statuses that end a request while its body is on the way. */
const isCutOff = (status: number) => status === 408 || status === 413 || isRefused(status)

/**
 * Sends a reply; at most one for an exchange, later ones are dropped.
 * @param mustClose ends the connection after it (draining, malformed request)
 * @throws ExpressionError when the body cannot be encoded, ServiceError when too many bytes are held; then nothing has been sent
 */
export function sendReply(exchange: HttpExchange, reply: Reply, mustClose: boolean): void {
  const { transport } = exchange
  if (exchange.isAnswered || transport.isDestroyed) {
    drop(reply.body)
    return
  }
  const { status } = reply
  const { head, content, length } = composeReply(exchange.id, reply)
  for (const cookie of exchange.cookies ?? []) head.push('set-cookie', cookie)
  holdAnswer(exchange, content)
  const isHead = exchange.method === 'head'
  const isLast =
    mustClose || exchange.handshake !== undefined || (!isHead && isEndless(exchange, reply.body))
  if (isLast || !canGoOn(exchange, status)) transport.last(!isRefused(status))
  transport.begin(status, head)
  exchange.isAnswered = true
  if (reply.body.kind === 'websocket') openSocket(exchange, reply.body)
  else if (isHead || isBodiless(status)) {
    drop(reply.body)
    transport.end(undefined, length)
  } else if (reply.body.kind === 'events') sendEvents(exchange, reply.body)
  else if (reply.body.kind === 'stream') sendStream(exchange, reply.body, reply.operation)
  else transport.end(content, length)
}

/** Ends a body that is not sent. */
function drop(body: ReplyBody): void {
  if (body.kind === 'stream') body.stream.destroy()
  else if (body.kind === 'events' || body.kind === 'websocket') body.cancel()
}

/** A reply in the form in which it leaves. */
interface Composed {
  /** Names and values in turn. */
  readonly head: string[]
  /** Undefined: none, or a stream. */
  readonly content: string | Uint8Array | undefined
  /** Of the content; bytes. */
  readonly length: number | undefined
}

/**
 * Composes head and content.
 * @param id of the request
 * @throws ExpressionError when the body cannot be encoded
 */
export function composeReply(id: string, reply: Reply): Composed {
  const { status, body } = reply
  const content = isBodiless(status) ? undefined : encode(body)
  const length = lengthOf(body, content, status)
  return { head: headOf(id, reply, length), content, length }
}

/** Counts a large answer until it has left, instead of the bytes of its request. */
function holdAnswer(exchange: HttpExchange, content: string | Uint8Array | undefined): void {
  exchange.release()
  const length = content?.length ?? 0
  if (length > maxUncounted) exchange.hold(length)
}

/** RFC 9110 §6.4.1, §15.2, §15.3.6. */
const isBodiless = (status: number) =>
  status < 200 || status === 204 || status === 205 || status === 304

function encode(body: ReplyBody): string | Uint8Array | undefined {
  if (body.kind !== 'value') return body.kind === 'bytes' ? body.bytes : undefined
  const { value, type, encodings } = body
  const known = encodings?.get(type)
  if (known !== undefined) return known
  const content = encodeBody(value, type)
  encodings?.set(type, content)
  return content
}

/** The header fields as a flat list, which node:http writes fastest. */
function headOf(
  id: string,
  { status, headers, body }: Reply,
  length: number | undefined,
): string[] {
  const head = ['X-Request-Id', id]
  if (headers['x-content-type-options'] === undefined) {
    head.push('X-Content-Type-Options', 'nosniff')
  }
  const hasType = body.kind === 'value' || body.kind === 'events'
  if (hasType && headers['content-type'] === undefined && !isBodiless(status)) {
    head.push('Content-Type', body.type)
  }
  for (const name in headers) {
    const value = headers[name]
    if (value === undefined || name === 'x-request-id' || name === 'content-length') continue
    if (typeof value === 'string') head.push(name, value)
    else for (const item of value) head.push(name, item)
  }
  if (length !== undefined) head.push('Content-Length', String(length))
  return head
}

function lengthOf(
  body: ReplyBody,
  content: string | Uint8Array | undefined,
  status: number,
): number | undefined {
  // of these a client does not know that they have no content
  if (status === 205) return 0
  if (isBodiless(status)) return undefined
  if (body.kind === 'stream' || body.kind === 'events') return body.length
  if (content === undefined) return 0
  return typeof content === 'string' ? Buffer.byteLength(content) : content.length
}

/** Passes the connection on once the 101 is written: all that follows is the WebSocket's. */
function openSocket(
  exchange: HttpExchange,
  body: ReplyBody & { readonly kind: 'websocket' },
): void {
  const socket = exchange.transport.takeConnection()
  if (socket === null) {
    body.cancel()
    return
  }
  exchange.beginStream({ type: 'websocket', record: body.record })
  body.begin(socket)
}

function sendEvents(exchange: HttpExchange, body: ReplyBody & { readonly kind: 'events' }): void {
  exchange.beginStream({ type: body.type, record: body.record })
  exchange.transport.pipeEvents(exchange, (sink) => body.begin(sink))
}

function sendStream(
  exchange: HttpExchange,
  body: ReplyBody & { readonly kind: 'stream' },
  operation: Reply['operation'],
): void {
  // the status has been sent: only the log can tell why the answer is incomplete
  body.stream.once('error', (error) => {
    if (!(error instanceof ServiceError)) return
    exchange.failure = reportThrown(error, operation)
    exchange.error = error.uri
  })
  exchange.transport.pipe(body.stream, body.length)
}

/** Whether the answer has no end that a request behind it could wait for; one that is there already is served in its turn. */
const isEndless = ({ transport }: HttpExchange, body: ReplyBody): boolean =>
  body.kind === 'events' && body.isEndless === true && transport.isAlone

/** Whether the connection can serve another request after this answer. */
function canGoOn(exchange: HttpExchange, status: number): boolean {
  if (exchange.transport.isReceived || !exchange.hasBody) return true
  if (exchange.isWaiting || isCutOff(status)) return false
  return (exchange.body.length ?? maxDumped + 1) <= maxDumped
}
