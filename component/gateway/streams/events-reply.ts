/** The reply to a request for events: a head, and a body that begins when the head has been sent. */
import type { Outcome } from '#component/action/action.ts'
import type { Clock } from '#component/clock.ts'
import type { ExpressionError } from '#component/errors.ts'
import type { Context } from '#component/expression/nodes.ts'
import type { CompiledOperation } from '#component/gateway/api.ts'
import type { Exchange, Reply, StreamRecord } from '#component/gateway/exchange.ts'
import type { Headers } from '#component/gateway/header-layers.ts'
import type { StreamPlan } from '#component/gateway/stream-plan.ts'
import { type Frames, framesOf } from '#component/stream/frames.ts'
import type { Sink } from '#component/stream/sink.ts'
import type { StreamSettings } from '#component/stream/terms.ts'
import { isStreamType } from '#component/syntax/event-stream.ts'
import { EventView, filterOf, snapshotFrame } from './event-view.ts'
import { headOf } from './head.ts'
import { oneEvent, oneEventFrames } from './one-event.ts'
import type { OpenStreams } from './open-streams.ts'

/** Told of an expression that fails for an event: its stream goes on, and no answer tells of it. */
export type OnUnrendered = (route: CompiledOperation, error: ExpressionError) => void

/** An operation whose action has ended well. */
export interface Streamed {
  readonly route: CompiledOperation
  readonly plan: StreamPlan
  readonly outcome: Outcome & { readonly result: Readonly<Record<string, unknown>> }
  /** With the outcome as `action`. */
  readonly context: Context
  /** The configured CORS headers; those of the specification win. */
  readonly policy: Headers
  /** The media type of the answer. */
  readonly type: string
}

/** What answers to HEAD have instead of a stream. */
const noStream = {
  begin: () => undefined,
  cancel: () => undefined,
  record: { kind: 'events', events: 0, reason: 'complete' } satisfies StreamRecord,
}

/** Makes replies; one for each gateway. */
export class EventReplies {
  readonly #clock: Pick<Clock, 'random'>
  readonly #openStreams: OpenStreams | undefined
  readonly #onUnrendered: OnUnrendered
  /** The settings of streams that all see the same. */
  readonly #shared = new WeakMap<StreamPlan, Map<Frames, StreamSettings>>()

  /** @param openStreams those that others may end; absent: none */
  constructor(
    clock: Pick<Clock, 'random'>,
    openStreams: OpenStreams | undefined,
    onUnrendered: OnUnrendered,
  ) {
    this.#clock = clock
    this.#openStreams = openStreams
    this.#onUnrendered = onUnrendered
  }

  /**
   * The answer. Where the client wants JSON, it comes with the first event.
   * @throws ExpressionError for a header or the snapshot
   */
  reply(exchange: Exchange, streamed: Streamed): Reply | Promise<Reply> {
    const { route, plan, outcome, context, policy, type } = streamed
    const { language } = context.request as { readonly language: string }
    // computed headers may describe a body, too, but not this one
    const {
      'content-type': _type,
      'content-encoding': _encoding,
      ...headers
    } = headOf(route, plan.head, policy, language, context)
    const head = { status: 200, headers, operation: route }
    const stream = outcome.stream?.kind === 'events' ? outcome.stream : undefined
    if (stream === undefined) return { ...head, body: { kind: 'events', type, ...noStream } }
    const frames = isStreamType(type) ? framesOf[type] : oneEventFrames
    const settings = this.#settings(streamed, frames)
    const { snapshot: view } = plan
    const hasSnapshot = view !== undefined && 'kwargs' in outcome.result
    const snapshot = hasSnapshot ? snapshotFrame(view, frames, context, outcome.result) : ''
    const begin = (sink: Sink): void => {
      if (!stream.isOver) {
        stream.onOver = this.#openStreams?.add(exchange, route, stream.owner.identity, stream)
      }
      stream.begin(sink, settings, snapshot)
    }
    if (frames === oneEventFrames) return oneEvent(exchange, route, stream, begin, head)
    return {
      ...head,
      body: {
        kind: 'events',
        type,
        begin,
        cancel: () => stream.cancel(),
        record: stream,
        isEndless: stream.isEndless,
      },
    }
  }

  #settings(streamed: Streamed, frames: Frames): StreamSettings {
    const { route, plan, context } = streamed
    const onFailure = (error: ExpressionError): void => this.#onUnrendered(route, error)
    if (!plan.isShared) {
      return { ...timesOf(plan), view: new EventView(plan, frames, context, true, onFailure) }
    }
    const settings = this.#sharedSettings(plan, frames, onFailure)
    const filter = filterOf(plan, context, onFailure)
    return filter ? { ...settings, filter } : settings
  }

  #sharedSettings(
    plan: StreamPlan,
    frames: Frames,
    onFailure: (error: ExpressionError) => void,
  ): StreamSettings {
    const ofPlan = this.#shared.get(plan) ?? new Map<Frames, StreamSettings>()
    this.#shared.set(plan, ofPlan)
    const known = ofPlan.get(frames)
    if (known) return known
    // no expression of the view reads the request or its user
    const nobody = { request: {}, security: {}, action: {}, random: () => this.#clock.random() }
    const view = new EventView(plan, frames, nobody, plan.isFilterShared, onFailure)
    const settings = { ...timesOf(plan), view }
    ofPlan.set(frames, settings)
    return settings
  }
}

const timesOf = ({ heartbeatMs, retryMs, overflow }: StreamPlan) => ({
  heartbeatMs,
  retryMs,
  overflow,
})
