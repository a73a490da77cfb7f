/** The answer to a request whose expression has failed: what `on_error` and `status_codes` declare for it. */
import { type ActionError, errorOf } from '#component/action/action.ts'
import { withAliases } from '#component/action/wamp-fields.ts'
import { ExpressionError, type ServiceError } from '#component/errors.ts'
import type { Context } from '#component/expression/nodes.ts'
import type { ActionPlan, CompiledOperation } from './api.ts'
import { errorReply } from './error-reply.ts'
import type { Exchange, Reply } from './exchange.ts'
import { reportAt } from './failure-report.ts'
import { applyLayers, type Headers } from './header-layers.ts'
import { renderOutcome, statusOf } from './response.ts'

/** `action.error` of a failed expression; a forward has its four keys more (behaviour §4). */
export function actionErrorOf(error: ServiceError, { kind }: ActionPlan): ActionError {
  const ofForward = { status_code: error.status, headers: {}, body: '', uri: '' }
  return withAliases({
    ...errorOf(error.uri, error.message),
    ...(kind.passesOn && ofForward),
  })
}

/** Where an expression has failed. */
interface Failed {
  /** Its action, or the last one of the operation. */
  readonly plan: ActionPlan
  /** Of a list of actions: the results until then. */
  readonly results: readonly unknown[] | undefined
}

/**
 * The answer to a failed expression: what `on_error` declares, which sees the failure as that of the action. A body that it
 * does not declare is that of any error of the gateway.
 */
export function answerFailure(
  exchange: Exchange,
  route: CompiledOperation,
  context: Context,
  policy: Headers,
  failure: ExpressionError,
  { plan, results }: Failed,
): Reply | Promise<Reply> {
  const { inherited, on_error } = route
  const error = actionErrorOf(failure, plan)
  const seen: Context = { ...context, action: { error, results } }
  const named = (reply: Reply): Reply => ({
    ...reply,
    error: failure,
    failure: reportAt(route, failure),
  })
  const failedTwice = (second: unknown): Reply => {
    if (!(second instanceof ExpressionError)) throw second
    second.cause = failure
    return answerTwiceFailed(exchange, route, policy, second)
  }
  try {
    if (on_error.body !== undefined) {
      const reply = renderOutcome(exchange, route, { error }, seen, policy, undefined)
      return reply instanceof Promise ? reply.then(named).catch(failedTwice) : named(reply)
    }
    const headers = { ...on_error.headers }
    applyLayers(headers, on_error.layers, seen)
    const status = statusOf(on_error, seen) ?? route.status_codes.get(failure.uri)
    return errorReply(exchange, route, inherited, policy, failure, { status, headers })
  } catch (second) {
    return failedTwice(second)
  }
}

/** The answer when an expression of `on_error` itself fails. */
export function answerTwiceFailed(
  exchange: Exchange,
  route: CompiledOperation,
  policy: Headers,
  failure: ExpressionError,
): Reply {
  const { path, inherited, status_codes } = route
  const declared = { status: status_codes.get(failure.uri), headers: path.headers }
  return errorReply(exchange, route, inherited, policy, failure, declared)
}
