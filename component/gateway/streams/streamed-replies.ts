/** Replies of operations whose answer is, or may be, a stream. */

import type { Outcome, StreamTerms } from '#component/action/action.ts'
import type { Clock } from '#component/clock.ts'
import type { Context } from '#component/expression/nodes.ts'
import type { CompiledOperation } from '#component/gateway/api.ts'
import type { Exchange, Reply } from '#component/gateway/exchange.ts'
import type { Headers } from '#component/gateway/header-layers.ts'
import type { StreamedAnswers } from '#component/gateway/parts.ts'
import { renderOutcome } from '#component/gateway/response.ts'
import { callReply } from './call-reply.ts'
import type { CallStreams } from './call-streams.ts'
import { EventReplies, type OnUnrendered } from './events-reply.ts'
import type { OpenStreams } from './open-streams.ts'

/** The parts that make them. */
export interface StreamedPorts {
  readonly clock: Pick<Clock, 'random'>
  readonly callStreams: CallStreams
  /** Receives the expressions that fail for an event, for the log. */
  readonly onUnrendered?: OnUnrendered
  /** Absent: streams end by themselves only. */
  readonly openStreams?: OpenStreams
}

/** Makes replies; one for each gateway. */
export class StreamedReplies implements StreamedAnswers {
  readonly #events: EventReplies
  readonly #openStreams: OpenStreams | undefined
  readonly #callStreams: CallStreams

  constructor({ clock, openStreams, callStreams, onUnrendered = () => undefined }: StreamedPorts) {
    this.#openStreams = openStreams
    this.#callStreams = callStreams
    this.#events = new EventReplies(clock, openStreams, onUnrendered)
  }

  termsOf(operation: CompiledOperation): StreamTerms | undefined {
    const { streams, path } = operation
    if (streams?.kind !== 'events') return undefined
    this.#openStreams?.admit()
    const { match, as, replayEvents, replayTimeoutMs, maxStreams } = streams
    const { api } = path.version
    return { match, as, replayEvents, replayTimeoutMs, maxStreams, api, operation }
  }

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

  callReply(
    ...[exchange, route, streaming, outcome, context, cors]: CallArguments
  ): Reply | Promise<Reply> {
    return callReply(exchange, route, streaming, outcome, context, cors, this.#callStreams)
  }
}

type CallArguments = Parameters<StreamedAnswers['callReply']>
