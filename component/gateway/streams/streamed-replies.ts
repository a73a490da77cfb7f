/** Replies of operations whose answer is, or may be, a stream. */
import type { Outcome, StreamTerms } from '#component/action/action.ts'
import type { Clock } from '#component/clock.ts'
import type { Context } from '#component/expression/nodes.ts'
import type { CompiledOperation } from '#component/gateway/api.ts'
import type { Exchange, Reply } from '#component/gateway/exchange.ts'
import type { Headers } from '#component/gateway/header-layers.ts'
import { renderOutcome } from '#component/gateway/response.ts'
import { EventReplies, type OnUnrendered } from './events-reply.ts'
import type { OpenStreams } from './open-streams.ts'

/** The parts that make them. */
export interface StreamedPorts {
  readonly clock: Pick<Clock, 'random'>
  /** Receives the expressions that fail for an event, for the log. */
  readonly onUnrendered?: OnUnrendered
  /** Absent: streams end by themselves only. */
  readonly openStreams?: OpenStreams
}

/** Makes replies; one for each gateway. */
export class StreamedReplies {
  readonly #events: EventReplies
  readonly #openStreams: OpenStreams | undefined

  constructor({ clock, openStreams, onUnrendered = () => undefined }: StreamedPorts) {
    this.#openStreams = openStreams
    this.#events = new EventReplies(clock, openStreams, onUnrendered)
  }

  /**
   * What the action knows of the streams of an operation; undefined where these are not its own.
   * @throws ServiceError 503 while the process stops
   */
  termsOf(operation: CompiledOperation): StreamTerms | undefined {
    const { streams, path } = operation
    if (streams?.kind !== 'events') return undefined
    this.#openStreams?.admit()
    const { match, as, replayEvents, replayTimeoutMs, maxStreams } = streams
    const { api } = path.version
    return { match, as, replayEvents, replayTimeoutMs, maxStreams, api, operation }
  }

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
    policy: Headers,
    type: string | undefined,
  ): Reply | Promise<Reply> {
    const { streams } = route
    if (streams?.kind !== 'events' || type === undefined || !('result' in outcome)) {
      return renderOutcome(exchange, route, outcome, context, policy, type)
    }
    return this.#events.reply(exchange, { route, plan: streams, outcome, context, policy, type })
  }
}
