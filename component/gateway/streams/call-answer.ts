/** The answer to a call whose pieces are sent as they come: what waits, what has been sent, and how it ends. */
import { Buffer } from 'node:buffer'
import type { ActionError, CallStream, Outcome } from '#component/action/action.ts'
import { ServiceError } from '#component/errors.ts'
import type { CompiledOperation } from '#component/gateway/api.ts'
import type { StreamRecord } from '#component/gateway/exchange.ts'
import {
  type FailureReport,
  reportAt,
  reportOfEnd,
  reportThrown,
} from '#component/gateway/failure-report.ts'
import type { Sink } from '#component/stream/sink.ts'
import type { CallResult } from '#component/wamp/session.ts'
import type { CallStreams } from './call-streams.ts'
import type { Content, PieceView } from './piece-view.ts'

/** Why such an answer is over. `failed`: the call, or an expression; the client has been told, or its connection was cut. */
type CallReason = 'client' | 'complete' | 'failed' | 'slow' | 'stuck'

/** An idle answer gets something to keep it from being cut this often; milliseconds. */
const heartbeatMs = 15_000

/** How long the waiting bytes of a client may stay the same; milliseconds. */
const stuckMs = 120_000

/** One answer. It is started, then begun or cancelled. It is its own record for the log. */
export class CallAnswer implements StreamRecord {
  readonly kind = 'call'
  /** Pieces that were sent. */
  events = 0
  reason: CallReason = 'client'
  error: string | undefined
  failure: FailureReport | undefined
  readonly #shared: CallStreams
  readonly #operation: CompiledOperation
  readonly #view: PieceView
  readonly #stream: CallStream | undefined
  #sink: Sink | undefined
  /** What is sent at the end of the turn. */
  #pending: Content[] = []
  #pendingLength = 0
  #isScheduled = false
  /** Whether nothing has been promised to the client yet. */
  #isStarting = true
  #thrown: unknown
  /** The last content is being checked. */
  #checked: Promise<unknown> | undefined
  #isOver = false
  /** Whether the client is to see a cut body. */
  #isCut = false
  #stopTimer: (() => void) | undefined
  #wroteAt = 0
  #handed = 0
  #handedAt = 0

  /**
   * @param outcome of the action, a success: with its stream, or whole
   * @throws ExpressionError, ServiceError for what came before the head: nothing has been promised then
   */
  constructor(
    shared: CallStreams,
    operation: CompiledOperation,
    view: PieceView,
    outcome: Outcome & { readonly result: Readonly<Record<string, unknown>> },
  ) {
    this.#shared = shared
    this.#operation = operation
    this.#view = view
    this.#stream = outcome.stream?.kind === 'call' ? outcome.stream : undefined
    if (this.#stream === undefined) this.#finishBy(() => view.result(outcome, 1), 'complete')
    else {
      this.#stream.begin({
        onPiece: (piece) => this.#take(piece),
        onOutcome: (last) => this.#conclude(last),
      })
    }
    if (this.#checked === undefined) this.#started()
  }

  /**
   * Waits for what has to be checked before the head; undefined: nothing has.
   * @throws ExpressionError, ServiceError as the constructor does
   */
  get starting(): Promise<void> | undefined {
    return this.#checked?.then(() => this.#started())
  }

  #started(): void {
    if (this.#thrown !== undefined) throw this.#thrown
    this.#isStarting = false
  }

  /** Sends what has come, and all that comes; the head has been made. */
  begin(sink: Sink): void {
    this.#sink = sink
    sink.onClose(() => this.#leave())
    this.#flush()
    if (!this.#isHeld(0)) this.#cut('slow')
    else if (this.#isOver) this.#close(sink)
    else {
      this.#handedAt = this.#wroteAt
      this.#look()
    }
  }

  /** Gives the call up: nobody reads the answer. */
  cancel(): void {
    this.#leave()
  }

  /** Whether the call has ended: nothing of it is taken any more. */
  get #hasEnded(): boolean {
    return this.#isOver || this.#checked !== undefined
  }

  #take(piece: CallResult): void {
    if (this.#hasEnded) return
    let content: Content
    try {
      content = this.#view.piece(piece, this.events + 1)
    } catch (error) {
      this.#fail(error)
      return
    }
    const { bufferBytes } = this.#shared
    if (content.length > bufferBytes) {
      const message = 'a progressive result is larger than limits.call_buffer'
      this.#fail(new ServiceError('wamp.error.payload_size_exceeded', message))
    } else if (content.length + this.#waiting > bufferBytes || !this.#isHeld(content.length)) {
      this.#cut('slow')
    } else {
      this.events += 1
      this.#shared.pieces += 1
      this.#send(content)
    }
  }

  /** Bytes that the client has not taken yet. */
  get #waiting(): number {
    return this.#pendingLength + (this.#sink?.waiting ?? 0)
  }

  /** Counts the bytes that wait, and `more`, in `limits.buffered_bytes`. Returns false where they do not fit. */
  #isHeld(more: number): boolean {
    return this.#sink?.hold?.(this.#waiting + more) ?? true
  }

  #send(content: Content): void {
    if (content.length === 0) return
    this.#pending.push(content)
    this.#pendingLength += content.length
    if (this.#isScheduled || this.#sink === undefined) return
    this.#isScheduled = true
    this.#shared.nextTurn(() => {
      this.#isScheduled = false
      this.#flush()
    })
  }

  #flush(): void {
    const sink = this.#sink
    if (sink === undefined || this.#pending.length === 0) return
    const pending = this.#pending
    this.#pending = []
    this.#pendingLength = 0
    this.#wroteAt = this.#shared.clock.now()
    sink.write(joined(pending))
  }

  /** The call has ended. */
  #conclude(outcome: Outcome): void {
    if (this.#hasEnded) return
    const number = this.events + 1
    if ('error' in outcome) {
      this.#note(outcome)
      this.#end(() => this.#view.failure(outcome, number))
    } else this.#finishBy(() => this.#view.result(outcome, number), 'complete')
  }

  /** A failure of the gateway itself. */
  #fail(error: unknown): void {
    this.#stream?.cancel()
    if (this.#isStarting) {
      this.#thrown = error
      this.#isOver = true
      return
    }
    const known =
      error instanceof ServiceError
        ? error
        : new ServiceError('service.error.internal', 'an internal error occurred')
    this.error = known.uri
    this.failure =
      error instanceof ServiceError
        ? reportAt(this.#operation, error)
        : reportThrown(error, this.#operation)
    this.#end(() => this.#view.ownFailure(known, this.events + 1))
  }

  /** Keeps for the log what it would tell of an ordinary answer. */
  #note(outcome: Outcome & { readonly error: ActionError }): void {
    const { error_uri } = outcome.error
    const { on_error, status_codes } = this.#operation
    this.error = error_uri.slice(0, 255)
    const declared = typeof on_error.status === 'number' ? on_error.status : undefined
    const status = declared ?? status_codes.get(error_uri) ?? 500
    this.failure = reportOfEnd(this.#operation, outcome, status)
  }

  /** Ends with a failure: raw pieces are cut, so that nobody takes them for the whole. */
  #end(contentOf: () => string | Promise<string>): void {
    if (this.#view.isRaw) this.#cut('failed')
    else this.#finishBy(contentOf, 'failed')
  }

  /** Ends behind content that may have to be checked in later turns; nothing comes meanwhile. */
  #finishBy(contentOf: () => Content | Promise<Content>, reason: 'complete' | 'failed'): void {
    // nothing stands in the place of a failure that cannot be told: a bug
    const failed = (error: unknown) =>
      reason === 'complete' ? this.#fail(error) : this.#cut('failed')
    try {
      const content = contentOf()
      if (content instanceof Promise) {
        this.#checked = content.then(
          (known) => this.#isOver || this.#finish(known, reason),
          (error) => this.#isOver || failed(error),
        )
      } else this.#finish(content, reason)
    } catch (error) {
      failed(error)
    }
  }

  /** Ends behind the last content. */
  #finish(content: Content, reason: CallReason): void {
    if (!this.#isHeld(content.length)) {
      this.#cut('slow')
      return
    }
    this.#send(content)
    this.#flush()
    this.#leave(reason)
    if (this.#sink) this.#close(this.#sink)
  }

  #cut(reason: CallReason): void {
    this.#isCut = true
    this.#pending = []
    this.#leave(reason)
    this.reason = reason
    if (this.#sink) this.#close(this.#sink)
  }

  #close(sink: Sink): void {
    if (this.#isCut) sink.destroy()
    else sink.end()
  }

  /** Looks after the client now and then: it is cut where it does not read any more, and an idle connection is kept open. */
  #look(): void {
    const sink = this.#sink
    if (sink === undefined || this.#isOver) return
    const { clock } = this.#shared
    const now = clock.now()
    const { handed, waiting } = sink
    sink.hold?.(waiting)
    if (waiting === 0 || handed !== this.#handed) {
      this.#handed = handed
      this.#handedAt = now
    } else if (now - this.#handedAt >= stuckMs) {
      this.#cut('stuck')
      return
    }
    const idleMs = now - this.#wroteAt
    if (idleMs >= heartbeatMs) {
      this.#send(this.#view.heartbeat)
      this.#flush()
    }
    const nextMs = idleMs >= heartbeatMs ? heartbeatMs : heartbeatMs - idleMs
    this.#stopTimer = clock.after(nextMs, () => this.#look())
  }

  /** Frees everything. */
  #leave(reason: CallReason = 'client'): void {
    if (this.#isOver) return
    this.#isOver = true
    this.reason = reason
    this.#stopTimer?.()
    this.#stream?.cancel()
  }
}

/** Content in one piece; texts as UTF-8 where there are bytes, too. */
function joined(contents: readonly Content[]): Content {
  const [first] = contents
  if (contents.length === 1 && first !== undefined) return first
  const isText = contents.every((content) => typeof content === 'string')
  if (isText) return contents.join('')
  return Buffer.concat(
    contents.map((content) => (typeof content === 'string' ? Buffer.from(content) : content)),
  )
}
