/** Renders the events of a stream: the filter, the name and the body that the document declares for them. */
import { Buffer } from 'node:buffer'
import { stringifyJson } from '#component/codec/json.ts'
import { ExpressionError } from '#component/errors.ts'
import type { Context } from '#component/expression/nodes.ts'
import { unfit } from '#component/gateway/failure.ts'
import type { Live } from '#component/gateway/header-layers.ts'
import type { StreamPlan, ViewPlan } from '#component/gateway/stream-plan.ts'
import type { StreamedEvent } from '#component/stream/entry.ts'
import type { Frames } from '#component/stream/frames.ts'
import type { Filter, Rendered, Unrendered, View } from '#component/stream/view.ts'
import { eventNameProblem } from '#component/syntax/event-stream.ts'

/** Bytes of the longest body of an event. */
const maxBody = 1_048_576

const notRendered: Unrendered = Object.freeze({ code: 'not_rendered' })
const tooLarge: Unrendered = Object.freeze({ code: 'too_large' })

/** Told of an expression that fails for an event. */
type OnFailure = (error: ExpressionError) => void

/** The view of one stream, or of all streams of an operation. */
export class EventView implements View {
  readonly frames: Frames
  readonly isShared: boolean
  readonly #plan: StreamPlan
  readonly #context: Context
  readonly #onFailure: OnFailure
  readonly #filter: Live | undefined

  /**
   * @param context of the request; of a shared view no expression reads the request or its user
   * @param isFiltered whether it applies the filter of the plan
   */
  constructor(
    plan: StreamPlan,
    frames: Frames,
    context: Context,
    isFiltered: boolean,
    onFailure: OnFailure,
  ) {
    this.frames = frames
    this.isShared = plan.isShared
    this.#plan = plan
    this.#context = context
    this.#onFailure = onFailure
    this.#filter = isFiltered ? plan.filter : undefined
  }

  render(event: StreamedEvent, id: string): Rendered {
    const seen = withEvent(this.#context, event)
    try {
      if (this.#filter && !passes(this.#filter, seen)) return ''
      const { body } = this.#plan
      const { topic, args, kwargs } = event
      const value = body ? body.evaluate(seen) : { topic, args, kwargs }
      const name = nameOf(this.#plan, seen)
      const data = encode(value)
      if (data === undefined) return tooLarge
      return this.frames.event(name === '' ? { id, data } : { id, event: name, data })
    } catch (error) {
      return unrendered(error, this.#onFailure)
    }
  }
}

/** The filter of one stream beside a view that all share; undefined where the view applies it, or there is none. */
export function filterOf(
  { filter, isShared, isFilterShared }: StreamPlan,
  context: Context,
  onFailure: OnFailure,
): Filter | undefined {
  if (!filter || !isShared || isFilterShared) return undefined
  return (event) => {
    try {
      return passes(filter, withEvent(context, event))
    } catch (error) {
      return unrendered(error, onFailure)
    }
  }
}

/**
 * The frame of the snapshot, which no event moves the position of.
 * @param result of the call, as `action.result`
 * @throws ExpressionError
 */
export function snapshotFrame(
  plan: ViewPlan,
  frames: Frames,
  seen: Context,
  result: Readonly<Record<string, unknown>>,
): string {
  const { args, kwargs } = result
  const value = plan.body ? plan.body.evaluate(seen) : { args, kwargs }
  const event = plan.name ? nameOf(plan, seen, true) : 'snapshot'
  const data = encode(value)
  if (data === undefined) throw new ExpressionError('on_snapshot: the body is larger than 1 MiB')
  return frames.event({ event, data })
}

const withEvent = ({ request, security, random }: Context, event: StreamedEvent): Context => ({
  request,
  security,
  random,
  action: { event },
  counted: event,
})

function passes(filter: Live, seen: Context): boolean {
  const value = filter.evaluate(seen)
  if (typeof value === 'boolean') return value
  throw unfit(filter, 'filter', 'true or false')
}

/** The name of an event; `""`: none. */
function nameOf({ name }: ViewPlan, seen: Context, isSnapshot = false): string {
  if (name === undefined) return ''
  const value = name.evaluate(seen)
  if (isSnapshot && value === 'snapshot') return value
  if (typeof value !== 'string') throw unfit(name, 'event', 'a text')
  const problem = eventNameProblem(value)
  if (problem === undefined) return value
  throw unfit(name, 'event', `the name of an event, but ${problem}`)
}

/** JSON on one line; undefined when it is too long. */
function encode(value: unknown): string | undefined {
  let text: string
  try {
    text = stringifyJson(value, maxBody)
  } catch (error) {
    if (error instanceof ExpressionError) return undefined
    throw error
  }
  // a character has at most three bytes of UTF-8
  const isLong = text.length * 3 > maxBody && Buffer.byteLength(text) > maxBody
  return isLong ? undefined : text
}

/** Tells of a failure. Whatever fails for one event must not end the work for all streams. */
function unrendered(error: unknown, onFailure: OnFailure): Unrendered {
  const isKnown = error instanceof ExpressionError
  onFailure(
    isKnown ? error : new ExpressionError('the event could not be rendered', { cause: error }),
  )
  return notRendered
}
