/** What a client sees of a call whose pieces are streamed: its pieces, its result and its failure, as frames or as raw bytes. */
import type { ActionError, Outcome } from '#component/action/action.ts'
import { withAliases } from '#component/action/wamp-fields.ts'
import { stringifyJson } from '#component/codec/json.ts'
import { ExpressionError, ServiceError } from '#component/errors.ts'
import type { Context } from '#component/expression/nodes.ts'
import type { CompiledOperation } from '#component/gateway/api.ts'
import type { Extent } from '#component/gateway/exchange.ts'
import { unfit } from '#component/gateway/failure.ts'
import { actionErrorOf } from '#component/gateway/failure-answer.ts'
import type { Live } from '#component/gateway/header-layers.ts'
import { bodyValue, evaluateExtent } from '#component/gateway/response.ts'
import type { NamedRequest } from '#component/gateway/schemas/mismatches.ts'
import { checkAnswer } from '#component/gateway/schemas/response-check.ts'
import type { ProgressPlan } from '#component/gateway/stream-plan.ts'
import type { Frames } from '#component/stream/frames.ts'
import { eventNameProblem } from '#component/syntax/event-stream.ts'
import type { JsonMap } from '#component/syntax/values.ts'
import type { CallResult } from '#component/wamp/session.ts'

/** What goes out as it is. */
export type Content = string | Uint8Array

/** One request whose answer is a stream of pieces. */
export interface Viewed {
  readonly operation: CompiledOperation
  readonly plan: ProgressPlan
  /** Of the request; `action` is another one for each piece. */
  readonly context: Context
  /** For the log of answers that do not fit their schema. */
  readonly request: NamedRequest
  /** How pieces are framed; undefined: they go out raw. */
  readonly frames: Frames | undefined
}

/** Makes the content of one answer. */
export class PieceView {
  readonly #of: Viewed
  /** Where the raw pieces stand in the whole; known with the first of them, where the document tells it. */
  extent: Extent | undefined

  constructor(viewed: Viewed) {
    this.#of = viewed
  }

  /** Keeps an idle connection open; `""` where nothing can be sent between pieces. */
  get heartbeat(): string {
    return this.#of.frames?.heartbeat ?? ''
  }

  get isRaw(): boolean {
    return this.#of.frames === undefined
  }

  /**
   * One piece.
   * @param number from 1
   * @throws ExpressionError
   */
  piece({ args, kwargs, details }: CallResult, number: number): Content {
    const { plan, context, frames } = this.#of
    const progress = withAliases({ number, args, kwargs, details })
    const seen: Context = { ...context, action: { progress }, counted: progress }
    const value = plan.body ? plan.body.evaluate(seen) : { args, kwargs }
    if (frames === undefined) {
      this.extent ??= evaluateExtent(plan.extent, seen)
      return rawOf(value, plan.body)
    }
    const data = stringifyJson(value)
    const id = String(number)
    if (plan.name === undefined) return frames.event({ id, data })
    return frames.event({ id, event: nameOf(plan.name, seen), data })
  }

  /**
   * The end of a call that has succeeded; later, where its check takes long.
   * @param number behind that of the last piece
   * @throws ExpressionError; ResponseMismatch
   */
  result(
    outcome: Outcome & { readonly result: JsonMap },
    number: number,
  ): Content | Promise<Content> {
    const { operation, plan, context, frames, request } = this.#of
    const { on_result } = operation
    const seen: Context = { ...context, action: outcome }
    const isDeclared = on_result.body !== undefined
    const { args, kwargs } = outcome.result
    const value = isDeclared ? bodyValue(operation, outcome, on_result, seen) : { args, kwargs }
    const content = (): Content => {
      if (frames) return this.#frame(frames, 'result', value, number)
      // an answer without pieces is its own first one
      this.extent ??= evaluateExtent(plan.extent, { ...seen, action: { progress: outcome.result } })
      return isDeclared ? rawOf(value, on_result.body) : ''
    }
    const checked =
      on_result.check && isDeclared && checkAnswer(on_result.check, request, operation, value)
    return checked instanceof Promise ? checked.then(content) : content()
  }

  /** The end of a call that has failed; later, where its check takes long. Raw pieces have no place for it. */
  failure(
    outcome: Outcome & { readonly error: ActionError },
    number: number,
  ): string | Promise<string> {
    const { operation, context, frames, request } = this.#of
    if (frames === undefined) return ''
    const { on_error } = operation
    const failed = (second: unknown): string => {
      if (!(second instanceof ServiceError)) throw second
      return this.#frame(frames, 'error', second.toJSON(), number)
    }
    try {
      const value = bodyValue(operation, outcome, on_error, { ...context, action: outcome })
      const content = () => this.#frame(frames, 'error', value, number)
      const checked = on_error.check && checkAnswer(on_error.check, request, operation, value)
      return checked instanceof Promise ? checked.then(content).catch(failed) : content()
    } catch (second) {
      return failed(second)
    }
  }

  /** The end of a call for a failure of the gateway itself, such as that of an expression. */
  ownFailure(error: ServiceError, number: number): string | Promise<string> {
    const { operation, frames } = this.#of
    if (frames === undefined) return ''
    const { on_error, action } = operation
    if (on_error.body === undefined) return this.#frame(frames, 'error', error.toJSON(), number)
    return this.failure({ error: actionErrorOf(error, action) }, number)
  }

  #frame(frames: Frames, event: string, value: unknown, number: number): string {
    return frames.event({ id: String(number), event, data: stringifyJson(value) })
  }
}

/** @throws ExpressionError for a value that cannot go out as it is */
function rawOf(value: unknown, node: Live | undefined): Content {
  if (typeof value === 'string' || value instanceof Uint8Array) return value
  const wanted = 'a text or bytes'
  throw node ? unfit(node, 'body', wanted) : new ExpressionError(`body: expected ${wanted}`)
}

/** @throws ExpressionError for a value that cannot be the name of an event */
function nameOf(node: Live, context: Context): string {
  const name = node.evaluate(context)
  if (typeof name === 'string' && eventNameProblem(name) === undefined) return name
  const wanted =
    'a text of at most 255 characters, without line breaks, that is no name of the gateway'
  throw unfit(node, 'event', wanted)
}
