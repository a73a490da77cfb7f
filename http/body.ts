/** Reading a body within body_max_bytes, body_read_bytes and body_read_seconds, decompressed where the client compressed it. */
import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate, type ZlibOptions } from 'node:zlib'
import readRaw from 'raw-body'
import type { RawBody } from '#component/action/action.ts'
import type { Clock } from '#component/clock.ts'
import { ServiceError } from '#component/errors.ts'
import { countPassed } from '#component/limits/gc-pressure.ts'
import { Semaphore } from '#component/limits/semaphore.ts'
import type { BodyLimits } from '#component/request.ts'

/** Content codings that are decoded (RFC 9110 §8.4.1). */
const decoders: Readonly<Record<string, (options: Pieces) => NodeJS.ReadWriteStream & Readable>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
}

/** The options of a decoder. */
type Pieces = Pick<ZlibOptions, 'chunkSize'>

/** From this many bytes on a body is inflated in large pieces. */
const largeBody = 16_384

/**
 * The options for a body of this many compressed bytes. Large pieces take less time than many small ones, and the allocator
 * returns pieces of 1 MiB to the system as soon as they are freed (docs/operations.md, "Stopping").
 */
const piecesOf = (bytes: number): Pieces => (bytes < largeBody ? {} : { chunkSize: 1_048_576 })

/** A stream buffers at most this many bytes, whatever body_read_bytes allows: uploads must not fill the memory. */
const maxBuffered = 65_536

/** Compressed bodies are inflated once they have arrived, few at once: what they become takes memory before it is refused. */
const inflating = new Semaphore({
  atOnce: 4,
  waiting: 1000,
  refusal: 'too many compressed bodies wait to be inflated',
})

/** A body decompresses to at most `factor` times its compressed size, or to `floor` bytes. JSON and text usually grow up to 30 times. */
const maxInflation = { factor: 100, floor: 1_000_000 } as const

const tooLarge = () =>
  new ServiceError('service.error.payload_too_large', 'the body is larger than allowed')
const tooDense = () =>
  new ServiceError(
    'service.error.payload_too_large',
    `the body decompresses to more than ${maxInflation.factor} times its compressed size`,
  )
const tooSlow = () =>
  new ServiceError('service.error.request_timeout', 'the body did not arrive in time')
const gone = (cause?: unknown) =>
  new ServiceError('service.error.bad_request', 'the body ended too early', { cause })

/** Whether the status refuses the request for overload: the rest of its body is not read then. */
export const isRefused = (status: number): boolean => status === 503

/** Whether the request has a body of at least one byte, or may have one. */
export const hasBody = (headers: Readonly<Record<string, string>>): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

/** The body of one request; read from the socket at most once. */
export class RequestBody {
  readonly #request: IncomingMessage
  readonly #headers: Readonly<Record<string, string>>
  readonly #clock: Clock
  readonly #hold: (bytes: number) => void
  readonly #proceed: () => void
  /** As it was sent, once it was read so. */
  #kept: Buffer | undefined

  /**
   * @param hold counts buffered bytes; throws a ServiceError when too many are held
   * @param proceed answers `Expect: 100-continue`, if the client waits for it
   */
  constructor(
    request: IncomingMessage,
    headers: Readonly<Record<string, string>>,
    clock: Clock,
    hold: (bytes: number) => void,
    proceed: () => void,
  ) {
    this.#request = request
    this.#headers = headers
    this.#clock = clock
    this.#hold = hold
    this.#proceed = proceed
  }

  /** Bytes as declared; undefined for chunks. */
  get length(): number | undefined {
    const length = this.#headers['content-length']
    return length === undefined ? undefined : Number(length)
  }

  /**
   * Reads the whole body; at once where {@link readCoded} has read it.
   * @throws ServiceError 413, before reading where the length is declared; 408, 400, 415; 503 where too many bytes are held
   */
  read(limits: BodyLimits): Buffer | Promise<Buffer> {
    this.#checkLength(limits)
    const coding = this.#headers['content-encoding']?.toLowerCase() ?? 'identity'
    if (coding === 'identity') {
      if (this.#kept) return this.#kept
      this.#proceed()
      return this.#collect(limits)
    }
    const makeDecoder = Object.hasOwn(decoders, coding) ? decoders[coding] : undefined
    if (!makeDecoder) {
      const message = 'the content coding is not supported'
      throw new ServiceError('service.error.unsupported_media_type', message)
    }
    return this.readCoded(limits).then((sent) =>
      inflating.run(() => this.#inflate(makeDecoder(piecesOf(sent.length)), sent, limits)),
    )
  }

  /** Reads the whole body as it was sent, with its content coding, and keeps it. ServiceError 413, 408, 400; 503 as {@link read}. */
  readCoded(limits: BodyLimits): Promise<Buffer> {
    if (this.#kept) return Promise.resolve(this.#kept)
    this.#checkLength(limits)
    this.#proceed()
    return this.#collect(limits, true)
  }

  #checkLength({ body_max_bytes }: BodyLimits): void {
    if ((this.length ?? 0) > body_max_bytes) throw tooLarge()
  }

  /** Reads the body. A small one comes with its head: Node has it once the listener of the request has returned. */
  async #collect(limits: BodyLimits, isKept = false): Promise<Buffer> {
    await undefined
    const bytes = this.#takeWhole() ?? (await this.#listen(limits))
    if (isKept) this.#kept = bytes
    return bytes
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
      const chunks: Buffer[] = []
      let size = 0
      const settle = (error?: ServiceError) => {
        stopTimer()
        request.off('data', onData).off('end', onEnd).off('close', onClose)
        if (error) {
          // the rest is read and dropped while the answer goes out
          if (isRefused(error.status)) request.pause()
          else request.resume()
          reject(error)
        } else {
          resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks, size))
        }
      }
      const onData = (chunk: Buffer) => {
        size += chunk.length
        const problem = size > body_max_bytes ? tooLarge() : this.#refusal(chunk.length)
        if (problem) settle(problem)
        else chunks.push(chunk)
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

  async #inflate(
    decoder: NodeJS.ReadWriteStream & Readable,
    sent: Buffer,
    { body_max_bytes }: BodyLimits,
  ): Promise<Buffer> {
    const most = Math.max(maxInflation.floor, maxInflation.factor * sent.length)
    let size = 0
    decoder.on('data', (chunk: Buffer) => {
      size += chunk.length
      const problem = size > most ? tooDense() : this.#refusal(chunk.length)
      if (problem) decoder.destroy(problem)
    })
    decoder.end(sent)
    try {
      return await readRaw(decoder, { limit: body_max_bytes })
    } catch (cause) {
      decoder.destroy()
      if (cause instanceof ServiceError) throw cause
      if (cause instanceof Error && 'type' in cause && cause.type === 'entity.too.large') {
        throw tooLarge()
      }
      const message = 'the body does not match its Content-Encoding'
      throw new ServiceError('service.error.bad_request', message, { cause })
    } finally {
      // the pieces are garbage: they were put together, or there were too many
      countPassed(size)
    }
  }

  /** The body as received, still compressed; the stream errors with a ServiceError when a limit is exceeded. */
  stream(limits: BodyLimits): RawBody {
    const kept = this.#kept
    if (kept) return { stream: Readable.from([kept], { objectMode: false }), length: kept.length }
    this.#checkLength(limits)
    this.#proceed()
    return { stream: new LimitedStream(this.#request, limits, this.#clock), length: this.length }
  }
}

/** Ignores the `error` of an aborted request: its `close` reports the same. */
const ignore = () => undefined

/** Passes the bytes of a request on: at most body_max_bytes, each body_read_bytes within body_read_seconds. */
class LimitedStream extends Readable {
  readonly #request: IncomingMessage
  readonly #limits: BodyLimits
  readonly #clock: Clock
  #size = 0
  /** Bytes since the clock was set: each body_read_bytes may take body_read_seconds. */
  #window = 0
  #stopTimer: (() => void) | undefined

  constructor(request: IncomingMessage, limits: BodyLimits, clock: Clock) {
    super({ highWaterMark: Math.max(1, Math.min(limits.body_read_bytes, maxBuffered)) })
    this.#request = request
    this.#limits = limits
    this.#clock = clock
    request.on('data', this.#onData).on('end', this.#onEnd).on('close', this.#onClose)
    request.on('error', ignore).pause()
  }

  readonly #onData = (chunk: Buffer) => {
    countPassed(chunk.length)
    this.#size += chunk.length
    this.#window += chunk.length
    if (this.#size > this.#limits.body_max_bytes) {
      this.destroy(tooLarge())
      return
    }
    if (this.#window >= Math.max(this.#limits.body_read_bytes, maxBuffered)) {
      this.#window = 0
      this.#setTimer()
    }
    if (!this.push(chunk)) {
      this.#request.pause()
      // the reader is slow now, not the client
      this.#clearTimer()
    }
  }

  readonly #onEnd = () => {
    this.#clearTimer()
    this.push(null)
  }

  readonly #onClose = () => {
    if (!this.#request.readableEnded) this.destroy(gone())
  }

  #setTimer(): void {
    this.#clearTimer()
    const { body_read_seconds } = this.#limits
    this.#stopTimer = this.#clock.after(body_read_seconds, () => this.destroy(tooSlow()))
  }

  #clearTimer(): void {
    this.#stopTimer?.()
    this.#stopTimer = undefined
  }

  override _read(): void {
    if (!this.#stopTimer && !this.#request.readableEnded) this.#setTimer()
    this.#request.resume()
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.#clearTimer()
    this.#request.off('data', this.#onData).off('end', this.#onEnd).off('close', this.#onClose)
    // the rest of the body is read and dropped
    this.#request.resume()
    callback(error)
  }
}
