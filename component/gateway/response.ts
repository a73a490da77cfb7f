/** Renders an outcome: `on_result` or `on_error` ─▶ status, headers and body of the reply. */
import { Readable } from 'node:stream'
import type { ActionError, Outcome, UpstreamAnswer } from '#component/action/outcome.ts'
import { ExpressionError } from '#component/errors.ts'
import type { Context } from '#component/expression/scope.ts'
import { headerValueProblem } from '#component/spec/syntax.ts'
import { readStatus } from '#component/syntax/http-field.ts'
import type { CompiledOperation, ResponsePlan } from './api.ts'
import type { Encodings } from './encodings.ts'
import type { Exchange, Reply, ReplyBody } from './exchange.ts'
import { applyLayers, type Headers } from './header-layers.ts'

type ReplyHeaders = Record<string, string | readonly string[]>

/** What describes the body of an upstream's answer, and goes when the body is replaced (RFC 9110 §8). */
const representation = ['etag', 'last-modified', 'accept-ranges', 'digest', 'repr-digest', 'vary']

const noContentMethods = new Set(['post', 'put', 'patch', 'delete'])

/** Media type without parameters, lower case. */
function essenceOf(type: string): string {
  const end = type.indexOf(';')
  return (end < 0 ? type : type.slice(0, end)).trim().toLowerCase()
}

/** Types that a string and bytes are encoded in like any value; under every other declared type they go out as they are. */
const isEncoded = (type: string): boolean => {
  const essence = essenceOf(type)
  return essence === 'application/json' || essence === 'application/msgpack'
}

/**
 * What a request that has been carried out is answered.
 * @param policy the configured CORS headers, under what the specification declares
 * @param negotiated the media type of a success; undefined where none was negotiated
 */
export function renderOutcome(
  exchange: Exchange,
  operation: CompiledOperation,
  outcome: Outcome,
  context: Context,
  policy: Headers,
  negotiated: string | undefined,
): Reply {
  const { inherited, path } = operation
  const isResult = 'result' in outcome
  const plan = isResult ? operation.on_result : operation.on_error
  const { answer } = outcome
  const isPassedOn = answer !== undefined && plan.body === undefined
  const headers: ReplyHeaders = { ...policy, ...answerHeaders(answer, isPassedOn), ...plan.headers }
  if (isPassedOn) keepVariant(headers, answer)
  if (path.version.languages.length > 1) headers['content-language'] ??= languageOf(context)
  applyLayers(headers as Record<string, string>, plan.layers, context)
  const location = locationOf(plan, context)
  if (location !== undefined) headers.location = location
  const value = bodyValue(operation, outcome, plan, context)
  const status =
    statusOf(plan, context) ??
    (isResult
      ? successStatus(exchange, operation, answer, location, !isPassedOn && value === '')
      : errorStatus(operation, outcome.error, answer))
  const type = isResult ? negotiated : undefined
  const body = isPassedOn
    ? passOn(answer, exchange.method === 'head')
    : render(
        value,
        headers,
        () => type ?? exchange.negotiate(inherited.provides),
        isResult ? operation.encodings : undefined,
      )
  if (answer !== undefined && !isPassedOn) discard(answer)
  return { status, headers, body, route: path.pattern }
}

/** Ends an upstream's body that nobody is going to read. */
export function discard(answer: UpstreamAnswer | undefined): void {
  if (answer?.body instanceof Readable) answer.body.destroy()
}

/** An upstream's headers; those of its body only together with it. */
function answerHeaders(
  answer: UpstreamAnswer | undefined,
  isPassedOn: boolean,
): UpstreamAnswer['headers'] | undefined {
  if (answer === undefined || isPassedOn) return answer?.headers
  const kept: ReplyHeaders = {}
  for (const [name, value] of Object.entries(answer.headers)) {
    if (!name.startsWith('content-') && !representation.includes(name)) kept[name] = value
  }
  return kept
}

/** An upstream knows best which of its variants this is; what is declared adds to what it varies by. */
function keepVariant(headers: ReplyHeaders, { headers: upstream }: UpstreamAnswer): void {
  const language = upstream['content-language']
  if (language !== undefined) headers['content-language'] = language
  const { vary } = headers
  // what is declared lies over the upstream's; equal texts are the upstream's alone
  if (upstream.vary !== undefined && vary !== upstream.vary) {
    headers.vary = `${String(upstream.vary)}, ${String(vary)}`
  }
}

const languageOf = ({ request }: Context): string =>
  (request as { readonly language: string }).language

function statusOf({ status }: ResponsePlan, context: Context): number | undefined {
  if (typeof status !== 'object') return status
  const code = readStatus(status.node.evaluate(context))
  if (code !== undefined) return code
  throw new ExpressionError(`${status.path}: expected an HTTP status from 200 to 599`)
}

function locationOf({ uri }: ResponsePlan, context: Context): string | undefined {
  if (uri === undefined) return undefined
  const value = uri.node.evaluate(context)
  if (typeof value !== 'string' || headerValueProblem(value) !== undefined) {
    throw new ExpressionError(`${uri.path}: expected a URI reference without control characters`)
  }
  return value === '' ? undefined : value
}

/** The body as a value; `""` is none. What is passed on has no value. */
function bodyValue(
  { action }: CompiledOperation,
  outcome: Outcome,
  { body }: ResponsePlan,
  context: Context,
): unknown {
  if (body !== undefined) return body.evaluate(context)
  if ('result' in outcome) return action.type === 'static' ? outcome.result.body : ''
  const { error_uri, args, kwargs, details } = outcome.error
  return { error_uri, args, kwargs, details }
}

/** Behaviour, Actions and answers: the first point. */
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

/** An upstream's own status has no row, so that it holds unless the specification gives it one. */
const errorStatus = (
  { status_codes }: CompiledOperation,
  { error_uri }: ActionError,
  answer: UpstreamAnswer | undefined,
): number => status_codes.get(error_uri) ?? answer?.status_code ?? 500

function passOn({ body, length }: UpstreamAnswer, isHead: boolean): ReplyBody {
  if (!(body instanceof Uint8Array)) return { kind: 'stream', stream: body, length }
  // the length that a body would have had is told although there is none (RFC 9110 §9.3.2)
  if (isHead) return { kind: 'stream', stream: Readable.from([]), length }
  return body.length > 0 ? { kind: 'bytes', bytes: body } : { kind: 'none' }
}

function render(
  value: unknown,
  headers: ReplyHeaders,
  negotiate: () => string | undefined,
  encodings: Encodings | undefined,
): ReplyBody {
  if (value === '') return { kind: 'none' }
  const declared = headers['content-type']
  if (typeof declared !== 'string') {
    return valueBody(value, negotiate() ?? 'application/json', encodings)
  }
  const isRaw = typeof value === 'string' || value instanceof Uint8Array
  return isRaw && !isEncoded(declared)
    ? { kind: 'bytes', bytes: value }
    : valueBody(value, declared, encodings)
}

const valueBody = (value: unknown, type: string, encodings: Encodings | undefined): ReplyBody =>
  encodings ? { kind: 'value', value, type, encodings } : { kind: 'value', value, type }
