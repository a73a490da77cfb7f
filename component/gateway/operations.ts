/** Serves operations of a document: admit ─▶ secure ─▶ negotiate ─▶ look up ─▶ read ─▶ check ─▶ evaluate ─▶ act ─▶ respond. */
import {
  type Action,
  type ActionFields,
  drop,
  goesOn,
  type HeldBody,
  type Outcome,
  type Run,
} from '#component/action/action.ts'
import type { ActionType } from '#component/action/kinds.ts'
import type { PoolWatch } from '#component/action/watching/pool-metrics.ts'
import type { Clock } from '#component/clock.ts'
import { ExpressionError } from '#component/errors.ts'
import type { Context } from '#component/expression/nodes.ts'
import type { Negotiated } from '#component/gateway/policies/cache-key.ts'
import type { FillRun } from '#component/gateway/policies/caching.ts'
import type { Passage } from '#component/gateway/policies/passage.ts'
import { checkRequest } from '#component/gateway/schemas/request-checks.ts'
import {
  callReply,
  callStreaming,
  isReturning,
  returnReply,
} from '#component/gateway/streams/call-reply.ts'
import { CallStreams } from '#component/gateway/streams/call-streams.ts'
import { type StreamedPorts, StreamedReplies } from '#component/gateway/streams/streamed-replies.ts'
import type { Identity } from '#component/identity.ts'
import { type Schemes, schemeOf } from '#component/security/scheme.ts'
import { ListFailure, type PreparedAction, prepareList } from './action-list.ts'
import type { ActionPlan, CompiledOperation, CompiledPath } from './api.ts'
import { checkOrigin, negotiateLanguage, negotiateType, readContent } from './checks.ts'
import { CheckedView, noBody, RequestView, SecuredViews, withToken } from './context.ts'
import { evaluateAttempts, evaluateFields } from './evaluate.ts'
import type { Exchange, Reply } from './exchange.ts'
import { failureOf } from './failure.ts'
import { answerFailure, answerTwiceFailed } from './failure-answer.ts'
import { reportAfter } from './failure-report.ts'
import { applyLayers, type Headers } from './header-layers.ts'
import { renderOutcome } from './response.ts'

/** The parts that serve operations. */
export interface OperationPorts extends Omit<StreamedPorts, 'clock'> {
  readonly clock: Clock
  readonly actions: Readonly<Record<ActionType, Action>>
  readonly schemes: Schemes
  /** Absent: one of its own, with the default limits. */
  readonly callStreams?: CallStreams
  /** Receives the requests that wait for a slot of their version, for metrics. */
  readonly pools?: PoolWatch
}

/** A request whose action is performed. */
interface ActedRequest {
  readonly exchange: Exchange
  readonly operation: CompiledOperation
  readonly identity: Identity
  readonly request: RequestView
  /** The bytes of its body, where they are kept. */
  readonly held: HeldBody | undefined
  /** Undefined where the route has no policies. */
  readonly passage: Passage | undefined
}

/** A request that may have its action performed. */
interface Admitted extends Negotiated {
  readonly route: CompiledOperation
  readonly bindings: Readonly<Record<string, string>>
  readonly security: Context['security']
  /** Undefined where the route has no policies. */
  readonly passage: Passage | undefined
}

const nothing: ActionFields = {}

/** `action: {}`. */
const noAction: Action = {
  async perform() {
    return { result: {} }
  },
}

/** Answers requests whose path is declared; a ServiceError that it throws is rendered by the gateway. */
export class Operations {
  readonly #ports: OperationPorts
  readonly #actions: Readonly<Record<ActionPlan['type'], Action>>
  readonly #random: () => number
  readonly #callStreams: CallStreams
  readonly #streamed: StreamedReplies
  readonly #secured = new SecuredViews()

  constructor(ports: OperationPorts) {
    this.#ports = ports
    this.#actions = { ...ports.actions, none: noAction }
    this.#random = () => ports.clock.random()
    this.#callStreams = ports.callStreams ?? new CallStreams({ clock: ports.clock })
    this.#streamed = new StreamedReplies(ports)
  }

  /** OPTIONS where the document declares none (Fetch standard: CORS-preflight request). */
  preflight(
    exchange: Exchange,
    path: CompiledPath,
    bindings: Readonly<Record<string, string>>,
    policy: Headers,
  ): Reply {
    const headers = { ...policy, ...path.headers }
    const language = negotiateLanguage(exchange, path.version)
    const request = new RequestView(exchange, bindings, language, noBody)
    const security = path.version.anonymous
    const context: Context = { request, action: nothing, security, random: this.#random }
    applyLayers(headers, [path.layer], context)
    return { status: 204, headers, body: { kind: 'none' } }
  }

  /** The order of these steps is that of behaviour §3. */
  async serve(
    exchange: Exchange,
    route: CompiledOperation,
    bindings: Readonly<Record<string, string>>,
    policy: Headers,
    passage?: Passage,
  ): Promise<Reply> {
    const { path, inherited } = route
    const { version } = path
    checkOrigin(exchange, inherited)
    passage?.admit()
    const { protection } = inherited
    const isSecured = protection !== undefined && exchange.method !== 'options'
    const passed = isSecured
      ? schemeOf(this.#ports.schemes, protection).authenticate(
          exchange.secured ?? exchange,
          protection,
        )
      : version.anonymous
    // awaits only an identity that is not known yet
    const identity = passed instanceof Promise ? await passed : passed
    if (isSecured) exchange.trace?.tellUser?.(identity.authid)
    const security = isSecured ? this.#secured.of(protection, identity) : identity
    const language = negotiateLanguage(exchange, version)
    if (passage?.isLimited) {
      const request = new RequestView(exchange, bindings, language, noBody)
      const context: Context = { request, action: nothing, security, random: this.#random }
      const reading = passage.charge({ identity, context })
      if (reading !== undefined) await reading
    }
    exchange.checkArguments?.()
    const type = negotiateType(exchange, route)
    const admitted = { route, bindings, identity, security, language, type, passage }
    if (!passage?.isCached) return await this.#answer(exchange, admitted, policy, undefined)
    const timeoutMs = (): number => {
      const request = new RequestView(exchange, bindings, language, noBody)
      const context: Context = { request, action: nothing, security, random: this.#random }
      return evaluateAttempts(route.action.attempts, context).timeout
    }
    const act = (of: Exchange, run?: FillRun): Promise<Reply> =>
      this.#answer(of, admitted, policy, run)
    return passage.lookUp({ identity, language, type, policy, timeoutMs, act })
  }

  /** @param run present where the answer may be kept */
  async #answer(
    exchange: Exchange,
    { route, bindings, identity, security, language, type, passage }: Admitted,
    ofExchange: Headers,
    run: FillRun | undefined,
  ): Promise<Reply> {
    const configured = run?.policy ?? ofExchange
    const content = exchange.hasBody
      ? await readContent(exchange, route, passage?.noteBody)
      : noBody
    const checked = route.checks && checkRequest(route.checks, exchange, route, bindings, content)
    const request = checked
      ? new CheckedView(exchange, checked, language, content.body_length)
      : new RequestView(exchange, bindings, language, content)
    const context: Context = { request, action: nothing, security, random: this.#random }
    // most operations have no streams
    const streaming = route.streams && callStreaming(route, type)
    if (streaming && isReturning(exchange, streaming)) {
      return returnReply(route, configured, context)
    }
    const acting = route.passesToken ? await withToken(context, identity, route.inherited) : context
    const begun = passage?.begin({ identity, context })
    const earlier = begun && (await begun)
    if (earlier) return earlier
    const policy: Headers = passage?.isHeld ? {} : configured
    const wantsProgress = streaming !== undefined && exchange.method !== 'head'
    let outcome: Outcome | undefined
    try {
      const { held } = content
      const acted: ActedRequest = { exchange, operation: route, identity, request, held, passage }
      outcome = await this.#act(acted, acting, wantsProgress)
      if (streaming && 'result' in outcome) {
        const shared = this.#callStreams
        return callReply(exchange, route, streaming, outcome, context, policy, shared)
      }
      // only the keys that expressions know are read of it
      const seen: Context = { request, action: outcome, security, random: this.#random }
      run?.saw(outcome, seen)
      const reply =
        route.streams === undefined
          ? renderOutcome(exchange, route, outcome, seen, policy, type)
          : await this.#streamed.reply(exchange, route, outcome, seen, policy, type)
      return reply.status < 500 ? reply : { ...reply, failure: reportAfter(route, outcome) }
    } catch (error) {
      drop(outcome)
      if (error instanceof ListFailure) {
        return answerFailure(exchange, route, context, policy, error.failure, error)
      }
      if (!(error instanceof ExpressionError)) throw error
      if (outcome === undefined || 'result' in outcome) {
        const { action: plan } = route
        const results = outcome?.results
        const failure = failureOf(error, plan)
        return answerFailure(exchange, route, context, policy, failure, { plan, results })
      }
      const reply = answerTwiceFailed(exchange, route, policy, error)
      const { error_uri: action_error } = outcome.error
      return { ...reply, failure: { ...reply.failure, action_error } }
    }
  }

  #act(acted: ActedRequest, context: Context, wantsProgress: boolean): Promise<Outcome> {
    const { exchange, operation } = acted
    const { action, steps, path } = operation
    const prepared = steps
      ? prepareList(steps, (plan, progress) =>
          this.#prepare(acted, plan, { ...context, action: progress }, false),
        )
      : this.#prepare(acted, action, context, wantsProgress)
    if (needsNoSlot(action) && (steps === undefined || steps.every(needsNoSlot))) {
      return prepared.perform()
    }
    const { attempts, onCancel } = prepared
    const { clock, pools } = this.#ports
    const { pool } = path.version
    const watch = pool.isFull ? pools?.of(path.version) : undefined
    const limit = { clock, maxMs: attempts.timeout, onCancel, watch }
    const begins = pool.isFull ? exchange.trace?.waits?.() : undefined
    const task = (): Promise<Outcome> => {
      begins?.()
      return prepared.perform()
    }
    return pool.run(task, limit, goesOn)
  }

  #prepare(
    { exchange, operation, identity, request, held, passage }: ActedRequest,
    plan: ActionPlan,
    context: Context,
    wantsProgress: boolean,
  ): PreparedAction {
    const { path, inherited, streams } = operation
    const performer = this.#actions[plan.type]
    const fields = evaluateFields(plan, context)
    const attempts = evaluateAttempts(plan.attempts, context)
    // an action whose answer is kept goes on for the client that comes back
    const goesOnAlone = passage?.isHeld && !wantsProgress
    const onCancel: Run['onCancel'] = (callback) =>
      exchange.onAbort((reason) => {
        if (reason !== undefined || !goesOnAlone) callback(reason)
      })
    const rawBody = () =>
      plan.passesBody && exchange.hasBody ? (held ?? exchange.rawBody(inherited.limits)) : undefined
    // the run is made when the action begins: the time limit of a body begins with its first read
    const perform = (): Promise<Outcome> =>
      performer.perform(fields, {
        target: plan.target,
        realm_uri: path.version.realm_uri,
        identity,
        method: exchange.method,
        attempts,
        computed: plan.computedNames,
        rawBody: rawBody(),
        readsBody: plan.readsAnswer,
        asksGet: plan.asksGet,
        hinted: passesHints(operation, passage) ? exchange : undefined,
        request,
        traceKwargs: plan.traceKwargs,
        wantsProgress,
        streams: streams && this.#streamed.termsOf(operation),
        trace: exchange.trace,
        onCancel,
      })
    return {
      attempts,
      onCancel,
      perform: passage ? () => passage.perform(plan, fields, perform) : perform,
    }
  }
}

/** Whether 103 (Early Hints) of an upstream goes on: its answer does, as it comes, and is not kept for others. */
const passesHints = ({ steps, on_result }: CompiledOperation, passage: Passage | undefined) =>
  steps === undefined && on_result.body === undefined && !passage?.isHeld

/** A fixed answer waits for nobody. */
const needsNoSlot = ({ kind }: ActionPlan): boolean => kind.reaches === undefined
