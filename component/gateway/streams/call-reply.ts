/** The reply to a request whose call is answered as a stream of its progressive results. */
import type { Outcome } from '#component/action/action.ts'
import type { Context } from '#component/expression/nodes.ts'
import type { CompiledOperation } from '#component/gateway/api.ts'
import type { Exchange, Reply } from '#component/gateway/exchange.ts'
import { applyLayers, type Headers } from '#component/gateway/header-layers.ts'
import type { CallStreaming } from '#component/gateway/stream-plan.ts'
import { framesOf } from '#component/stream/frames.ts'
import { windowed } from '#component/stream/windowed-sink.ts'
import { isStreamType, lastEventIdOf } from '#component/syntax/event-stream.ts'
import { essenceOf } from '#component/syntax/media-type.ts'
import { CallAnswer } from './call-answer.ts'
import type { CallStreams } from './call-streams.ts'
import { headOf } from './head.ts'
import { PieceView } from './piece-view.ts'

/**
 * How the answer to a request is a stream; undefined where it is none.
 * @param type that was negotiated
 */
export function callStreaming(
  { streams: plan }: CompiledOperation,
  type: string | undefined,
): CallStreaming | undefined {
  if (plan?.kind !== 'progress' || type === undefined) return undefined
  if (plan.isRaw) return { plan, type, frames: undefined }
  const frames = essenceOf(type)
  return isStreamType(frames) ? { plan, type, frames } : undefined
}

/** Whether a client comes back to a stream that has ended or broken: the call is not repeated for it. */
export const isReturning = (exchange: Exchange, { frames }: CallStreaming): boolean =>
  frames !== undefined &&
  // the query of a tool is its arguments
  exchange.frames === undefined &&
  lastEventIdOf(exchange.headers, exchange.query_params) !== ''

/** The answer to such a client; an EventSource stops at it (HTML standard, section "Server-sent events": status 204). */
export function returnReply({ path }: CompiledOperation, policy: Headers, context: Context): Reply {
  const headers = { ...policy, 'cache-control': 'no-store', ...path.headers }
  applyLayers(headers, [path.layer], context)
  return { status: 204, headers, body: { kind: 'none' } }
}

/**
 * The reply to a call that has begun to answer, or has answered.
 * @param context of the request; its action is the outcome
 * @param policy the configured CORS headers
 * @throws ExpressionError, ServiceError as long as nothing has been sent
 */
export function callReply(
  exchange: Exchange,
  operation: CompiledOperation,
  { plan, type, frames }: CallStreaming,
  outcome: Outcome & { readonly result: Readonly<Record<string, unknown>> },
  context: Context,
  policy: Headers,
  shared: CallStreams,
): Reply | Promise<Reply> {
  const { language } = context.request as { readonly language: string }
  const headers = headOf(operation, plan.head, policy, language, context)
  if (frames) {
    // a computed map of headers may hold them
    delete headers['content-type']
    delete headers['content-encoding']
  }
  const view = new PieceView({
    operation,
    plan,
    context,
    request: exchange,
    frames: frames && (exchange.frames ?? framesOf[frames]),
  })
  const answer = new CallAnswer(shared, operation, view, outcome)
  const reply = (): Reply => {
    const { extent } = view
    const length = extent?.length && extent.length - (extent.first ?? 0)
    return {
      status: 200,
      headers,
      body: {
        kind: 'events',
        type,
        begin: (sink) =>
          answer.begin(length === undefined ? sink : windowed(sink, 0, length, true)),
        cancel: () => answer.cancel(),
        record: answer,
        ...(length !== undefined && { length }),
      },
      ...(extent && { extent }),
      operation,
    }
  }
  const { starting } = answer
  return starting === undefined ? reply() : starting.then(reply)
}
