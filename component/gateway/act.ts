/** The stages in which a route acts and answers: its actions are prepared and performed, and their outcome is rendered. */
import { drop, goesOn, type Outcome, type Proof, type Run } from '#component/action/action.ts'
import { ExpressionError } from '#component/errors.ts'
import type { Context } from '#component/expression/nodes.ts'
import type { RequestChecks } from '#component/gateway/schemas/request-checks.ts'
import { checkRequest } from '#component/gateway/schemas/request-checks.ts'
import { socketReply } from '#component/gateway/sockets/socket-reply.ts'
import { callStreaming, isReturning, returnReply } from '#component/gateway/streams/call-reply.ts'
import type { Semaphore } from '#component/limits/semaphore.ts'
import { passedBy } from '#component/security/decided.ts'
import { membersOf, tokenRefusal } from '#component/security/scheme.ts'
import { credentialsOf } from '#component/syntax/http-field.ts'
import { ListFailure, type PreparedAction, prepareList } from './action-list.ts'
import type { ActionPlan, CompiledOperation } from './api.ts'
import { branchesOf } from './branches.ts'
import { withToken } from './context.ts'
import { evaluateAttempts, evaluateFields } from './evaluate.ts'
import type { Reply } from './exchange.ts'
import { failureOf } from './failure.ts'
import { answerFailure, answerTwiceFailed } from './failure-answer.ts'
import { reportOfEnd, shortErrorUri } from './failure-report.ts'
import { renderOutcome } from './response.ts'
import { type BegunAction, type Stage, stage } from './stage.ts'
import type { RequestState } from './state.ts'

/** Checks the request against its schemas. 400. */
export const schema = stage('schema', {
  enter(state) {
    const { exchange, route, bindings, content } = state
    const checked = checkRequest(checksOf(state), exchange, route, bindings, content)
    return checked instanceof Promise
      ? checked.then((values) => state.check(values))
      : state.check(checked)
  },
  facts: (state) => ({ checks: checksOf(state) }),
})

/** A route with the stage {@link schema} has them. */
const checksOf = ({ route }: RequestState) => route.checks as RequestChecks

/** Answers clients that come back to a stream of a call. */
export const resume = stage('resume', {
  enter(state) {
    const { exchange, route, type, cors } = state
    const streaming = callStreaming(route, type)
    if (streaming === undefined) return undefined
    if (isReturning(exchange, streaming)) return returnReply(route, cors, state.context)
    state.streaming = streaming
    return undefined
  },
  facts: ({ streaming }) => ({ isResumed: streaming === undefined }),
})

/** Fetches the access token of the identity provider, for actions that send it. 401, 503. */
export const token = stage('token', {
  async enter(state) {
    state.acting = await withToken(state.context, state.identity, state.inherited)
    return undefined
  },
  facts: () => ({}),
})

/** Performs the actions; those that reach a peer, once there is a slot of the version. 503. */
export const action = stage('action', {
  enter(state) {
    try {
      state.outcome = actAtOnce(state)
    } catch (error) {
      return answerFailed(state, error)
    }
    return state.outcome === undefined ? act(state, answerFailed) : undefined
  },
  facts: ({ outcome }) => ({ outcome }),
})

/** Performs an action that waits for nothing, where nobody else takes part; else undefined. @throws ExpressionError */
function actAtOnce({ route, parts, context, acting, stages, listener }: RequestState) {
  const { action, steps } = route
  const { performAtOnce } = parts.actions[action.type]
  if (performAtOnce === undefined || steps !== undefined || listener !== undefined) return undefined
  if (stages.some(isAround)) return undefined
  return performAtOnce(evaluateFields(action, acting ?? context))
}

const isAround = ({ around }: Stage): boolean => around !== undefined

/** Whether an action reaches a peer: a fixed response needs no slot. */
const needsSlot = ({ action, steps }: CompiledOperation): boolean =>
  steps ? steps.some(reachesPeer) : reachesPeer(action)

const reachesPeer = ({ kind, branches }: ActionPlan): boolean =>
  kind.reaches !== undefined || branches !== undefined

/** Renders the outcome of the actions. */
export const render = stage('render', {
  enter(state) {
    try {
      const rendered = renderOf(state)
      return rendered instanceof Promise
        ? rendered.catch((error) => answerFailed(state, error))
        : rendered
    } catch (error) {
      return answerFailed(state, error)
    }
  },
  facts: ({ outcome }) => ({
    source: outcome && ('result' in outcome ? 'on_result' : 'on_error'),
  }),
})

/**
 * Prepares and performs the actions of a route, once there is a slot where they need one, and keeps their outcome.
 * @param failed answers an error: ExpressionError, ListFailure, ServiceError; may throw it
 */
export async function act(
  state: RequestState,
  failed: (state: RequestState, error: unknown) => Reply | undefined | Promise<Reply>,
): Promise<Reply | undefined> {
  const { route } = state
  try {
    const prepared = prepareAll(state)
    if (needsSlot(route)) {
      const { pool } = route.path.version
      const { client } = state.exchange
      if (!pool.tryTake(client)) await slotOf(pool, client, state, prepared)
      try {
        state.outcome = await prepared.perform()
      } finally {
        leave(pool, client, state.outcome)
      }
    } else state.outcome = await prepared.perform()
    return undefined
  } catch (error) {
    return failed(state, error)
  }
}

/** Waits for a slot. @throws ServiceError */
async function slotOf(
  pool: Semaphore,
  client: string,
  { route, exchange, parts: { clock, pools } }: RequestState,
  { attempts, onCancel }: PreparedAction,
): Promise<void> {
  const watch = pools?.of(route.path.version)
  const begins = exchange.trace?.waits?.()
  await pool.wait({ clock, maxMs: attempts.timeout, onCancel, watch, client })
  begins?.()
}

/** Gives a slot back once what goes on after the actions is over. */
function leave(pool: Semaphore, client: string, outcome: Outcome | undefined): void {
  const onOver = outcome && goesOn(outcome)
  if (onOver) onOver(() => pool.leave(client))
  else pool.leave(client)
}

function prepareAll(state: RequestState): PreparedAction {
  const { action, steps } = state.route
  const context = state.acting ?? state.context
  if (steps === undefined) return prepare(state, action, context, wantsProgress(state))
  return prepareList(steps, (plan, progress) =>
    prepare(state, plan, { ...context, action: progress }, false),
  )
}
/** A list is not answered as a stream, and HEAD has no pieces. */
const wantsProgress = ({ streaming, exchange, wantsPieces }: RequestState): boolean =>
  wantsPieces || (streaming !== undefined && exchange.method !== 'head')

function prepare(
  state: RequestState,
  plan: ActionPlan,
  context: Context,
  wantsProgress: boolean,
  givenUp?: Run['onCancel'],
  branch?: string,
): PreparedAction {
  const { exchange, route, parts, content } = state
  const { path, inherited, streams } = route
  const { listener } = state
  const performer = parts.actions[plan.type]
  const fields = evaluateFields(plan, context)
  const attempts = evaluateAttempts(plan.attempts, context)
  // an action whose answer is kept goes on for the client that comes back
  const goesOnAlone = state.isHeld && !wantsProgress
  const onCancel: Run['onCancel'] =
    givenUp ??
    ((callback) =>
      exchange.onAbort((reason) => {
        if (reason !== undefined || !goesOnAlone) callback(reason)
      }))
  const branches =
    plan.branches &&
    ((items: readonly unknown[] | undefined) =>
      branchesOf(plan, context, items, (inner, seen, onCancel, key) =>
        prepare(state, inner, seen, false, onCancel, key),
      ))
  // the run is made when the action begins: the time limit of a body begins with its first read
  const perform = (): Promise<Outcome> =>
    performer.perform(fields, {
      target: plan.target,
      realm_uri: path.version.realm_uri,
      identity: state.identity,
      method: exchange.method,
      client: exchange.client,
      attempts,
      computed: plan.computedNames,
      rawBody:
        plan.passesBody && exchange.hasBody
          ? (content.held ?? exchange.rawBody(inherited.limits))
          : undefined,
      readsBody: plan.readsAnswer && !state.wantsPieces,
      asksGet: plan.asksGet,
      hinted: passesHints(state) ? exchange : undefined,
      proof: plan.kind.passesOn ? () => proofOf(state) : undefined,
      request: state.request,
      invocation: exchange.invocation,
      socket: state.socket,
      traceKwargs: plan.traceKwargs,
      wantsProgress,
      openBody: opensBody(state),
      streams: streams && parts.streamed.termsOf(route),
      trace: exchange.trace,
      onCancel,
      branches,
      onSent: listener && ((sent) => listener.actionSends(sent, begun)),
    })
  const begun: BegunAction = { plan, fields, branch }
  return { attempts, onCancel, perform: performing(state, begun, perform) }
}

/** Opens a body that is streamed to the action; undefined where it is not. */
function opensBody({ route, exchange, file }: RequestState): Run['openBody'] {
  const { streamedBody: terms } = route
  if (terms === undefined) return undefined
  if (terms.form) return () => file && { stream: file, length: undefined }
  return () => (exchange.hasBody ? exchange.streamedBody?.(terms) : undefined)
}

/** An action within all that it is performed under: the first stage that has something goes around all others. */
function performing(
  state: RequestState,
  begun: BegunAction,
  perform: () => Promise<Outcome>,
): () => Promise<Outcome> {
  const { listener, stages } = state
  const { plan, fields } = begun
  let within = perform
  if (listener !== undefined) {
    within = async () => {
      listener.actionBegins(begun)
      try {
        const outcome = await perform()
        listener.actionEnds(begun, outcome)
        return outcome
      } catch (error) {
        listener.actionEnds(begun, undefined, error)
        throw error
      }
    }
  }
  for (let at = stages.length - 1; at >= 0; at--) {
    const around = stages[at]?.around
    if (around === undefined) continue
    const inner = within
    within = () => around(state, plan, fields, inner)
  }
  return within
}

/** Whether 103 (Early Hints) of an upstream goes on: its answer does, as it comes, and is not kept for others. */
const passesHints = ({ route, isHeld }: RequestState): boolean =>
  route.steps === undefined && route.on_result.body === undefined && !isHeld

function renderOf(state: RequestState): Reply | Promise<Reply> {
  const { exchange, route, parts, cors, streaming, type } = state
  // the actions have ended
  const outcome = state.outcome as Outcome
  if (streaming && 'result' in outcome) {
    return parts.streamed.callReply(exchange, route, streaming, outcome, state.context, cors)
  }
  if (outcome.stream?.kind === 'websocket') return socketReply(state, outcome, outcome.stream)
  const seen = state.contextAfter(outcome)
  state.onOutcome?.(outcome, seen)
  const made =
    route.streams === undefined
      ? renderOutcome(exchange, route, outcome, seen, cors, type)
      : parts.streamed.reply(exchange, route, outcome, seen, cors, type)
  return made instanceof Promise
    ? made.then((reply) => reported(route, outcome, reply))
    : reported(route, outcome, made)
}

/** What the client has proved itself with. */
function proofOf({ exchange, identity, inherited: { protection } }: RequestState): Proof {
  if (protection === undefined) return { bearer: undefined, fields: [] }
  const [by] = passedBy(protection, identity)
  return {
    bearer:
      by?.kind.tokens === undefined
        ? undefined
        : credentialsOf(exchange.header('authorization'), 'bearer'),
    fields: membersOf(protection).flatMap(({ kind, object }) => kind.secretHeader?.(object) ?? []),
  }
}

/** An error of an action: a token of the user that an upstream's server does not take is as one that the gateway does not. */
function refusalOf(error: unknown, { identity, inherited }: RequestState): unknown {
  const [by] = inherited.protection ? passedBy(inherited.protection, identity) : []
  return by ? tokenRefusal(error, by) : error
}

/** The reply with what the log says of it: the error of the action, where it is one to the client, and the failure. */
function reported(route: CompiledOperation, outcome: Outcome, reply: Reply): Reply {
  const failure = reportOfEnd(route, outcome, reply.status)
  if ('result' in outcome || reply.status < 400) return failure ? { ...reply, failure } : reply
  const peerError = shortErrorUri(outcome.error.error_uri)
  return { ...reply, peerError, ...(failure && { failure }) }
}

/** The answer where an expression of the actions or of their answer fails. @throws every other error */
function answerFailed(state: RequestState, error: unknown): Reply | Promise<Reply> {
  const { exchange, route, context, cors, outcome } = state
  drop(outcome)
  if (error instanceof ListFailure) {
    return answerFailure(exchange, route, context, cors, error.failure, error)
  }
  if (!(error instanceof ExpressionError)) throw refusalOf(error, state)
  if (outcome === undefined || 'result' in outcome) {
    const { action: plan } = route
    const results = outcome?.results
    return answerFailure(exchange, route, context, cors, failureOf(error, plan), { plan, results })
  }
  const reply = answerTwiceFailed(exchange, route, cors, error)
  const { error_uri: action_error } = outcome.error
  return { ...reply, failure: { ...reply.failure, action_error } }
}
