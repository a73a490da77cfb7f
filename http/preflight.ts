/** Refuses malformed requests before anything else sees them (reliability §3.2, F8–F10). */
import type { IncomingMessage } from 'node:http'
import { type ErrorUri, ServiceError } from '#component/errors.ts'
import { type Method, methods } from '#component/request.ts'
import {
  type Authority,
  escapedSlash,
  escapePath,
  escapeQuery,
  hasEscapedSlash,
  parseAuthority,
  pathProblem,
  plainPath,
  queryProblem,
} from '#component/syntax/request-target.ts'

/** A request that is well-formed. */
export interface Target {
  readonly method: Method
  /** Without query; escapes as received, and what browsers do not escape escaped. */
  readonly path: string
  /** Whether the path holds `%2F`: a route has to keep it. */
  readonly hasEscapedSlash: boolean
  /** Escaped as the path. */
  readonly query_string: string
  readonly authority: Authority
  /** Lower-case names; repeats joined by `, `. */
  readonly headers: Readonly<Record<string, string>>
}

/** The reason to refuse a request. The connection is closed after the answer. */
export class Refusal {
  readonly error: ServiceError
  /** The HTTP status; the error's own, except for protocol versions. */
  readonly status: number

  constructor(uri: ErrorUri, message: string, status?: number, headers?: Record<string, string>) {
    this.error = new ServiceError(uri, message, headers ? { headers } : {})
    this.status = status ?? this.error.status
  }
}

const maxHeaders = 100

/** Names and values of all fields, as node:http counts them for `maxHeaderSize`; bytes. */
export const maxHeaderBytes = 16_384

/** Fields that may appear once: a second one is an attack or a mistake, never a list. */
const singles = new Set([
  'host',
  'authorization',
  'proxy-authorization',
  'content-type',
  'content-length',
  'content-encoding',
  'transfer-encoding',
  'expect',
  'origin',
  'x-csrf-token',
])

const served = new Map<string, Method>(methods.map((method) => [method.toUpperCase(), method]))

const tooManyHeaders = () =>
  new Refusal(
    'service.error.header_fields_too_large',
    `the request has more than ${maxHeaders} header fields`,
  )

const refuse = (message: string) => new Refusal('service.error.bad_request', message)

/** Refuses a path that its route does not keep as it is. */
export const refuseSlash = (): Refusal => refuse(escapedSlash)

/**
 * Checks version, header fields, framing, host, target, method and expectation, in this order.
 * @param mayKeepSlashes whether the caller asks the route of a path with `%2F`
 */
export function preflight(request: IncomingMessage, mayKeepSlashes = false): Target | Refusal {
  const { httpVersion } = request
  if (httpVersion !== '1.1' && httpVersion !== '1.0') {
    const status = httpVersion === '0.9' ? 400 : 505
    return new Refusal('service.error.bad_request', 'the HTTP version is not supported', status)
  }
  const headers = readHeaders(request)
  if (headers instanceof Refusal) return headers
  const problem = framingProblem(headers, httpVersion)
  if (problem !== undefined) return refuse(problem)

  const { host } = headers
  if (host === undefined && httpVersion === '1.1') return refuse('the Host field is missing')
  const authority = host === undefined ? noHost : parseAuthority(host)
  if (authority === undefined) return refuse('the Host field is malformed')

  const method = served.get(request.method ?? '')
  const url = originForm(request.url ?? '', host, method)
  // RFC 9110 §10.1.1: HTTP/1.0 knows no expectations
  const expect = httpVersion === '1.1' ? headers.expect : undefined
  return targetOf({ method, url, authority, headers, expect, mayKeepSlashes })
}

/** What the rest of a request is judged by. */
interface Parts {
  readonly method: Method | undefined
  readonly url: string | undefined
  readonly authority: Authority
  readonly headers: Readonly<Record<string, string>>
  readonly expect: string | undefined
  readonly mayKeepSlashes: boolean
}

/** Checks target, method and expectation. */
function targetOf(parts: Parts): Target | Refusal {
  const { method, url, authority, headers, expect, mayKeepSlashes } = parts
  if (url === undefined) return refuse('the request target is malformed or names another host')
  const mark = url.indexOf('?')
  const received = mark < 0 ? url : url.slice(0, mark)
  const isPlain = plainPath.test(received)
  const path = isPlain ? received : escapePath(received)
  const query_string = mark < 0 ? '' : escapeQuery(url.slice(mark + 1))
  const wrong =
    (isPlain ? undefined : pathProblem(path, mayKeepSlashes)) ?? queryProblem(query_string)
  if (wrong !== undefined) return refuse(wrong)

  if (method === undefined) {
    const allow = [...served.keys()].join(', ')
    return new Refusal('service.error.method_not_allowed', 'the method is not supported', 405, {
      allow,
    })
  }
  if (expect !== undefined && expect.toLowerCase() !== '100-continue') {
    const message = 'the only supported expectation is 100-continue'
    return new Refusal('service.error.expectation_failed', message)
  }
  const slashes = !isPlain && mayKeepSlashes && hasEscapedSlash(path)
  return { method, path, hasEscapedSlash: slashes, query_string, authority, headers }
}

/**
 * Checks a request of HTTP/2 (RFC 9113 §8.3), in the same order. nghttp2 has refused what is no HTTP/2: pseudo-header fields that are
 * missing, repeated or unknown, and fields of connections.
 * @param raw names and values in turn, the pseudo-header fields among them
 * @param mayKeepSlashes as that of {@link preflight}
 */
export function preflightHttp2(raw: readonly string[], mayKeepSlashes: boolean): Target | Refusal {
  const headers: Record<string, string> = Object.create(null)
  const pseudo: Record<string, string> = Object.create(null)
  let count = 0
  let size = 0
  for (let at = 0; at < raw.length; at += 2) {
    const name = raw[at] ?? ''
    const value = raw[at + 1] ?? ''
    size += value.length
    if (name.charCodeAt(0) === 0x3a) {
      pseudo[name] = value
      continue
    }
    size += name.length
    // clients send a Cookie field in pieces, so that they are compressed better (§8.2.3)
    if (name !== 'cookie' || headers.cookie === undefined) count += 1
    const problem = addField(headers, name, value)
    if (problem) return problem
  }
  const { ':method': name = '', ':path': path, ':authority': named, ':scheme': scheme } = pseudo
  if (named !== undefined && headers.host === undefined) count += 1
  if (count > maxHeaders) return tooManyHeaders()
  if (size >= maxHeaderBytes) {
    const message = 'the header fields are too large'
    return new Refusal('service.error.header_fields_too_large', message)
  }
  const problem = framingProblem(headers, '2')
  if (problem !== undefined) return refuse(problem)
  const host = named ?? headers.host
  if (host === undefined) return refuse('the Host field is missing')
  const authority = parseAuthority(host)
  if (authority === undefined) return refuse('the Host field is malformed')
  if (headers.host !== undefined && headers.host.toLowerCase() !== host.toLowerCase()) {
    return refuse('the fields :authority and Host name different hosts')
  }
  headers.host = host
  if (path === undefined) return refuse('CONNECT is not supported')
  if (scheme !== 'https') return refuse('the scheme is not https')
  const method = served.get(name)
  const url = originForm(path, undefined, method)
  return targetOf({ method, url, authority, headers, expect: headers.expect, mayKeepSlashes })
}

const noHost: Authority = { host: '', port: '' }

function readHeaders(request: IncomingMessage): Readonly<Record<string, string>> | Refusal {
  const { rawHeaders } = request
  if (rawHeaders.length > maxHeaders * 2) {
    return tooManyHeaders()
  }
  // node:http has built this map already; where no field repeats, it equals the joined one
  const { headers } = request
  const isPlain =
    Object.keys(headers).length * 2 === rawHeaders.length && headers['set-cookie'] === undefined
  return isPlain ? (headers as Readonly<Record<string, string>>) : joinHeaders(rawHeaders)
}

/** Joins repeated fields, which node:http does for some of them only. */
function joinHeaders(raw: readonly string[]): Record<string, string> | Refusal {
  // a field may be called __proto__
  const headers: Record<string, string> = Object.create(null)
  for (let at = 0; at < raw.length; at += 2) {
    const name = (raw[at] ?? '').toLowerCase()
    const value = raw[at + 1] ?? ''
    const problem = addField(headers, name, value)
    if (problem) return problem
  }
  return headers
}

/** Adds a field to those before it. */
function addField(
  headers: Record<string, string>,
  name: string,
  value: string,
): Refusal | undefined {
  const before = headers[name]
  if (before === undefined) headers[name] = value
  else if (singles.has(name)) return refuse(`the field ${name} appears twice`)
  else {
    const mark = name === 'cookie' ? ';' : ','
    // a value ends with no blank: who gets it would take the blank off (RFC 9110 §5.5)
    headers[name] = value === '' ? before + mark : `${before}${mark} ${value}`
  }
  return undefined
}

/** The framing problem, if any: exactly one field may delimit the body (RFC 9112 §6). */
function framingProblem(
  headers: Readonly<Record<string, string>>,
  version: string,
): string | undefined {
  const coding = headers['transfer-encoding']
  const length = headers['content-length']
  if (coding !== undefined) {
    if (version !== '1.1') return 'Transfer-Encoding is not allowed in HTTP/1.0'
    if (coding.toLowerCase() !== 'chunked') return 'Transfer-Encoding must be "chunked"'
    if (length !== undefined) return 'both Transfer-Encoding and Content-Length are given'
  }
  if (length !== undefined && !isLength(length)) return 'Content-Length is not a number'
  return undefined
}

const isLength = (text: string): boolean => {
  if (text.length === 0 || text.length > 15) return false
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code < 0x30 || code > 0x39) return false
  }
  return true
}

/** The target as path and query: origin-form, absolute-form of this very host, or `*` (RFC 9112 §3.2). */
function originForm(
  url: string,
  host: string | undefined,
  method: Method | undefined,
): string | undefined {
  if (url.charCodeAt(0) === 0x2f) return url
  if (url === '*') return method === 'options' ? '/*' : undefined
  const start = url.indexOf('://')
  const scheme = url.slice(0, Math.max(start, 0)).toLowerCase()
  if (scheme !== 'http' && scheme !== 'https') return undefined
  const slash = url.indexOf('/', start + 3)
  const end = slash < 0 ? url.length : slash
  if (url.slice(start + 3, end).toLowerCase() !== host?.toLowerCase()) return undefined
  return slash < 0 ? '/' : url.slice(slash)
}
