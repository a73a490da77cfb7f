/** The only place where an error becomes bytes: as a reply, and as raw text for sockets without a valid request. */
import { STATUS_CODES } from 'node:http'
import { type ErrorHeaders, type ErrorUri, ServiceError } from '#component/errors.ts'
import type { Reply } from '#component/gateway/exchange.ts'
import { type Headers, layOver } from '#component/gateway/header-layers.ts'
import { negotiateType } from './negotiate.ts'
import { Refusal } from './preflight.ts'

/** The media types of errors; JSON when the client accepts none of them. */
const problem = 'application/problem+json'
const types = ['application/json', 'application/msgpack', problem] as const

/** Errors are negotiated. */
const varies: Headers = { vary: 'Accept' }

const internal = () => new ServiceError('service.error.internal', 'the gateway failed')

/** The error to show: an unknown error is a bug, whose details are hidden. */
const shownError = (error: unknown): ServiceError =>
  error instanceof Refusal ? error.error : error instanceof ServiceError ? error : internal()

/**
 * The reply for an error in the type that the client prefers.
 * @param declared makes the problem that a document declares for its errors: all clients get it that do not refuse problems
 * @param more further headers, lower-case names; those of the error win
 */
export function errorReply(
  error: unknown,
  accept: string | undefined,
  declared?: (error: ServiceError) => object,
  more: Headers = {},
): Reply {
  const shown = shownError(error)
  const type =
    (declared && negotiateType(accept, [problem])) ?? negotiateType(accept, types) ?? types[0]
  const status = error instanceof Refusal ? error.status : shown.status
  const body = shown.toJSON()
  // RFC 9457 §3.1, with our own members as extensions
  const { description: title, message: detail } = body
  const own = { title, status, detail, ...body }
  const value = type === problem ? (declared?.(shown) ?? own) : body
  return {
    status,
    headers: { ...layOver(more, varies), ...shown.headers },
    body: { kind: 'value', value, type },
    error: shown,
  }
}

/**
 * A whole HTTP/1.1 answer for a socket without a valid request; the connection ends with it.
 * @param more further headers
 */
export function rawError(
  uri: ErrorUri,
  message: string,
  status?: number,
  more: ErrorHeaders = {},
): string {
  const error = new ServiceError(uri, message)
  const code = status ?? error.status
  const body = JSON.stringify(error)
  return [
    `HTTP/1.1 ${code} ${STATUS_CODES[code]}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
    ...Object.entries(more).flatMap(([name, values]) =>
      [values].flat().map((value) => `${name}: ${value}`),
    ),
    '',
    body,
  ].join('\r\n')
}

/** What errors of the parser of node:http are answered with; others are 400. */
const parserErrors: Readonly<Record<string, readonly [uri: ErrorUri, message: string]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: ['service.error.request_timeout', 'the request did not arrive in time'],
  HPE_HEADER_OVERFLOW: ['service.error.header_fields_too_large', 'the header fields are too large'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [
    'service.error.payload_too_large',
    'the chunk extensions are too large',
  ],
}
const malformed = ['service.error.bad_request', 'the request is not valid HTTP/1.1'] as const

/** The answer to an error of the parser of node:http. @param more as {@link rawError} takes them */
export function parserError(code = '', more: Headers = {}): string {
  const [uri, message] = parserErrors[code] ?? malformed
  return rawError(uri, message, undefined, more)
}
