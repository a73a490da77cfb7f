/** Renders an outcome: `on_result` or `on_error` ─▶ status, headers and body of the reply. */
import { Readable } from 'node:stream'
import {
  type ActionError,
  type Outcome,
  streamOf,
  type UpstreamAnswer,
} from '#component/action/action.ts'
import { ServiceError } from '#component/errors.ts'
import type { Context } from '#component/expression/nodes.ts'
import { kindOf } from '#component/expression/values.ts'
import { checkAnswer } from '#component/gateway/schemas/response-check.ts'
import { readStatus } from '#component/syntax/http-field.ts'
import { charsetOf, essenceOf, isDataType, isRange } from '#component/syntax/media-type.ts'
import { encodeReference } from '#component/syntax/percent-encoding.ts'
import type { CompiledOperation, Computed, ExtentPlan, ResponsePlan } from './api.ts'
import { withinCors } from './cors.ts'
import type { Encodings } from './encodings.ts'
import { withProblem } from './error-reply.ts'
import type { Exchange, Extent, Reply, ReplyBody } from './exchange.ts'
import { unfit } from './failure.ts'
import { applyLayers, type Headers, joinVary } from './header-layers.ts'

type ReplyHeaders = Record<string, string | readonly string[]>

/** Headers that describe the body of an upstream's answer; dropped when the body is replaced (RFC 9110 §8). */
const representation = ['etag', 'last-modified', 'accept-ranges', 'digest', 'repr-digest', 'vary']

const noContentMethods = new Set(['post', 'put', 'patch', 'delete'])

/** Whether strings and bytes are encoded like any value; under every other declared type they are sent as they are. */
const isEncoded = (type: string): boolean => {
  const essence = essenceOf(type)
  return essence === 'application/json' || essence === 'application/msgpack'
}

/**
 * The answer to a request whose action has ended.
 * @param policy the configured CORS headers; those of the specification win
 * @param negotiated the media type of a success; undefined where none was negotiated
 * @throws ExpressionError; ResponseMismatch
 */
export function renderOutcome(
  exchange: Exchange,
  operation: CompiledOperation,
  outcome: Outcome,
  context: Context,
  policy: Headers,
  negotiated: string | undefined,
): Reply | Promise<Reply> {
  const { inherited, path } = operation
  const isResult = 'result' in outcome
  const plan = isResult ? operation.on_result : operation.on_error
  const { answer } = outcome
  const isPassedOn = answer !== undefined && plan.body === undefined
  const upstream = answer && withinCors(answerHeaders(answer, isPassedOn), path.version)
  const headers = laidTogether(policy, upstream, plan.headers)
  if (isPassedOn) keepVariant(headers, answer)
  else if (path.version.languages.length > 1) headers['content-language'] ??= languageOf(context)
  applyLayers(headers as Record<string, string>, plan.layers, context)
  const location = locationOf(plan, context)
  if (location !== undefined) headers.location = location
  const value = bodyValue(operation, outcome, plan, context)
  const declared =
    statusOf(plan, context) ??
    (isResult
      ? successStatus(exchange, operation, answer, location, !isPassedOn && value === '')
      : errorStatus(operation, outcome.error, answer))
  // a part is what an upstream has cut out (RFC 9110 §15.3.7): a body of the document is whole
  const status = declared === 206 && !isPassedOn ? 200 : declared
  const body = isPassedOn
    ? passOn(answer, exchange.method === 'head')
    : render(value, headers, exchange, operation, isResult, negotiated)
  if (!isPassedOn) streamOf(outcome)?.destroy()
  if (!isResult && outcome.retryAfter !== undefined && status >= 400) {
    headers['retry-after'] ??= String(outcome.retryAfter)
  }
  const extent = isPassedOn ? undefined : evaluateExtent(plan.extent, context)
  const reply: Reply = extent
    ? { status: statusWithin(extent, body, status), headers, body, extent, operation }
    : { status, headers, body, operation }
  const checked =
    plan.check && !isPassedOn ? checkAnswer(plan.check, exchange, operation, value) : undefined
  const sent =
    !isResult && !isPassedOn && plan.body === undefined && inherited.sendsProblems
      ? withProblem(exchange, operation, outcome, reply)
      : reply
  return checked instanceof Promise ? checked.then(() => sent) : sent
}

/**
 * Three layers of headers as one object: those of the document win, then those of the upstream. V8 copies a whole object faster than its
 * members, so the largest layer is copied.
 */
function laidTogether(
  policy: Headers,
  upstream: UpstreamAnswer['headers'] | undefined,
  declared: Headers,
): ReplyHeaders {
  const headers: ReplyHeaders = { ...(upstream ?? declared) }
  if (upstream) for (const name in declared) headers[name] = declared[name] as string
  for (const name in policy) headers[name] ??= policy[name] as string
  return headers
}

/** An upstream's headers; without those of its body where this is not passed on. */
function answerHeaders(answer: UpstreamAnswer, isPassedOn: boolean): UpstreamAnswer['headers'] {
  if (isPassedOn) return answer.headers
  const kept: ReplyHeaders = {}
  for (const [name, value] of Object.entries(answer.headers)) {
    if (!name.startsWith('content-') && !representation.includes(name)) kept[name] = value
  }
  return kept
}

/** Keeps the upstream's language and `Vary`; declared headers add to `Vary`. */
function keepVariant(headers: ReplyHeaders, { headers: upstream }: UpstreamAnswer): void {
  const language = upstream['content-language']
  if (language !== undefined) headers['content-language'] = language
  if (upstream.vary !== undefined) {
    headers.vary = joinVary(String(upstream.vary), String(headers.vary))
  }
}

const languageOf = ({ request }: Context): string =>
  (request as { readonly language: string }).language

/** The declared status; undefined when there is none. */
export function statusOf({ status }: ResponsePlan, context: Context): number | undefined {
  if (typeof status !== 'object') return status
  const code = readStatus(status.node.evaluate(context))
  if (code !== undefined) return code
  throw unfit(status.node, status.path, 'an HTTP status from 200 to 599')
}

/** Where a body stands in the whole; undefined: the document does not tell it. @throws ExpressionError */
export function evaluateExtent(plan: ExtentPlan | undefined, context: Context): Extent | undefined {
  if (plan === undefined) return undefined
  const { first, length } = plan
  return { first: first && bytesOf(first, context), length: length && bytesOf(length, context) }
}

function bytesOf({ node, path }: Computed, context: Context): number {
  const value = node.evaluate(context)
  if (Number.isSafeInteger(value) && Number(value) >= 0) return Number(value)
  throw unfit(node, path, 'a number of bytes')
}

/** The status of a body that may be a part. @throws ServiceError 500 where it has no bytes that could be one */
function statusWithin({ first = 0, length }: Extent, body: ReplyBody, status: number): number {
  if (body.kind !== 'bytes' && body.kind !== 'none') {
    const message = 'expected a text or bytes as a body with first or length'
    throw new ServiceError('service.error.response_mismatch', message)
  }
  const size = body.kind === 'bytes' ? Buffer.byteLength(body.bytes) : 0
  const isWhole = first === 0 && (length ?? size) === size
  return status === 200 && !isWhole ? 206 : status
}

function locationOf({ uri }: ResponsePlan, context: Context): string | undefined {
  if (uri === undefined) return undefined
  const value = uri.node.evaluate(context)
  const location = typeof value === 'string' ? encodeReference(value) : undefined
  if (location === undefined) {
    throw unfit(uri.node, uri.path, 'a URI reference without line breaks')
  }
  return location === '' ? undefined : location
}

/** The body as a value; `""` when there is no body, or when it is passed on. */
export function bodyValue(
  { action }: CompiledOperation,
  outcome: Outcome,
  { body }: ResponsePlan,
  context: Context,
): unknown {
  if (body !== undefined) return body.evaluate(context)
  if ('result' in outcome) return action.kind.answers ? outcome.result.body : ''
  const { error_uri, args, kwargs, details } = outcome.error
  return { error_uri, args, kwargs, details }
}

/** The default status of a success (behaviour §4, first point). */
function successStatus(
  { method }: Exchange,
  { action }: CompiledOperation,
  answer: UpstreamAnswer | undefined,
  location: string | undefined,
  isEmpty: boolean,
): number {
  if (method === 'post' && location !== undefined) return 201
  if (answer !== undefined) return answer.status_code
  return isEmpty && noContentMethods.has(method) && action.type !== 'none' ? 204 : 200
}

/** The error of an upstream's status has no row of its own, so that the status holds unless the specification adds a row. */
const errorStatus = (
  { status_codes }: CompiledOperation,
  { error_uri }: ActionError,
  answer: UpstreamAnswer | undefined,
): number => status_codes.get(error_uri) ?? answer?.status_code ?? 500

function passOn({ body, length }: UpstreamAnswer, isHead: boolean): ReplyBody {
  if (!(body instanceof Uint8Array)) return { kind: 'stream', stream: body, length }
  // an answer to HEAD declares the length of the body that GET would have (RFC 9110 §9.3.2), which is here where the upstream was asked with GET
  if (isHead && body.length === 0) return { kind: 'stream', stream: Readable.from([]), length }
  return body.length > 0 ? { kind: 'bytes', bytes: body } : { kind: 'none' }
}

const json = 'application/json'
/** What any value can be encoded as. */
const dataTypes = [json, 'application/msgpack']

const isRaw = (value: unknown): value is string | Uint8Array =>
  typeof value === 'string' || value instanceof Uint8Array

/** @param negotiated the media type of a success; undefined where none was negotiated */
function render(
  value: unknown,
  headers: ReplyHeaders,
  exchange: Exchange,
  { inherited: { provides }, encodings: ofSuccess }: CompiledOperation,
  isResult: boolean,
  negotiated: string | undefined,
): ReplyBody {
  if (value === '') return { kind: 'none' }
  const encodings = isResult ? ofSuccess : undefined
  const declared = headers['content-type']
  if (typeof declared === 'string') {
    return isRaw(value) && !isEncoded(declared)
      ? { kind: 'bytes', bytes: value }
      : valueBody(value, declared, encodings)
  }
  const type = (isResult ? negotiated : undefined) ?? exchange.negotiate(provides) ?? json
  if (type === json || isDataType(essenceOf(type))) return valueBody(value, type, encodings)
  if (isRaw(value) && !isRange(type)) {
    headers['content-type'] = typeof value === 'string' ? withCharset(type) : type
    return { kind: 'bytes', bytes: value }
  }
  if (isResult) throw mismatch(type, value)
  // an error that is neither text nor bytes
  return valueBody(value, exchange.negotiate(dataTypes) ?? json, undefined)
}

/** The type of a text, which leaves in UTF-8. */
const withCharset = (type: string): string =>
  type.startsWith('text/') && charsetOf(type) === undefined ? `${type}; charset=utf-8` : type

/** The value of a success that the only type of its answer cannot hold. */
const mismatch = (type: string, value: unknown): ServiceError =>
  new ServiceError(
    'service.error.response_mismatch',
    isRange(type)
      ? `the body has no type: the content-type of ${type} is declared by the headers of on_result`
      : `expected a text or bytes as a body of type ${type}, got ${kindOf(value)}`,
  )

const valueBody = (value: unknown, type: string, encodings: Encodings | undefined): ReplyBody =>
  encodings ? { kind: 'value', value, type, encodings } : { kind: 'value', value, type }
