/** Which header fields may cross the proxy, in both directions (RFC 9110 §7.6.1, behaviour §4, reliability F1). */
import { ServiceError } from '#component/errors.ts'
import { connectionFields, fieldValueProblem, isToken } from '#component/syntax/http-field.ts'
import { remembered } from '#component/syntax/remembered.ts'
import { isMap } from '#component/syntax/values.ts'
import { type TraceContext, traceparentOf } from '#component/telemetry/trace-context.ts'
import { badGateway, type Run } from './action.ts'
import { FieldError } from './field-error.ts'

/** Header fields with lower-case names; a list is sent as repeated fields. */
export type HeaderMap = Record<string, string | readonly string[]>

/** Fields of one connection, and the framing: never passed on, always recomputed. */
const ownOfConnection = new Set([
  ...connectionFields,
  'http2-settings',
  'proxy-authenticate',
  'proxy-authentication-info',
  'proxy-authorization',
  'proxy-connection',
])

/** Where and whom a request came from: only the gateway says so, so that an upstream can trust it. A document cannot replace them. */
const originFields = new Set([
  'forwarded',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  // RFC 9440 §2.4: of a client they would be taken for what this gateway has checked
  'client-cert',
  'client-cert-chain',
])

/**
 * Whether an upstream trusts the field as set by a gateway or by its own environment, so that a client must not send it.
 * CGI gives `x_a` the name of `x-a`, and makes HTTP_PROXY of `proxy`.
 */
const isGatewayField = (name: string): boolean =>
  originFields.has(name) ||
  name.startsWith('x-forwarded-') ||
  name.startsWith('x-service-') ||
  name.includes('_') ||
  name === 'x-real-ip' ||
  name === 'proxy'

/** Whether a field of a client goes on, unless its Connection field lists it: names repeat. */
const isPassedField = remembered((name) => !ownOfConnection.has(name) && !isGatewayField(name))

/** Cookies of this service, tickets and their CSRF values, are passed in neither direction. */
const ownCookies = ['service_ticket_', 'service_csrf_', '__Host-service_', '__Secure-service_']

/** A cookie without a name (`=a=b`) comes back as `a=b` (RFC 6265bis §5.7). */
const isOwnCookie = (pair: string): boolean => {
  const name = pair.replace(/^[\s=]+/, '')
  return ownCookies.some((prefix) => name.startsWith(prefix))
}

const none: readonly string[] = []

/** The names in Connection fields (RFC 9110 §7.6.1), in lower case; none for the usual name, which is dropped anyway. */
function namesIn(connection: unknown): readonly string[] {
  if (typeof connection !== 'string' || connection === 'keep-alive') return none
  return connection
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
}

function readValue(name: string, value: unknown): string {
  const text =
    typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint'
      ? String(value)
      : value
  if (typeof text !== 'string' || fieldValueProblem(text) !== undefined) {
    const wanted = 'a text of Latin-1 without control characters, a number or a boolean'
    throw new FieldError(['headers', name], wanted)
  }
  return text.trim()
}

/** A Cookie field without our own cookies; undefined when no other is left. */
export const withoutOwnCookies = (cookie: string): string | undefined =>
  cookie
    .split(';')
    .filter((pair) => !isOwnCookie(pair))
    .join(';')
    .trim() || undefined

/** The request's own fields that are passed on; the parser of node:http has checked and trimmed them. */
export function passedFields(sent: Readonly<Record<string, string>>): HeaderMap {
  const listed = namesIn(sent.connection)
  const headers: HeaderMap = {}
  for (const name in sent) {
    const value = sent[name]
    if (value !== undefined && isPassedField(name) && !listed.includes(name)) headers[name] = value
  }
  return headers
}

/**
 * `request.headers` for the expressions of a forward's `headers`: fields that only a gateway may set can be read by name,
 * but a copy of the map does not contain them.
 */
export function withoutGatewayFields(
  sent: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(sent)) {
    Object.defineProperty(headers, name, { value, enumerable: !isGatewayField(name) })
  }
  return headers
}

/** The declared fields that are sent. */
function declaredFields(declared: unknown, sent: Readonly<Record<string, string>>): HeaderMap {
  if (!isMap(declared)) {
    throw new FieldError(['headers'], 'a map')
  }
  const listed = namesIn(sent.connection)
  const headers: HeaderMap = {}
  for (const [key, value] of Object.entries(declared)) {
    const name = key.toLowerCase()
    if (!isToken(name))
      throw new FieldError(['headers'], 'names without blanks, controls and separators')
    if (value === null || value === undefined || value === '') continue
    if (ownOfConnection.has(name) || originFields.has(name)) continue
    // A field that the client lists in Connection is dropped, unless the document sets another value.
    if (listed.includes(name) && value === sent[name]) continue
    if (Array.isArray(value)) headers[name] = value.map((item) => readValue(key, item))
    else headers[name] = readValue(key, value)
  }
  return headers
}

/**
 * The header fields of an upstream request, without Host and framing, which the connection adds.
 * ServiceError `service.error.loop_detected` for a request that comes back again and again. FieldError, before anything is sent, for a name or value that no header may have.
 * @param declared the field `headers` of the action; undefined: those of the request
 * @param own the entry of this proxy in `Via` (RFC 9110 §7.6.3)
 */
export function upstreamHeaders(declared: unknown, run: Run, own: string): HeaderMap {
  const { request } = run
  const { headers: sent } = request
  const isPassed = declared === undefined || declared === ''
  const headers = isPassed ? passedFields(sent) : declaredFields(declared, sent)
  if (typeof headers.cookie === 'string') {
    const cookie = withoutOwnCookies(headers.cookie)
    if (cookie === undefined) delete headers.cookie
    else headers.cookie = cookie
  }
  const before = checkedVia(sent.via, own) ?? headers.via
  headers.via = typeof before === 'string' ? `${before}, ${own}` : own
  if (run.invocation) {
    headers['x-request-id'] ??= run.invocation.id
    return headers
  }
  headers['x-forwarded-for'] = run.client
  headers['x-forwarded-host'] = sent.host ?? request.host
  headers['x-forwarded-proto'] = request.scheme
  return headers
}

/** Passes of one request through this node that are no loop yet: its entries in `Via` (RFC 9110 §7.6.3). */
const mostPasses = 4

/**
 * The Via of a request that has passed this node, which is passed on whatever the document declares; undefined: it has not.
 * @param own the entry of this node
 * @throws ServiceError `service.error.loop_detected`
 */
function checkedVia(via: string | undefined, own: string): string | undefined {
  if (via === undefined) return undefined
  const passes = via.split(',').filter((entry) => entry.trim() === own).length
  if (passes > mostPasses)
    throw new ServiceError(
      'service.error.loop_detected',
      `the request has passed this node ${passes} times`,
    )
  return passes > 0 ? via : undefined
}

/** Words in the names of fields that hold for the bytes of a body: digests (RFC 9530, RFC 3230, RFC 1864) and signatures (RFC 9421, webhooks). */
const ofBytes = /\b(?:checksum|digest|hmac|md5|sha\d+|sig|signature)\b/

/** Fields with such a name that ask for one in the answer (RFC 9530 §4, RFC 9421 §5.1). */
const ofAnswer = /^(?:accept|want)-/

/**
 * Takes out what the client says of the bytes of its body, where others are sent: their content coding, digests and signatures. The
 * document may set other values.
 */
export function dropBytesFields(headers: HeaderMap, sent: Readonly<Record<string, string>>): void {
  delete headers['content-encoding']
  for (const name in headers) {
    const isOfBytes = ofBytes.test(name) && !ofAnswer.test(name)
    if (isOfBytes && headers[name] === sent[name]) delete headers[name]
  }
}

const traceFields = new Set(['traceparent', 'tracestate'])

/** Says where an upstream request stands in its distributed trace, in place of what the client and the document say. */
export function setTraceContext(headers: HeaderMap, context: TraceContext): void {
  headers.traceparent = traceparentOf(context)
  if (context.tracestate !== undefined) headers.tracestate = context.tracestate
  else if (headers.tracestate !== undefined) delete headers.tracestate
}

/** A field that is not sent to the upstream. */
export interface DroppedField {
  readonly name: string
  readonly why: string
}

/**
 * The fields that {@link upstreamHeaders} leaves out, or sends in part.
 * @param declared the field `headers` of the action; undefined: those of the request
 * @param headers what it sends
 */
export function droppedFields(
  declared: unknown,
  { request }: Pick<Run, 'request'>,
  headers: HeaderMap,
): DroppedField[] {
  const isPassed = declared === undefined || declared === ''
  const given = isPassed ? request.headers : isMap(declared) ? declared : {}
  return Object.entries(given).flatMap(([key, value]): DroppedField[] => {
    const name = key.toLowerCase()
    const why = whyDropped(name, value, headers[name], isPassed)
    return why === undefined ? [] : [{ name, why }]
  })
}

function whyDropped(
  name: string,
  value: unknown,
  sent: HeaderMap[string] | undefined,
  isPassed: boolean,
): string | undefined {
  if (ownOfConnection.has(name)) return 'it belongs to the connection of the client'
  if (originFields.has(name)) return 'only the gateway says where a request came from'
  if (isPassed && isGatewayField(name)) return 'upstreams trust it as set by a gateway'
  if (name === 'cookie' && sent !== value) return 'the cookies of this gateway are taken out'
  const isReplaced = sent !== undefined && sent !== String(value)
  if (isReplaced && traceFields.has(name))
    return 'the gateway sends the trace context of the request'
  if (sent !== undefined) return undefined
  if (value === null || value === undefined || value === '') return 'it is empty'
  return 'the client lists it in Connection, or it describes a body that is not sent as it came'
}

/**
 * The header fields of an answer that may go on to the client.
 * @param received names in lower case; a list where a field repeats
 */
export function answerHeaders(
  received: Readonly<Record<string, string | string[] | undefined>>,
): HeaderMap {
  const { connection } = received
  const listed = namesIn(Array.isArray(connection) ? connection.join(',') : connection)
  const headers: HeaderMap = {}
  for (const name in received) {
    const value = received[name]
    if (value === undefined || ownOfConnection.has(name) || listed.includes(name)) continue
    if (name === 'set-cookie') {
      const cookies = (Array.isArray(value) ? value : [value]).filter((one) => !isOwnCookie(one))
      const [only] = cookies
      if (only !== undefined) headers[name] = cookies.length === 1 ? only : cookies
    } else if (name === '__proto__') {
      throw badGateway('the response has a header named __proto__')
    } else {
      headers[name] = Array.isArray(value) ? value.join(', ') : value
    }
  }
  return headers
}
