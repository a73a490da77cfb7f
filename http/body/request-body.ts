/** Reading a body within body_max_bytes, body_read_bytes and body_read_seconds, decompressed where the client compressed it. */
import type { Readable } from 'node:stream'
import type { HeldBody, RawBody } from '#component/action/action.ts'
import type { Clock } from '#component/clock.ts'
import { ServiceError } from '#component/errors.ts'
import type { BodyLimits } from '#component/request.ts'
import { gone, ignore, tooLarge, tooSlow } from './body-errors.ts'
import { GatheredBytes } from './gathered-bytes.ts'
import { inflaterOf } from './inflate.ts'
import { LimitedStream } from './limited-stream.ts'

/** After this many bytes of a body other requests have their turn: one turn of the event loop reads up to 2 MB from each socket. */
const mostOfTurn = 262_144

/** The content coding that changes nothing. */
const identity = 'identity'

/** Whether the status refuses the request for overload: the rest of its body is not read then. */
export const isRefused = (status: number): boolean => status === 503

/** Whether the request has a body of at least one byte, or may have one. */
export const hasBody = (headers: Readonly<Record<string, string>>): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

/** The body of one request; read from the socket at most once. */
export class RequestBody {
  readonly #request: Readable
  readonly #headers: Readonly<Record<string, string>>
  readonly #clock: Clock
  readonly #hold: (bytes: number) => void
  readonly #proceed: () => void
  readonly #onPassed: (bytes: number) => void
  /** Bytes as declared; undefined for chunks. */
  readonly length: number | undefined
  /** As it was sent, once it was read so. */
  #kept: Buffer | undefined

  /**
   * @param hold counts buffered bytes; throws a ServiceError when too many are held
   * @param proceed answers `Expect: 100-continue`, if the client waits for it
   * @param onPassed counts bytes that are passed on as they arrive
   */
  constructor(
    request: Readable,
    headers: Readonly<Record<string, string>>,
    clock: Clock,
    hold: (bytes: number) => void,
    proceed: () => void,
    onPassed: (bytes: number) => void = ignore,
  ) {
    this.#request = request
    this.#headers = headers
    this.#clock = clock
    this.#hold = hold
    this.#proceed = proceed
    this.#onPassed = onPassed
    const length = headers['content-length']
    this.length = length === undefined ? undefined : Number(length)
  }

  /**
   * Reads the whole body; at once where it has arrived, or {@link readCoded} has read it. A small one comes with its head: Node has it once
   * the listener of the request has returned.
   * @throws ServiceError 413, before reading where the length is declared; 408, 400, 415; 503 where too many bytes are held
   */
  read(limits: BodyLimits): Buffer | Promise<Buffer> {
    this.#checkLength(limits)
    const coding = this.#coding
    if (coding === identity) {
      if (this.#kept) return this.#kept
      this.#proceed()
      return this.#take(limits)
    }
    const inflate = inflaterOf(coding)
    const inflated = {
      refusal: (bytes: number) => this.#refusal(bytes),
      body_max_bytes: limits.body_max_bytes,
    }
    return this.readCoded(limits).then((sent) => inflate(sent, inflated))
  }

  /** Reads the whole body as it was sent, with its content coding, and keeps it. ServiceError 413, 408, 400; 503 as {@link read}. */
  async readCoded(limits: BodyLimits): Promise<Buffer> {
    if (this.#kept) return this.#kept
    this.#checkLength(limits)
    this.#proceed()
    this.#kept = await this.#take(limits)
    return this.#kept
  }

  /** Bytes that {@link read} has given, as a body that is passed on. */
  heldAs(bytes: Uint8Array): HeldBody {
    return { bytes, isInflated: this.#coding !== identity }
  }

  get #coding(): string {
    return this.#headers['content-encoding']?.toLowerCase() ?? identity
  }

  #checkLength({ body_max_bytes }: BodyLimits): void {
    if ((this.length ?? 0) > body_max_bytes) throw tooLarge()
  }

  #take(limits: BodyLimits): Buffer | Promise<Buffer> {
    return this.#takeWhole() ?? this.#listen(limits)
  }

  /** Takes a body of declared length that has arrived, without listening to its stream; undefined where it has not. */
  #takeWhole(): Buffer | undefined {
    const { length } = this
    if (length === undefined || this.#request.readableLength !== length) return undefined
    this.#hold(length)
    return this.#request.read() as Buffer
  }

  #listen({ body_max_bytes, body_read_seconds }: BodyLimits): Promise<Buffer> {
    const request = this.#request
    return new Promise((resolve, reject) => {
      const bytes = new GatheredBytes()
      let sizeOfTurn = 0
      let pausing: NodeJS.Immediate | undefined
      const settle = (error?: ServiceError) => {
        stopTimer()
        clearImmediate(pausing)
        request.off('data', onData).off('end', onEnd).off('close', onClose)
        if (error) {
          bytes.drop()
          // the rest is read and dropped while the answer goes out
          if (isRefused(error.status)) request.pause()
          else request.resume()
          reject(error)
        } else {
          resolve(bytes.take())
        }
      }
      const onData = (chunk: Buffer) => {
        const isTooLarge = bytes.size + chunk.length > body_max_bytes
        const problem = isTooLarge ? tooLarge() : this.#refusal(chunk.length)
        if (problem) settle(problem)
        else bytes.add(chunk)
        sizeOfTurn += chunk.length
        if (problem || sizeOfTurn < mostOfTurn) return
        sizeOfTurn = 0
        request.pause()
        pausing = setImmediate(() => request.resume())
      }
      const onEnd = () => settle()
      const onClose = () => settle(gone())
      const stopTimer = this.#clock.after(body_read_seconds, () => settle(tooSlow()))
      request.on('data', onData).on('end', onEnd).on('close', onClose)
      // an aborted request emits `error` and then `close`
      request.on('error', ignore)
    })
  }

  /** Counts bytes that are kept; the error when they are too many. */
  #refusal(bytes: number): ServiceError | undefined {
    try {
      this.#hold(bytes)
      return undefined
    } catch (error) {
      if (error instanceof ServiceError) return error
      throw error
    }
  }

  /**
   * The body as received, still compressed: its bytes where {@link readCoded} has kept them, else a stream, which errors with a
   * ServiceError when a limit is exceeded.
   */
  stream(limits: BodyLimits): RawBody | HeldBody {
    return this.#kept ? { bytes: this.#kept, isInflated: false } : this.arriving(limits)
  }

  /** The body as it arrives. */
  arriving(limits: BodyLimits): RawBody {
    this.#checkLength(limits)
    this.#proceed()
    const stream = new LimitedStream(this.#request, limits, this.#clock, this.#onPassed)
    return { stream, length: this.length }
  }
}
