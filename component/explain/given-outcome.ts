/** Lets an outcome that is given come true: as the answer of a callee, a broker or an upstream. */

import { Duplex } from 'node:stream'
import { badGateway } from '#component/action/action.ts'
import type { UpstreamHandler, UpstreamRequest } from '#component/action/connections/upstreams.ts'
import { type BodyCodec, encodeAs } from '#component/action/forward/body.ts'
import { isErrorUri, ServiceError } from '#component/errors.ts'
import { acceptOf, readHandshake } from '#component/syntax/websocket.ts'
import { type CallResult, type Publication, WampError } from '#component/wamp/session.ts'
import type { GivenAnswer, GivenError } from './asked.ts'

/** Throws a given error as a session would. */
export function failAsPeer({
  error_uri = 'wamp.error.runtime_error',
  ...payload
}: GivenError): never {
  const { args, kwargs, details } = payload
  throw new WampError(error_uri, {
    ...(args && { args }),
    ...(kwargs && { kwargs }),
    ...(details && { details }),
  })
}

/** The result of a call; a result that is given lacks what it does not need. @throws WampError where an error is given */
export async function callResult(given: GivenAnswer): Promise<CallResult> {
  if (given.error) failAsPeer(given.error)
  return { request_id: 1, details: {}, args: [], kwargs: {}, ...given.result }
}

/** The result of a publication. @throws WampError where an error is given */
export async function publication(
  given: GivenAnswer,
  isAcknowledged: boolean,
): Promise<Publication> {
  if (given.error) failAsPeer(given.error)
  return isAcknowledged ? { publication_id: 1, ...given.result } : {}
}

/** Nobody holds the answer up. */
const controller: Parameters<NonNullable<UpstreamHandler['onRequestStart']>>[0] = {
  paused: false,
  aborted: false,
  reason: null,
  rawHeaders: null,
  rawTrailers: null,
  abort: () => undefined,
  pause: () => undefined,
  resume: () => undefined,
}

/** Answers a dispatch as an upstream would that came to the outcome. */
export function answerDispatch(
  request: UpstreamRequest,
  given: GivenAnswer,
  handler: UpstreamHandler,
  codec: BodyCodec,
): void {
  const answer: Readonly<Record<string, unknown>> = given.error
    ? { ...given.error }
    : { status_code: request.upgrade ? 101 : 200, ...given.result }
  handler.onRequestStart?.(controller, undefined)
  const { status_code, body = '' } = answer
  if (request.upgrade && status_code === 101) {
    switchDispatch(request, answer.headers, handler)
    return
  }
  // an interim status (RFC 9110, 15.2) has no end
  if (typeof status_code !== 'number' || status_code < 200) {
    failDispatch(failureOf(given), handler)
    return
  }
  const headers = headersOf(answer.headers, body)
  const bytes = bytesOf(body, headers['content-type'], codec)
  try {
    handler.onResponseStart?.(controller, status_code, headers, '')
    if (bytes.length > 0) handler.onResponseData?.(controller, bytes)
    handler.onResponseEnd?.(controller, {})
  } catch (error) {
    // as undici does with a handler that refuses the answer
    failDispatch(error instanceof Error ? error : new TypeError(String(error)), handler)
  }
}

/** Opens a WebSocket by which nothing comes. The answer has what opens it, unless other fields are given: the first subprotocol that is offered. */
function switchDispatch(
  { headers }: UpstreamRequest,
  given: unknown,
  handler: UpstreamHandler,
): void {
  const { key, protocols } = readHandshake(headers as Readonly<Record<string, string>>)
  const [first] = protocols
  const fields = {
    upgrade: 'websocket',
    'sec-websocket-accept': acceptOf(key),
    ...(first !== undefined && { 'sec-websocket-protocol': first }),
    ...headersOf(given, ''),
  }
  const silent = new Duplex({ read: () => undefined, write: (_chunk, _coding, done) => done() })
  handler.onRequestUpgrade?.(controller, 101, fields, silent)
}

/** Fails a dispatch, as when the body of the request does. */
export function failDispatch(error: Error, handler: UpstreamHandler): void {
  handler.onResponseError?.(controller, error)
}

/** The failure of an upstream that did not answer. */
const failureOf = ({ error = {} }: GivenAnswer): ServiceError =>
  ownError(error, 'the upstream failed') ?? badGateway('the upstream failed')

/** Throws a given error of an outbox; one that the gateway does not have is that the outbox is not there. */
export function failAsOutbox(error: GivenError): never {
  const message = 'the outbox of deliveries is not open'
  throw ownError(error, message) ?? new ServiceError('service.error.unavailable', message)
}

/** A given error among those of the gateway itself. */
function ownError(
  { error_uri = '', kwargs }: GivenError,
  message: string,
): ServiceError | undefined {
  const told = typeof kwargs?.message === 'string' ? kwargs.message : message
  return isErrorUri(error_uri) ? new ServiceError(error_uri, told) : undefined
}

/** Names in lower case; a value that is no text is JSON unless the headers say otherwise. */
function headersOf(given: unknown, body: unknown): Record<string, string> {
  const entries = Object.entries(given ?? {}).map(([name, value]): [string, string] => [
    name.toLowerCase(),
    String(value),
  ])
  const headers = Object.fromEntries(entries)
  const isRaw = typeof body === 'string' || body instanceof Uint8Array
  return isRaw ? headers : { 'content-type': 'application/json', ...headers }
}

function bytesOf(body: unknown, type: string | undefined, codec: BodyCodec): Buffer {
  if (body instanceof Uint8Array) return Buffer.from(body)
  if (body === '') return Buffer.alloc(0)
  const encoded = type === undefined ? String(body) : (encodeAs(body, type, codec) ?? String(body))
  return Buffer.from(encoded)
}
