/** A request and its response on a stream of HTTP/2, by the core of node:http2. */
import type { IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2'
import type { Socket } from 'node:net'
import { pipeline, type Readable, Writable } from 'node:stream'
import type { Sink } from '#component/stream/sink.ts'
import { remembered } from '#component/syntax/remembered.ts'
import { http2Bounds } from '#http/limits/http2-session.ts'
import { preflightHttp2, Refusal, type Target } from '#http/preflight.ts'
import { Http2Sink } from './http2-sink.ts'
import { http2 } from './node-http2.ts'
import type { Messages, StreamOwner, Transport } from './transport.ts'

/** Codes of RFC 9113 §7. */
const codes = { none: 0, internal: 2, cancel: 8 } as const

/** Fields of a connection, which HTTP/2 has not (RFC 9113 §8.2.2). */
const connectionFields = new Set([
  'connection',
  'http2-settings',
  'keep-alive',
  'proxy-connection',
  'te',
  'transfer-encoding',
  'upgrade',
])

/** The connection of a stream. */
export interface Http2Carrier {
  readonly socket: Socket
  /** Streams that have begun. */
  readonly begun: number
  /** Whether the certificate of the connection is not the one for a host. */
  isMisdirected(host: string): boolean
  /**
   * Counts what may wait to be read of a body. Returns its bytes; undefined, with nothing taken, when too many are held.
   * @param length of the body in bytes; Infinity: unknown
   */
  tryHold(length: number): number | undefined
  give(bytes: number): void
}

/** What the event of a stream tells. */
export interface Http2Head {
  readonly headers: IncomingHttpHeaders
  /** Names and values in turn, the pseudo-header fields among them. */
  readonly raw: readonly string[]
  /** Whether the request ends with its head. */
  readonly isWhole: boolean
}

/** A name as HTTP/2 has it (RFC 9113 §8.2.1); undefined: it is none. The same few names come again and again. */
const nameOf = remembered((name: string): string | undefined =>
  /^[\w!#$%&'*+.^`|~-]+$/.test(name) ? name.toLowerCase() : undefined,
)

/** What a value must not have, as node:http judges it (RFC 9110 §5.5). */
const unfit = /[^\t\x20-\x7e\x80-\xff]/

const ignore = (): void => undefined

const misdirected = () =>
  new Refusal('service.error.misdirected_request', 'this connection is not for the host')

const full = () =>
  new Refusal(
    'service.error.unavailable',
    'the bodies and responses in memory have reached their limit',
    undefined,
    { 'retry-after': '1' },
  )

/** One stream. */
export class Http2 implements Transport {
  readonly version = '2'
  readonly #stream: ServerHttp2Stream
  readonly #carrier: Http2Carrier
  readonly #told: Http2Head
  /** The fields of the response, once they are made; pseudo-header fields first. */
  #head: string[] | undefined
  #status: number | undefined
  #isEnded = false
  #isLast = false
  #isReset = false
  /** Bytes of the content that the stream was given. */
  #given = 0
  #messages: Messages | undefined
  #onClose: (() => void) | undefined
  /** When the client has last taken something, or nothing waited; how much it had taken. */
  #movedAt: number
  #movedBytes = 0
  readonly #begunAt: number

  /**
   * @param onClosed is called once, when the stream is closed
   * @param now milliseconds
   */
  constructor(
    stream: ServerHttp2Stream,
    carrier: Http2Carrier,
    told: Http2Head,
    onClosed: (transport: Http2) => void,
    now: number,
  ) {
    this.#stream = stream
    this.#carrier = carrier
    this.#told = told
    this.#begunAt = now
    this.#movedAt = now
    stream.on('error', ignore)
    stream.on('close', () => {
      onClosed(this)
      this.#over()
    })
    // one that has come as a whole closes when its response is over
    if (!told.isWhole) {
      stream.on('finish', () => {
        // node:http2 ends the response to HEAD before it begins
        if (!stream.headersSent && !stream.aborted) return
        this.#finish()
        this.#over()
      })
    }
  }

  get connection(): Socket {
    return this.#carrier.socket
  }

  get incoming(): Readable {
    return this.#stream
  }

  get isReceived(): boolean {
    return this.#told.isWhole || this.#stream.readableEnded || this.#stream.state.remoteClose === 1
  }

  /** Other requests of the connection wait for no other. */
  get isAlone(): boolean {
    return false
  }

  get isFirst(): boolean {
    return this.#carrier.begun === 1
  }

  /** Of the content of this response. */
  get bytesWritten(): number {
    if (this.#messages) return Number(this.#stream.sentHeaders?.['content-length'] ?? 0)
    return this.#given - this.#stream.writableLength
  }

  get isOpen(): boolean {
    return !this.isDestroyed
  }

  get status(): number | undefined {
    if (this.#messages && this.#stream.headersSent) {
      return Number(this.#stream.sentHeaders?.[':status'])
    }
    return this.#status
  }

  get isEnded(): boolean {
    return this.#isEnded || (this.#messages !== undefined && this.#stream.writableEnded)
  }

  get isDelivered(): boolean {
    const { headersSent, writableFinished, aborted } = this.#stream
    return headersSent && writableFinished && !aborted
  }

  /** Whether the client has reset the stream, or its connection is closed, before the response was given. */
  get isAborted(): boolean {
    return this.#stream.aborted && !this.#isReset
  }

  get isDestroyed(): boolean {
    return this.#stream.destroyed || this.#stream.closed
  }

  get origin(): string | undefined {
    return this.#told.headers.origin
  }

  get isHead(): boolean {
    return this.#told.headers[':method'] === 'HEAD'
  }

  /** Whether the client waits for 100 (Continue). */
  get isWaiting(): boolean {
    return this.#told.headers.expect?.toLowerCase() === '100-continue'
  }

  read(mayKeepSlashes: boolean): Target | Refusal {
    const target = preflightHttp2(this.#told.raw, mayKeepSlashes)
    if (target instanceof Refusal) return target
    if (this.#carrier.isMisdirected(target.authority.host)) return misdirected()
    return this.hasBody(target.headers) && !this.#holdBody(target.headers) ? full() : target
  }

  hasBody(headers: Readonly<Record<string, string>>): boolean {
    return !this.#told.isWhole && headers['content-length'] !== '0'
  }

  /** Counts what may wait to be read of the body, until all of it has come. */
  #holdBody(headers: Readonly<Record<string, string>>): boolean {
    const bytes = this.#carrier.tryHold(Number(headers['content-length'] ?? Infinity))
    if (bytes === undefined) return false
    let isHeld = true
    const give = () => {
      if (isHeld) this.#carrier.give(bytes)
      isHeld = false
    }
    this.#stream.once('end', give).once('close', give)
    return true
  }

  onClose(callback: () => void): void {
    this.#onClose = callback
  }

  #over(): void {
    const callback = this.#onClose
    this.#onClose = undefined
    callback?.()
  }

  /** The rest of a request whose response is over: read, so that the stream ends, or refused (RFC 9113 §8.1). */
  #finish(): void {
    if (this.isDestroyed || this.isReceived) return
    if (this.#isLast) this.#stream.close(codes.none)
    else this.#stream.resume()
  }

  proceed(): void {
    if (!this.isDestroyed && !this.#stream.headersSent) {
      this.#stream.additionalHeaders({ ':status': 100 })
    }
  }

  hint(links: readonly string[]): boolean {
    if (this.status !== undefined || this.isDestroyed) return false
    this.#stream.additionalHeaders({ ':status': 103, link: links.join(', ') })
    return true
  }

  last(isRead: boolean): void {
    this.#isLast = !this.isReceived
    if (this.#isLast && isRead) this.#stream.resume()
  }

  /** @throws TypeError, RangeError for a head that cannot be sent, as node:http does */
  begin(status: number, head: string[]): void {
    if (status < 200 || status > 599) throw new RangeError(`invalid status ${status}`)
    const fields = [':status', String(status)]
    for (let at = 0; at < head.length; at += 2) {
      const name = nameOf(head[at] ?? '')
      const value = head[at + 1] ?? ''
      if (name === undefined || unfit.test(value)) {
        throw new TypeError(`the field ${head[at]} cannot be sent`)
      }
      if (!connectionFields.has(name)) fields.push(name, value)
    }
    this.#head = fields
    this.#status = status
  }

  /** Sends the head; false where the stream is closed. */
  #respond(endStream: boolean): boolean {
    if (this.isDestroyed || this.#head === undefined) return false
    this.#stream.respond(this.#head, { endStream })
    return true
  }

  end(content: string | Uint8Array | undefined, length: number | undefined): void {
    this.#isEnded = true
    const isEmpty = content === undefined || content.length === 0
    if (!this.#respond(isEmpty) || isEmpty) return
    const isLatin = typeof content === 'string' && content.length === length
    if (isLatin && length <= http2Bounds.slice) {
      this.#given += length
      this.#stream.end(content, 'latin1')
      return
    }
    const bytes = typeof content === 'string' ? Buffer.from(content) : content
    this.#send(bytes, (error) => {
      if (!error) this.#stream.end()
    })
  }

  /** Gives the stream bytes in slices, each when the one before has left: nghttp2 keeps little, and what moves is seen. */
  #send(bytes: Uint8Array, done: (error?: Error | null) => void): void {
    const slice = bytes.length <= http2Bounds.slice ? bytes : bytes.subarray(0, http2Bounds.slice)
    this.#given += slice.length
    this.#stream.write(slice, (error) => {
      if (error || slice.length === bytes.length) done(error)
      else if (this.isDestroyed) done(new Error('the stream is closed'))
      else this.#send(bytes.subarray(slice.length), done)
    })
  }

  pipe(stream: Readable, length: number | undefined): void {
    let size = 0
    const wrong = () => new Error(`the content has another length than ${length}`)
    const out = new Writable({
      highWaterMark: http2Bounds.slice,
      write: (chunk: Buffer, _encoding, done) => {
        size += chunk.length
        if (length !== undefined && size > length) done(wrong())
        else this.#send(chunk, done)
      },
      final: (done) => {
        if (length !== undefined && size !== length) {
          done(wrong())
          return
        }
        this.#isEnded = true
        this.#stream.end()
        done()
      },
    })
    if (!this.#respond(false)) {
      stream.destroy()
      return
    }
    this.#stream.once('close', () => out.destroy())
    // a failure resets the stream, so that the client notices the incomplete body
    pipeline(stream, out, (error) => {
      if (error) this.reset()
    })
  }

  pipeEvents(owner: StreamOwner, begin: (sink: Sink) => void): void {
    this.#respond(false)
    const write = (bytes: Uint8Array) => {
      this.#given += bytes.length
      this.#stream.write(bytes)
    }
    const end = () => {
      this.#isEnded = true
      this.#stream.end()
    }
    const handed = () => this.bytesWritten
    const cut = () => this.#reset(codes.cancel)
    begin(new Http2Sink({ stream: this.#stream, owner, write, end, handed, cut }))
  }

  takeConnection(): null {
    return null
  }

  reset(): void {
    this.#reset(codes.internal)
  }

  #reset(code: number): void {
    if (this.#stream.destroyed) return
    this.#isReset = true
    if (!this.#stream.closed) this.#stream.close(code)
    // the handle is not kept for a client that takes nothing
    this.#stream.destroy()
  }

  messages(): Messages {
    if (this.#messages) return this.#messages
    const { Http2ServerRequest, Http2ServerResponse } = http2()
    const { headers, raw } = this.#told
    this.#messages = {
      request: new Http2ServerRequest(this.#stream, headers, {}, raw),
      response: new Http2ServerResponse(this.#stream),
    }
    return this.#messages
  }

  /** Resets the stream where its client takes nothing of what waits, or does not send its request in time. @param now milliseconds */
  check(now: number, requestTimeout: number): void {
    const moved = this.bytesWritten
    if (this.#stream.writableLength === 0 || moved !== this.#movedBytes) {
      this.#movedAt = now
      this.#movedBytes = moved
    }
    const isStuck = now - this.#movedAt >= http2Bounds.stuckMs
    const isLate = now - this.#begunAt >= requestTimeout && !this.isReceived
    if (isStuck || isLate) this.#reset(codes.cancel)
  }
}
