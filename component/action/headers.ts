/** Which header fields may cross the proxy, in both directions (RFC 9110 §7.6.1, behaviour §4, reliability F1). */
import { ExpressionError, ServiceError } from '#component/errors.ts'
import type { Run } from './action.ts'

/** Header fields with lower-case names; a list is sent as repeated fields. */
export type HeaderMap = Record<string, string | readonly string[]>

/** Fields of one connection, and the framing: never passed on, always recomputed. */
const ownOfConnection = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'http2-settings',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authentication-info',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** What a client says of its way here; the gateway says it itself, so that an upstream can believe it. */
const ofTheWay = new Set(['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto'])

/** Cookies of this service: tickets and their CSRF values belong to the gateway, in both directions. */
const ownCookies = ['service_ticket_', 'service_csrf_', '__Host-service_', '__Secure-service_']

const isOwnCookie = (pair: string): boolean => {
  const name = pair.trimStart()
  return ownCookies.some((prefix) => name.startsWith(prefix))
}

/** The names in Connection fields (RFC 9110 §7.6.1), in lower case. */
function namesIn(connection: unknown): readonly string[] {
  if (typeof connection !== 'string' || connection === '') return []
  return connection
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
}

const tokenMarks = "!#$%&'*+-.^_`|~"

/** RFC 9110 §5.6.2. */
function isToken(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index)
    const isAlphanumeric =
      (code >= 97 && code <= 122) || (code >= 48 && code <= 57) || (code >= 65 && code <= 90)
    if (!isAlphanumeric && !tokenMarks.includes(text.charAt(index))) return false
  }
  return text.length > 0
}

/** RFC 9110 §5.5: tab, visible ASCII, blank, and the bytes 0x80–0xff as they came. */
function isFieldValue(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index)
    if ((code < 32 && code !== 9) || code === 127 || code > 255) return false
  }
  return true
}

function readValue(name: string, value: unknown): string {
  const text =
    typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint'
      ? String(value)
      : value
  if (typeof text !== 'string') throw new ExpressionError(`headers: ${name} is no text`)
  if (!isFieldValue(text)) {
    throw new ExpressionError(`headers: ${name} holds a character that no header may hold`)
  }
  return text.trim()
}

/** Our own cookies taken out of a Cookie field; undefined when none is left. */
export const withoutOwnCookies = (cookie: string): string | undefined =>
  cookie
    .split(';')
    .filter((pair) => !isOwnCookie(pair))
    .join(';')
    .trim() || undefined

const addressOf = (peername: string): string => {
  const end = peername.lastIndexOf(':')
  const address = end < 0 ? peername : peername.slice(0, end)
  return address.startsWith('[') ? address.slice(1, -1) : address
}

/**
 * The header fields of an upstream request, without Host and framing, which the connection adds.
 * ExpressionError, before anything is sent, for a name or value that no header may have.
 * @param declared the field `headers` of the action; undefined: those of the request
 * @param viaName what this proxy calls itself in `Via`
 */
export function upstreamHeaders(declared: unknown, run: Run, viaName: string): HeaderMap {
  const { request } = run
  const source = declared === undefined || declared === '' ? request.headers : declared
  if (source === null || typeof source !== 'object' || Array.isArray(source)) {
    throw new ExpressionError('headers: expected a map')
  }
  const listed = namesIn(request.headers.connection)
  const headers: HeaderMap = Object.create(null)
  for (const [key, value] of Object.entries(source)) {
    const name = key.toLowerCase()
    if (!isToken(name))
      throw new ExpressionError('headers: a name holds a character it may not hold')
    if (value === null || value === undefined) continue
    if (ownOfConnection.has(name) || ofTheWay.has(name)) continue
    // What the client lists in Connection is dropped if it is the client's; what the document sets stays.
    if (listed.includes(name) && value === request.headers[name]) continue
    if (Array.isArray(value)) headers[name] = value.map((item) => readValue(name, item))
    else headers[name] = readValue(name, value)
  }
  if (typeof headers.cookie === 'string') {
    const cookie = withoutOwnCookies(headers.cookie)
    if (cookie === undefined) delete headers.cookie
    else headers.cookie = cookie
  }
  const via = typeof headers.via === 'string' ? `${headers.via}, ` : ''
  headers.via = `${via}1.1 ${viaName}`
  headers['x-forwarded-for'] = addressOf(request.peername)
  headers['x-forwarded-host'] = request.headers.host ?? request.host
  headers['x-forwarded-proto'] = request.scheme
  return headers
}

/**
 * The header fields of an answer that may go on to the client.
 * @param raw name, value, name, value …, as received
 */
export function answerHeaders(raw: readonly string[]): HeaderMap {
  const headers: Record<string, string> = Object.create(null)
  const cookies: string[] = []
  for (let index = 0; index + 1 < raw.length; index += 2) {
    const name = (raw[index] ?? '').toLowerCase()
    const value = raw[index + 1] ?? ''
    if (name === 'set-cookie') {
      if (!isOwnCookie(value)) cookies.push(value)
    } else if (name === '__proto__') {
      throw new ServiceError('service.error.bad_gateway', 'the answer has a header that is refused')
    } else {
      const earlier = headers[name]
      headers[name] = earlier === undefined ? value : `${earlier}, ${value}`
    }
  }
  const listed = namesIn(headers.connection)
  for (const name of Object.keys(headers)) {
    if (ownOfConnection.has(name) || listed.includes(name)) delete headers[name]
  }
  const [only] = cookies
  if (only === undefined) return headers
  return Object.assign(headers, { 'set-cookie': cookies.length === 1 ? only : cookies })
}
