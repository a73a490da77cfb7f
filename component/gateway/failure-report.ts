/** Describes a failed request for the log: what failed, and where in the document; never the data of a request, nor of a callee. */
import type { Outcome } from '#component/action/action.ts'
import { reachedBy } from '#component/action/kind.ts'
import { describeError, ExpressionError, isErrorUri, ServiceError } from '#component/errors.ts'
import { SiteError } from '#component/expression/site.ts'
import { ResponseMismatch } from '#component/gateway/schemas/mismatches.ts'
import { type LoginRefusal, refusalIn } from '#component/login-refusal.ts'
import type { ProviderAnswer } from '#component/oidc-error.ts'
import type { ActionPlan, CompiledOperation, CompiledPath, Route } from './api.ts'

/** The members of the log line, beside those of every request; those of {@link ProviderAnswer} at an identity provider. */
export interface FailureReport extends ProviderAnswer {
  /** The URI of the error; absent where the document itself declares the status of a success. */
  readonly error?: string
  /** A lower-case sentence. */
  readonly reason?: string
  readonly api_spec?: string
  /** The key of the version. */
  readonly version?: string
  /** JSON Pointer of the expression, else of the operation. */
  readonly pointer?: string
  /** The text of the expression. */
  readonly expression?: string
  /** From 1, in the text at `pointer`. */
  readonly column?: number
  /** Where an answer does not fit its schema. */
  readonly mistakes?: ResponseMismatch['mistakes']
  /** What the action calls, publishes to or forwards to, where the document names it; a request may compute it. */
  readonly procedure?: string
  readonly topic?: string
  readonly upstream?: string
  /** The target of the upstream that has failed, where several may. */
  readonly target?: string
  /** Of a login at an identity provider. */
  readonly realm?: string
  /** The error of the action that `on_error` was to answer, where `on_error` itself has failed. */
  readonly action_error?: string
  /** The callee has left during the call, or it or the router has canceled it: no line has this member. */
  readonly hasLostCallee?: true
  /** A bug: whatever was thrown. */
  readonly err?: unknown
  /** The request failed because its login was refused. */
  readonly login?: LoginRefusal
}

/** The place of a path in its document. */
const placeOf = ({ version }: CompiledPath) => ({ api_spec: version.api, version: version.label })

/** The reason, and the expression that has failed. */
function detailOf(error: ServiceError): FailureReport {
  if (error instanceof ResponseMismatch) {
    return { reason: error.message, pointer: error.at, mistakes: error.mistakes }
  }
  if (!(error instanceof SiteError)) {
    return { reason: error instanceof ExpressionError ? error.detail : error.message }
  }
  const { sentence: reason, site } = error
  const expression = site.show().split('\n', 1)[0] ?? ''
  return { reason, pointer: site.path, expression, column: site.column }
}

/** Whether the log tells why an answer has this error. */
const isTold = (error: ServiceError): boolean =>
  error.status >= 500 || error instanceof ExpressionError

/** The failure of a request that has ended with an error; undefined for ordinary refusals, such as 404. */
function reportOf(error: ServiceError): FailureReport | undefined {
  const login = refusalIn(error)
  if (login === undefined && !isTold(error)) return undefined
  return { error: error.uri, ...detailOf(error), ...(login !== undefined && { login }) }
}

/** The same for a request that a route serves. */
export function reportAt(route: Route, error: ServiceError): FailureReport | undefined {
  const report = reportOf(error)
  if (report === undefined) return undefined
  const isOperation = route.kind === undefined
  const { protectedAt } = isOperation ? route.inherited : route.path.inherited
  const pointer = isOperation && report.login === undefined ? route.at : protectedAt
  // endpoints of a security object that several levels share have no place of their own
  return { ...placeOf(route.path), ...(pointer !== '' && { pointer }), ...report }
}

/** The peer of an action, where the document names it. */
function peerOf({ kind, fixed }: ActionPlan): FailureReport {
  const { reaches } = kind
  const name = reaches && reachedBy(reaches, fixed)
  return reaches && name !== undefined ? { [reaches.label]: name } : {}
}

/**
 * The failure of a request beside its action: whatever was thrown, a bug too.
 * @param operation whose answer could not be encoded, or not be sent to its end
 */
export function reportThrown(
  error: unknown,
  operation: CompiledOperation | undefined,
): FailureReport | undefined {
  if (!(error instanceof ServiceError)) return { error: 'service.error.internal', err: error }
  if (operation === undefined) return reportOf(error)
  return { ...reportAt(operation, error), ...peerOf(operation.action) }
}

/** The place and the peer of the action that has ended with the outcome: of a list the one that failed, or the last. */
function endOf(
  { at, action, steps }: CompiledOperation,
  { results = [], branch }: Outcome,
): FailureReport {
  const step = steps?.[results.length]
  const place = step ? `${at}/action/${results.length}` : at
  const { kind, branches } = step ?? action
  const found = branches?.all.find(({ name }) => branches.list || name === branch)
  if (branch === undefined || found === undefined)
    return { pointer: place, ...peerOf(step ?? action) }
  const within = `${step ? place : `${at}/action`}/${kind.branches?.field}`
  const pointer = branches?.list ? within : `${within}/${branch}`
  const [only] = found.plans
  return { pointer, ...(only && !found.isList && peerOf(only)) }
}

/** Characters of a peer's error URI in the log. */
const maxUri = 255

/** The error URI of a peer as the log has it. */
export const shortErrorUri = (uri: string): string => uri.slice(0, maxUri)

/** Why an error of a peer has a status of 500 or above. */
function reasonOf({ on_error, status_codes }: CompiledOperation, error_uri: string): string {
  if (on_error.status !== undefined) return 'on_error declares this status'
  if (isErrorUri(error_uri)) return describeError(error_uri)
  return status_codes.has(error_uri)
    ? 'status_codes gives this error its status'
    : 'the peer returned this error, and status_codes has no row for it'
}

/** What the log says of a call that its callee has left. */
const lostCallee = 'the callee left during the call, or it or the router canceled it'

/** Whether a peer has canceled what was asked of it, as routers do for a callee that leaves (WAMP: Callee Leaving During an RPC Invocation). */
const hasLostCallee = (outcome: Outcome): boolean =>
  'error' in outcome &&
  outcome.error.error_uri === 'wamp.error.canceled' &&
  outcome.reason === undefined

/** The failure of a request whose action has ended, where the log tells it: a status of 500 or above, or a callee that has left. */
export function reportOfEnd(
  operation: CompiledOperation,
  outcome: Outcome,
  status: number,
): FailureReport | undefined {
  if (!hasLostCallee(outcome)) return status < 500 ? undefined : reportAfter(operation, outcome)
  return { ...reportAfter(operation, outcome), reason: lostCallee, hasLostCallee: true }
}

/** The failure of a request whose action has ended, and whose answer has a status of 500 or above. */
export function reportAfter(operation: CompiledOperation, outcome: Outcome): FailureReport {
  const place = { ...placeOf(operation.path), ...endOf(operation, outcome) }
  if ('result' in outcome) return { ...place, reason: 'on_result declares this status' }
  const { error_uri } = outcome.error
  const reason = outcome.reason ?? reasonOf(operation, error_uri)
  const { target } = outcome
  return {
    ...place,
    ...(target !== undefined && { target }),
    ...{ error: shortErrorUri(error_uri), reason },
  }
}
