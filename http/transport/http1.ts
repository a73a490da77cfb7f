/** A request and its response of HTTP/1.1 or HTTP/1.0, as node:http has them. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { pipeline, type Readable } from 'node:stream'
import { asBuffer } from '#component/codec/as-buffer.ts'
import type { Sink } from '#component/stream/sink.ts'
import { hasBody } from '#http/body/request-body.ts'
import { closeSlowly } from '#http/close-slowly.ts'
import { stuckAfter, watchUnread } from '#http/limits/idle-connections.ts'
import type { Pipeline } from '#http/limits/pipeline.ts'
import { preflight, type Refusal, type Target } from '#http/preflight.ts'
import { takeSocket } from '#http/upgrade.ts'
import { enqueue } from '#http/write-queue.ts'
import { ResponseSink } from './http1-sink.ts'
import type { Messages, StreamOwner, Transport } from './transport.ts'

/** Content up to this size is cheaper to copy than to send in a separate write; bytes. */
const maxCopied = 16_384

/** One exchange of node:http. */
export class Http1 implements Transport {
  readonly #request: IncomingMessage
  readonly #response: ServerResponse
  readonly #pipeline: Pipeline | undefined

  /** @param pipeline counts the request until its response is over; absent: none does */
  constructor(request: IncomingMessage, response: ServerResponse, pipeline?: Pipeline) {
    this.#request = request
    this.#response = response
    this.#pipeline = pipeline
  }

  get version(): string {
    return this.#request.httpVersion
  }

  get connection(): Socket {
    return this.#request.socket
  }

  /** The connection where its server is one of the gateway, which closes it for a client that takes nothing of a response. */
  get #watched(): Socket | undefined {
    return this.#pipeline && this.#request.socket
  }

  get incoming(): Readable {
    return this.#request
  }

  get isReceived(): boolean {
    return this.#request.complete
  }

  get isAlone(): boolean {
    return this.#pipeline?.isAlone(this.#request) === true
  }

  get isFirst(): boolean {
    return this.#request.socket.bytesWritten === 0
  }

  /** Of the connection: those of earlier responses are among them. */
  get bytesWritten(): number {
    return this.#request.socket.bytesWritten
  }

  get isOpen(): boolean {
    return this.#request.socket.writable
  }

  get status(): number | undefined {
    return this.#response.headersSent ? this.#response.statusCode : undefined
  }

  get isEnded(): boolean {
    return this.#response.writableEnded
  }

  get isDelivered(): boolean {
    return this.#response.writableFinished
  }

  get isDestroyed(): boolean {
    return this.#response.destroyed
  }

  get origin(): string | undefined {
    return this.#request.headers.origin
  }

  get isHead(): boolean {
    return this.#request.method === 'HEAD'
  }

  read(mayKeepSlashes: boolean): Target | Refusal {
    return preflight(this.#request, mayKeepSlashes)
  }

  hasBody(headers: Readonly<Record<string, string>>): boolean {
    return hasBody(headers)
  }

  onClose(callback: () => void): void {
    this.#response.on('close', () => {
      this.#pipeline?.answered(this.#request)
      // the response behind it is written by now
      watchUnread(this.#watched)
      callback()
    })
  }

  proceed(): void {
    this.#response.writeContinue()
  }

  /** HTTP/1.0 has no 1xx (RFC 9110 §15.2). Not for a client that has not yet taken what was sent before. */
  hint(links: readonly string[]): boolean {
    const { httpVersion, socket } = this.#request
    if (httpVersion !== '1.1' || this.#response.headersSent || this.#response.destroyed)
      return false
    if (socket.writableNeedDrain) return false
    this.#response.writeEarlyHints({ link: [...links] })
    return true
  }

  last(isRead: boolean): void {
    const { complete, socket } = this.#request
    this.#response.shouldKeepAlive = false
    if (complete) return
    // closes slowly after the last response
    socket.destroySoon = () => {
      socket.end()
      closeSlowly(socket, isRead)
    }
  }

  begin(status: number, head: string[]): void {
    this.#response.writeHead(status, head)
  }

  /**
   * In the same write as the head: node:http joins them when both are text. The content is written as latin1, one byte a character,
   * wherever that loses nothing: it takes less CPU time than UTF-8.
   */
  end(content: string | Uint8Array | undefined, length: number | undefined): void {
    const response = this.#response
    const socket = this.#watched
    if (typeof content === 'string') {
      const encoding = length === content.length ? 'latin1' : 'utf8'
      enqueue({ response, content, encoding, socket })
    } else if (content === undefined || content.length > maxCopied) {
      enqueue({ response, content, encoding: 'utf8', socket })
    } else {
      const text = asBuffer(content).toString('latin1')
      enqueue({ response, content: text, encoding: 'latin1', socket })
    }
  }

  pipe(stream: Readable, length: number | undefined): void {
    const response = this.#response
    // only a stream can differ from its declared length; for other bodies the check would cost a second write
    response.strictContentLength = true
    // the head of an event stream must not wait for the first event
    if (length === undefined) response.flushHeaders()
    this.#watched?.setTimeout(stuckAfter)
    // a failure closes the connection, so that the client notices the incomplete body
    pipeline(stream, response, () => undefined)
  }

  pipeEvents(owner: StreamOwner, begin: (sink: Sink) => void): void {
    const response = this.#response
    begin(new ResponseSink(response, owner, this.#watched && stuckAfter))
    // the head leaves with the first frame, or without one
    if (!response.writableEnded) response.flushHeaders()
    if (response.shouldKeepAlive || !response.socket) return
    this.#pipeline?.release(this.#request)
  }

  takeConnection(): Socket | null {
    this.#response.flushHeaders()
    return takeSocket(this.#response)
  }

  reset(): void {
    this.#response.destroy()
  }

  messages(): Messages {
    this.#watched?.setTimeout(stuckAfter)
    return { request: this.#request, response: this.#response }
  }
}
