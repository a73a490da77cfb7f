/** The parts of a gateway that the stages of its requests use. */
import type { Duplex } from 'node:stream'
import type { Action, OpenedSocket, Outcome, StreamTerms } from '#component/action/action.ts'
import type { PoolWatch } from '#component/action/watching/pool-metrics.ts'
import type { Clock } from '#component/clock.ts'
import type { Context } from '#component/expression/nodes.ts'
import type { Identity } from '#component/identity.ts'
import type { RealmPage } from '#component/realm-page.ts'
import type { Schemes } from '#component/security/scheme.ts'
import type { ActionPlan, CompiledOperation, Endpoint, EndpointKind } from './api.ts'
import type { SecuredViews } from './context.ts'
import type { Exchange, Reply } from './exchange.ts'
import type { Headers } from './header-layers.ts'
import type { CallerPorts } from './invocation.ts'
import type { StagePorts } from './stage-facts.ts'
import type { CallStreaming } from './stream-plan.ts'

/**
 * Answers a request to a generated path. A ServiceError that it throws is rendered as for any path; the headers of the
 * reply are laid over those of the path.
 * @param bindings of the pattern; base_path may have some
 */
export type EndpointHandler = (
  exchange: Exchange,
  endpoint: Endpoint,
  bindings: Readonly<Record<string, string>>,
) => Promise<Reply>

/** Answers that are, or may be, streams. */
export interface StreamedAnswers {
  /**
   * What the action knows of the streams of an operation; undefined where these are not its own.
   * @throws ServiceError 503 while the process stops
   */
  termsOf(operation: CompiledOperation): StreamTerms | undefined
  /**
   * The answer to a request whose action has ended, or goes on in the stream of its outcome.
   * @param context with the outcome as `action`
   * @throws as renderOutcome does
   */
  reply(
    exchange: Exchange,
    route: CompiledOperation,
    outcome: Outcome,
    context: Context,
    cors: Headers,
    type: string | undefined,
  ): Reply | Promise<Reply>
  /**
   * The answer to a call as a stream of its progressive results; later, where what comes before the head is checked for long.
   * @param context of the request; its action is the outcome
   * @throws ExpressionError, ServiceError as long as nothing has been sent
   */
  callReply(
    exchange: Exchange,
    operation: CompiledOperation,
    streaming: CallStreaming,
    outcome: Outcome & { readonly result: Readonly<Record<string, unknown>> },
    context: Context,
    cors: Headers,
  ): Reply | Promise<Reply>
}

/** The place of a WebSocket that is to be opened. */
export interface SocketPlace {
  /** Gives it back; more than once is the same as once. */
  give(): void
}

/** The WebSockets of a process. */
export interface HeldSockets {
  /**
   * Takes a place, before the upstream is asked.
   * @throws ServiceError 503 or 429 with `Retry-After`: then nothing is taken
   */
  take(exchange: Exchange, operation: CompiledOperation, identity: Identity): SocketPlace
  /** Takes one that an upstream has opened. @param place is given back at its end */
  open(
    exchange: Exchange,
    operation: CompiledOperation,
    identity: Identity,
    socket: OpenedSocket,
    place: SocketPlace | undefined,
  ): {
    readonly reason: string
    begin(client: Duplex): void
    cancel(): void
  }
}

/** One object for all requests of a gateway. */
export interface GatewayParts {
  readonly clock: Clock
  readonly random: () => number
  readonly actions: Readonly<Record<ActionPlan['type'], Action>>
  readonly schemes: Schemes
  readonly secured: SecuredViews
  readonly endpoints: Readonly<Partial<Record<EndpointKind, EndpointHandler>>>
  readonly streamed: StreamedAnswers
  /** Absent: none are held, as where nothing is performed. */
  readonly sockets?: HeldSockets | undefined
  readonly callers: CallerPorts
  readonly policies: StagePorts
  readonly pools: PoolWatch | undefined
  readonly publicPath: string
  /** What pages say of a realm; undefined where it is not known. */
  readonly pageOf: (realm_uri: string) => RealmPage | undefined
  /** Where clients reach this gateway, without a slash at the end. undefined: challenges name no metadata. */
  readonly publicBase: (() => string) | undefined
}
