/** The stages in which a procedure acts, and its outcome becomes a YIELD or an ERROR. */
import type { ActionError, Outcome } from '#component/action/action.ts'
import { ExpressionError, isErrorUri } from '#component/errors.ts'
import type { Context } from '#component/expression/nodes.ts'
import { act } from '#component/gateway/act.ts'
import { ListFailure } from '#component/gateway/action-list.ts'
import type { CompiledOperation } from '#component/gateway/api.ts'
import type { Reply } from '#component/gateway/exchange.ts'
import { failureOf, unfit } from '#component/gateway/failure.ts'
import { actionErrorOf } from '#component/gateway/failure-answer.ts'
import { reportAfter } from '#component/gateway/failure-report.ts'
import type { ProcedurePlan, YieldPlan } from '#component/gateway/procedure-plan.ts'
import { stage } from '#component/gateway/stage.ts'
import type { RequestState } from '#component/gateway/state.ts'
import { isMap } from '#component/syntax/values.ts'
import { isUri } from '#component/syntax/wamp-uri.ts'
import { planOf } from './caller.ts'
import { uriOfError, uriOfStatus } from './error-uris.ts'
import { yieldType } from './invocation.ts'

/** The arguments of a YIELD or an ERROR. */
export interface Yielded {
  readonly args: readonly unknown[]
  readonly kwargs: Readonly<Record<string, unknown>>
  /** Of an ERROR. */
  readonly error_uri?: string
}

/** Performs the actions. */
export const invoke = stage('action', {
  async enter(state) {
    try {
      state.outcome = await act(state)
    } catch (error) {
      state.outcome = failedBy(error, state)
    }
    return undefined
  },
  facts: ({ outcome }) => ({ outcome }),
})

/** An expression that fails is as an action that does. @throws every other error */
function failedBy(error: unknown, { route }: RequestState): Outcome {
  if (error instanceof ListFailure) {
    const { failure, plan, results } = error
    return { ...outcomeOf(failure, route, plan), results }
  }
  if (error instanceof ExpressionError) return outcomeOf(failureOf(error, route.action), route)
  throw error
}

const outcomeOf = (
  failure: ExpressionError,
  { action }: CompiledOperation,
  plan = action,
): Outcome => ({ error: actionErrorOf(failure, plan), reason: failure.message, effect: 'none' })

/** Makes the answer of the outcome. */
export const yielding = stage('render', {
  enter(state) {
    const outcome = state.outcome as Outcome
    const seen = state.contextAfter(outcome)
    if ('error' in outcome) return errorOf(state, outcome, seen)
    try {
      const yielded = resultOf(planOf(state), outcome.result, seen)
      state.onOutcome?.(outcome, seen)
      return replyOf(yielded, 200, outcome.answer?.headers)
    } catch (error) {
      if (!(error instanceof ExpressionError)) throw error
      const failed = outcomeOf(failureOf(error, state.route.action), state.route)
      return errorOf(state, failed, state.contextAfter(failed))
    }
  },
  facts: ({ outcome }) => ({
    source: outcome && ('result' in outcome ? 'on_result' : 'on_error'),
  }),
})

type Failed = Extract<Outcome, { readonly error: unknown }>

function errorOf(state: RequestState, outcome: Outcome, seen: Context): Reply {
  const { route } = state
  const { error, retryAfter } = outcome as Failed
  const status = statusOf(outcome as Failed, route)
  const headers = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }
  const yielded = refusalOf(planOf(state), outcome as Failed, seen)
  const reply = replyOf(yielded, status, headers)
  if (status < 500 && !isOfExpression(error)) return reply
  return { ...reply, failure: reportAfter(route, outcome) }
}

const isOfExpression = ({ error_uri }: ActionError): boolean =>
  error_uri.startsWith('service.error.http_gateway.invalid_')

const statusOf = ({ error, answer }: Failed, { status_codes }: CompiledOperation): number =>
  answer?.status_code ?? Math.max(status_codes.get(error.error_uri) ?? 500, 400)

const replyOf = (value: Yielded, status: number, headers: Reply['headers'] = {}): Reply => ({
  ...{ status, headers },
  body: { kind: 'value', value, type: yieldType },
})

const none: readonly unknown[] = []

/** What the result is without `on_result`: the body of an answer, or the arguments of a peer. */
function plainResult(result: Readonly<Record<string, unknown>>): Yielded {
  if ('body' in result) return { args: [result.body], kwargs: {} }
  const { args, kwargs } = result
  return { args: Array.isArray(args) ? args : none, kwargs: isMap(kwargs) ? kwargs : {} }
}

function resultOf(
  { on_result }: ProcedurePlan,
  result: Readonly<Record<string, unknown>>,
  seen: Context,
): Yielded {
  const isDeclared = on_result.args !== undefined || on_result.kwargs !== undefined
  return declared(on_result, isDeclared ? { args: none, kwargs: {} } : plainResult(result), seen)
}

/** The declared arguments over others. */
function declared({ args, kwargs }: YieldPlan, plain: Yielded, seen: Context): Yielded {
  const list = args ? args.node.evaluate(seen) : plain.args
  if (!Array.isArray(list)) throw unfit(args?.node as never, args?.path ?? '', 'a list')
  const map = kwargs ? kwargs.node.evaluate(seen) : plain.kwargs
  if (!isMap(map)) throw unfit(kwargs?.node as never, kwargs?.path ?? '', 'a map')
  return { args: list, kwargs: map }
}

/** What an error is without `on_error`: that of the peer, or of the upstream and its body. */
function plainError({ error, reason, answer }: Failed): Yielded {
  const { args, kwargs, status_code, body } = error
  if (answer) return { args: [reason ?? ''], kwargs: { status_code, body } }
  return reason === undefined ? { args, kwargs } : { args: [reason], kwargs }
}

function refusalOf(plan: ProcedurePlan, failed: Failed, seen: Context): Yielded {
  const { on_error, errorUris } = plan
  const { error, answer } = failed
  const uri = on_error.uri
    ? readUri(on_error.uri, seen)
    : answer
      ? uriOfStatus(answer.status_code, errorUris)
      : isErrorUri(error.error_uri)
        ? uriOfError(error.error_uri)
        : error.error_uri
  return { ...declared(on_error, plainError(failed), seen), error_uri: uri }
}

function readUri({ node, path }: NonNullable<ProcedurePlan['on_error']['uri']>, seen: Context) {
  const uri = node.evaluate(seen)
  if (typeof uri === 'string' && isUri(uri)) return uri
  throw unfit(node, path, 'a WAMP URI')
}
