/** One request to an upstream and its answer: deadlines, back-pressure, and the handling of every failure. */
import { type Duplex, Readable } from 'node:stream'
import type { Dispatcher } from 'undici'
import { badGateway, type Hinted } from '#component/action/action.ts'
import { readLinks } from '#component/action/connections/link-field.ts'
import type { Clock } from '#component/clock.ts'
import { canceled, ServiceError } from '#component/errors.ts'
import { countPassed } from '#component/limits/gc-pressure.ts'
import { maxBufferedBytes } from './body.ts'

/** Header fields as undici reads them: names in lower case, a list where a field repeats, each byte one character. */
type ReceivedHeaders = Readonly<Record<string, string | string[] | undefined>>

/** The beginning of an answer. */
export interface AnswerHead {
  readonly status_code: number
  readonly received: ReceivedHeaders
  /** Behind a 101, what carries the other protocol; to be taken or destroyed. */
  readonly switched?: Duplex
}

const isServiceError = (error: unknown): error is ServiceError => error instanceof ServiceError

const codeOf = (error: Error & { code?: unknown }): string =>
  typeof error.code === 'string' ? error.code : error.name

/** The body of an answer while it comes in. Destroying it ends the upstream's connection. */
class AnswerStream extends Readable {
  readonly #call: UpstreamCall

  constructor(call: UpstreamCall) {
    super({ highWaterMark: 65_536 })
    this.#call = call
    // a reader sees the error; without a reader it must not end the process
    this.on('error', () => {})
  }

  override _read(): void {
    this.#call.resume()
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.#call.abort(error ?? badGateway('the response was not read to its end'))
    callback(error)
  }
}

/**
 * Handles one dispatch of undici. `head` settles once: with the head of the answer (buffered: when the whole body is
 * here), or a ServiceError. From then on failures destroy the stream of {@link body}.
 */
export class UpstreamCall implements Dispatcher.DispatchHandler {
  readonly head: Promise<AnswerHead>
  readonly #clock: Clock
  readonly #timeoutMs: number
  readonly #isBuffered: boolean
  readonly #hinted: Hinted | undefined
  #resolve: (head: AnswerHead) => void
  #reject: (error: ServiceError) => void
  #controller: Dispatcher.DispatchController | undefined
  #answer: AnswerHead | undefined
  #failure: ServiceError | undefined
  #stream: AnswerStream | undefined
  #chunks: Buffer[] = []
  #size = 0
  #isEnded = false
  #wasHinted = false
  #wasAbandoned = false
  #isLate = false
  /** When the upstream has been silent for too long; 0: when the timer ends. */
  #deadline = 0
  #stopTimer: () => void

  /**
   * @param timeoutMs time limit of the head (buffered: of the whole answer), then of each silence of the upstream
   * @param isBuffered wait for the whole body, at most 25,000,000 bytes
   * @param hinted is sent the links of each 103 (Early Hints)
   */
  constructor(clock: Clock, timeoutMs: number, isBuffered: boolean, hinted?: Hinted) {
    const { promise, resolve, reject } = Promise.withResolvers<AnswerHead>()
    this.head = promise
    this.#resolve = resolve
    this.#reject = reject
    this.#clock = clock
    this.#timeoutMs = timeoutMs
    this.#isBuffered = isBuffered
    this.#hinted = hinted
    this.#stopTimer = clock.after(timeoutMs, this.#onTimer)
  }

  /** Whether anything has been written to the upstream. */
  get wasSent(): boolean {
    return this.#controller !== undefined
  }

  /** Whether it was given up before it was sent: undici still has it, and touches its body before it drops it. */
  get wasAbandoned(): boolean {
    return this.#wasAbandoned
  }

  /** Whether its time has run out. */
  get isLate(): boolean {
    return this.#isLate
  }

  /** Whether the head of an answer has arrived. */
  get wasAnswered(): boolean {
    return this.#answer !== undefined
  }

  /** Whether links of a 103 (Early Hints) have gone on. */
  get wasHinted(): boolean {
    return this.#wasHinted
  }

  /** The body, once the head is here: bytes when it is complete, else a stream. To be taken once. */
  body(): Uint8Array | Readable {
    if (this.#isEnded) {
      const [only] = this.#chunks
      return only && this.#chunks.length === 1 ? only : Buffer.concat(this.#chunks)
    }
    const stream = new AnswerStream(this)
    this.#stream = stream
    this.#deadline = this.#clock.now() + this.#timeoutMs
    for (const chunk of this.#chunks) stream.push(chunk)
    this.#chunks = []
    if (this.#failure) stream.destroy(this.#failure)
    return stream
  }

  /** Lets more of the body come in. */
  resume(): void {
    this.#deadline = this.#clock.now() + this.#timeoutMs
    this.#controller?.resume()
  }

  /** Gives up because the client went away. */
  cancel(): void {
    this.abort(canceled())
  }

  /** Gives up: the connection ends, the head or the stream fails with the error. Nothing happens after the end. */
  abort(error: Error): void {
    if (this.#isEnded || this.#failure) return
    this.#fail(error)
    if (this.#controller) this.#controller.abort(error)
    // Not sent yet: onRequestStart will find the failure.
    else this.#wasAbandoned = true
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#failure) controller.abort(this.#failure)
    else this.#controller = controller
  }

  onBodySent(): void {
    // the upstream is not silent during a long upload
    this.#deadline = this.#clock.now() + this.#timeoutMs
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    statusCode: number,
    received: ReceivedHeaders,
  ): void {
    if (statusCode === 101) throw badGateway('the upstream switched protocols without being asked')
    if (statusCode === 103) this.#hint(received.link)
    if (statusCode < 200) return
    if (statusCode > 599) throw badGateway('the upstream returned an invalid HTTP status')
    this.#answer = { status_code: statusCode, received }
    if (!this.#isBuffered) this.#resolve(this.#answer)
  }

  onRequestUpgrade(
    _controller: Dispatcher.DispatchController,
    statusCode: number,
    received: ReceivedHeaders,
    switched: Duplex,
  ): void {
    if (this.#failure) {
      switched.destroy()
      return
    }
    this.#isEnded = true
    this.#stopTimer()
    this.#answer = { status_code: statusCode, received, switched }
    this.#resolve(this.#answer)
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#failure) return
    if (this.#stream) {
      this.#deadline = this.#clock.now() + this.#timeoutMs
      countPassed(chunk.length)
      if (!this.#stream.push(chunk)) controller.pause()
      return
    }
    this.#size += chunk.length
    if (this.#size > maxBufferedBytes) throw badGateway('the response is too large to be read')
    this.#chunks.push(chunk)
  }

  onResponseEnd(): void {
    if (this.#failure) return
    this.#isEnded = true
    this.#stopTimer()
    if (this.#answer && this.#isBuffered) this.#resolve(this.#answer)
    this.#stream?.push(null)
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (!this.#isEnded && !this.#failure) this.#fail(error)
  }

  #hint(field: string | string[] | undefined): void {
    if (!this.#hinted?.hint || this.#failure) return
    const links = readLinks(field)
    if (links.length > 0 && this.#hinted.hint(links)) this.#wasHinted = true
  }

  #fail(error: Error): void {
    const failure = isServiceError(error) ? error : this.#explain(error)
    this.#failure = failure
    this.#chunks = []
    this.#stopTimer()
    this.#reject(failure)
    this.#stream?.destroy(failure)
  }

  #explain(error: Error): ServiceError {
    // undici wraps errors that a handler has thrown, and those of all addresses of a name
    if (isServiceError(error.cause)) return error.cause
    const when = this.wasAnswered
      ? 'the connection to the upstream failed during its response'
      : this.wasSent
        ? 'the upstream gave no valid response'
        : 'the connection to the upstream failed'
    return badGateway(`${when} (${codeOf(error)})`, error)
  }

  readonly #onTimer = (): void => {
    const now = this.#clock.now()
    // under back-pressure the client is slow, not the upstream
    if (this.#controller?.paused) this.#deadline = now + this.#timeoutMs
    const left = this.#deadline - now
    if (left > 0) {
      this.#stopTimer = this.#clock.after(left, this.#onTimer)
      return
    }
    const message = this.wasAnswered
      ? 'the upstream stopped sending during its response'
      : 'the upstream did not respond within the timeout'
    this.#isLate = true
    this.abort(new ServiceError('service.error.timeout', message))
  }
}
