/** The reply to a request that cannot be answered as declared: `{code, message, description}` or a problem, and the route's headers. */
import type { Outcome } from '#component/action/action.ts'
import {
  describeError,
  type ErrorHeaders,
  type Issue,
  isErrorUri,
  type ServiceError,
} from '#component/errors.ts'
import { PassedAnswer } from '#component/security/passed-answer.ts'
import type { CompiledOperation, InheritedValues, Route } from './api.ts'
import { withinCors } from './cors.ts'
import type { Exchange, Reply, ReplyBody } from './exchange.ts'
import { reportAt } from './failure-report.ts'
import { type Headers, joinVary, layOver } from './header-layers.ts'

const problemType = 'application/problem+json'

type FailedOutcome = Extract<Outcome, { readonly error: unknown }>

/** Errors are negotiated, even where the answers of the route are not. */
const varies: Headers = { vary: 'Accept' }

/** RFC 9457 §3.1, with our own members as extensions (§3.2): for clients that prefer it where the document declares nothing. */
const preferredProblem = (error: ServiceError, status: number): object => ({
  title: describeError(error.uri),
  status,
  detail: error.message,
  ...error.toJSON(),
})

/** What a problem tells beside the request. */
interface Told {
  readonly code: string
  readonly title: string
  readonly status: number
  readonly detail: string | undefined
}

/** UUIDs; a proxy may give a request another id, which is no URN. */
const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i

/** RFC 9457 §3.1, of an operation with `errors: problem`. */
function problemOf(
  { id }: Pick<Exchange, 'id'>,
  { path }: CompiledOperation,
  { code, title, status, detail }: Told,
): object {
  const { problemBase } = path.version
  return {
    ...(problemBase !== undefined && {
      type: problemBase + encodeURIComponent(code.toWellFormed()),
    }),
    title,
    status,
    ...(detail !== undefined && { detail }),
    ...(uuid.test(id) && { instance: `urn:uuid:${id.toLowerCase()}` }),
    code,
  }
}

/** A mistake as RFC 9457 §3 shows it: its place is a JSON Pointer as a URI fragment (RFC 6901 §6). */
const mistakeOf = ({ path, message }: Issue) => ({
  pointer: `#${path.toWellFormed().split('/').map(encodeURIComponent).join('/')}`,
  detail: message,
})

/** The problem of an error that the gateway makes at an operation with `errors: problem`. */
export function problemOfError(
  exchange: Pick<Exchange, 'id'>,
  operation: CompiledOperation,
  error: ServiceError,
  status: number,
): object {
  const { code, description: title, message: detail, details } = error.toJSON()
  const problem = problemOf(exchange, operation, { code, title, status, detail })
  return details ? { ...problem, errors: details.map(mistakeOf) } : problem
}

/** The problem of a failed action. What a callee sends with its error is kept. */
function problemOfAction(
  exchange: Exchange,
  operation: CompiledOperation,
  { error, reason }: FailedOutcome,
  status: number,
): object {
  const { error_uri: code, args, kwargs } = error
  const title = isErrorUri(code) ? describeError(code) : code
  const message = reason ?? kwargs.message
  const detail = typeof message === 'string' ? message : undefined
  const problem = problemOf(exchange, operation, { code, title, status, detail })
  return reason === undefined ? { ...problem, args, kwargs } : problem
}

/** Whether the client takes problems. */
const takesProblems = (exchange: Exchange): boolean =>
  exchange.negotiate([problemType]) !== undefined

/**
 * The answer to a failed action of an operation with `errors: problem`, where `on_error` declares no body.
 * @param plain the same answer without it, for clients that refuse problems
 */
export function withProblem(
  exchange: Exchange,
  operation: CompiledOperation,
  outcome: FailedOutcome,
  plain: Reply,
): Reply {
  const vary = joinVary(String(plain.headers.vary ?? ''), 'Accept')
  const headers: Reply['headers'] = { ...plain.headers, vary }
  if (!takesProblems(exchange)) return { ...plain, headers }
  // a declared type is that of other answers
  const { 'content-type': _own, ...others } = headers
  const value = problemOfAction(exchange, operation, outcome, plain.status)
  return { ...plain, headers: others, body: { kind: 'value', value, type: problemType } }
}

/** The headers of an error among those of an answer: they may name the type of another body. */
export function errorHeaders({ headers }: { readonly headers: Headers }): Headers {
  const { 'content-type': _own, ...others } = headers
  return others
}

/** Names in lower case. */
function lowerCase(headers: ErrorHeaders): ErrorHeaders {
  const result: Record<string, string | readonly string[]> = {}
  for (const [name, value] of Object.entries(headers)) result[name.toLowerCase()] = value
  return result
}

/**
 * Renders an error after a path has matched. It carries the load-time headers of the path, so that browsers can read a 401.
 * @param policy the configured CORS headers; those of the specification win
 * @param declared the headers of the specification for this answer, and its status where the specification sets one
 */
export function errorReply(
  exchange: Exchange,
  route: Route,
  inherited: InheritedValues,
  policy: Headers,
  error: ServiceError,
  declared: { readonly status?: number | undefined; readonly headers: Headers } = route.path,
): Reply {
  if (error instanceof PassedAnswer) return passedReply(route, policy, error)
  const { path } = route
  const status = declared.status ?? error.status
  const { languages } = path.version
  const language = languages.length > 1 && {
    'content-language': exchange.negotiateLanguage(languages),
  }
  const headers = layOver({ ...policy, ...varies, ...language }, errorHeaders(declared))
  return {
    status,
    headers: { ...headers, ...lowerCase(error.headers) },
    body: bodyOf(exchange, route, inherited, error, status),
    error,
    failure: reportAt(route, error),
  }
}

/** The answer of another service that refuses a request, and the load-time headers of the path. */
function passedReply(route: Route, policy: Headers, error: PassedAnswer): Reply {
  const { status, body } = error.answer
  const headers = withinCors(error.answer.headers, route.path.version)
  return {
    status,
    headers: { ...layOver(policy, errorHeaders(route.path)), ...headers },
    body: body.length > 0 ? { kind: 'bytes', bytes: body } : { kind: 'none' },
    error,
    failure: reportAt(route, error),
  }
}

function bodyOf(
  exchange: Exchange,
  route: Route,
  inherited: InheritedValues,
  error: ServiceError,
  status: number,
): ReplyBody {
  if (route.kind === undefined && inherited.sendsProblems && takesProblems(exchange)) {
    const value = problemOfError(exchange, route, error, status)
    return { kind: 'value', value, type: problemType }
  }
  const type = exchange.negotiate(inherited.errorTypes) ?? 'application/json'
  const value = type === problemType ? preferredProblem(error, status) : error.toJSON()
  return { kind: 'value', value, type }
}
