/** The stages in which a procedure acts, and its outcome becomes a YIELD or an ERROR. */
import {
  type ActionError,
  badGateway,
  type CallStream,
  type Outcome,
  streamOf,
  type UpstreamAnswer,
} from '#component/action/action.ts'
import { withAliases } from '#component/action/wamp-fields.ts'
import { ExpressionError, isErrorUri, ServiceError } from '#component/errors.ts'
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
import { essenceOf, isJsonType } from '#component/syntax/media-type.ts'
import { isMap } from '#component/syntax/values.ts'
import { isUri } from '#component/syntax/wamp-uri.ts'
import { planOf } from './caller.ts'
import { uriOfError, uriOfStatus } from './error-uris.ts'
import { type InvocationExchange, yieldType } from './invocation.ts'
import { isListed, piecesOf } from './pieces.ts'

/** The arguments of a YIELD or an ERROR. */
export interface Yielded {
  readonly args: readonly unknown[]
  readonly kwargs: Readonly<Record<string, unknown>>
  /** Of an ERROR. */
  readonly error_uri?: string
}

/** Performs the actions. */
export const invoke = stage('action', {
  enter: (state) => act(state, takeFailure),
  facts: ({ outcome }) => ({ outcome }),
})

/** An expression that fails is as an action that does. @throws every other error */
function takeFailure(state: RequestState, error: unknown): undefined {
  state.outcome = failedBy(error, state)
}

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
    const { on_progress } = planOf(state)
    const { stream } = outcome
    if (on_progress && stream?.kind === 'call') return passedOn(state, stream, on_progress)
    if (on_progress && outcome.answer) return inPieces(state, outcome, on_progress)
    return rendered(state, outcome)
  },
  facts: ({ outcome }) => ({
    source: outcome && ('result' in outcome ? 'on_result' : 'on_error'),
  }),
})

/** The answer of an outcome that is there as a whole. */
function rendered(state: RequestState, outcome: Outcome): Reply {
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
}

/** Sends the pieces of an upstream's body to a caller who wants them; for others they are a list. */
async function inPieces(
  state: RequestState,
  outcome: Outcome,
  on_progress: YieldPlan,
): Promise<Reply> {
  const { body, headers } = outcome.answer as UpstreamAnswer
  const chunks = body instanceof Uint8Array ? [body] : (body as AsyncIterable<Uint8Array>)
  if ('error' in outcome) {
    if (!state.wantsPieces) return rendered(state, outcome)
    const read = await wholeOf(headers, chunks)
    return rendered(state, { ...outcome, error: { ...outcome.error, body: read } })
  }
  if (!state.wantsPieces) {
    if (!isListed(headers)) return rendered(state, outcome)
    const all: unknown[] = []
    for await (const { data } of piecesOf(headers, chunks)) all.push(data)
    return rendered(state, { ...outcome, result: { ...outcome.result, body: all } })
  }
  const { sendPiece } = state.exchange as InvocationExchange
  try {
    for await (const piece of piecesOf(headers, chunks)) {
      const seen = { ...state.context, action: { progress: piece } }
      const sent = sendPiece(declared(on_progress, { args: [piece.data], kwargs: {} }, seen))
      if (sent !== undefined) await sent
    }
  } finally {
    streamOf(outcome)?.destroy()
  }
  const { on_result } = planOf(state)
  if (on_result.args === undefined && on_result.kwargs === undefined)
    return replyOf({ args: none, kwargs: {} }, 200)
  return rendered(state, outcome)
}

/**
 * Passes the progressive results of a callee on, and answers as its answer says. No message tells a callee to wait: the call is given up
 * where a result comes while the session has more than `limits.call_buffer` to send.
 */
async function passedOn(
  state: RequestState,
  stream: CallStream,
  on_progress: YieldPlan,
): Promise<Reply> {
  const { sendPiece } = state.exchange as InvocationExchange
  let failure: unknown
  let isFull = false
  let number = 0
  const hasRoom = () => {
    isFull = false
  }
  stream.begin({
    onPiece({ args, kwargs, details }) {
      number += 1
      try {
        if (isFull) throw tooFast()
        const progress = withAliases({ number, args, kwargs, details })
        const seen = { ...state.context, action: { progress } }
        const sent = sendPiece(declared(on_progress, { args, kwargs }, seen))
        if (sent === undefined) return
        isFull = true
        void sent.then(hasRoom, hasRoom)
      } catch (error) {
        failure = error
        stream.cancel()
      }
    },
    onOutcome() {
      // it is awaited below, also where the caller has gone
    },
  })
  const last = await new Promise<Outcome>((resolve) => stream.onSettled(resolve))
  if (failure !== undefined) throw failure
  return rendered(state, last)
}

const tooFast = () =>
  new ServiceError(
    'service.error.unavailable',
    'progressive results come faster than the router takes them',
  )

/** Bytes of an error's body that are read. */
const mostOfError = 1_048_576

/** The body of an error: JSON where it is that, else a text. */
async function wholeOf(
  headers: UpstreamAnswer['headers'],
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<unknown> {
  let text = ''
  const decoder = new TextDecoder()
  for await (const chunk of chunks) {
    text += decoder.decode(chunk, { stream: true })
    if (text.length > mostOfError) throw badGateway('the body of the error is too large')
  }
  if (!isJsonType(essenceOf(String(headers['content-type'] ?? '')))) return text
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

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
  const plain = plainError(failed)
  // an error that callers know by another name has that name everywhere
  const kwargs =
    plain.kwargs.code === error.error_uri ? { ...plain.kwargs, code: uri } : plain.kwargs
  return { ...declared(on_error, { ...plain, kwargs }, seen), error_uri: uri }
}

function readUri({ node, path }: NonNullable<ProcedurePlan['on_error']['uri']>, seen: Context) {
  const uri = node.evaluate(seen)
  if (typeof uri === 'string' && isUri(uri)) return uri
  throw unfit(node, path, 'a WAMP URI')
}
