/** One connection of a pool: sends an idempotent request once more where the upstream has closed the connection that was kept. */
import { EventEmitter } from 'node:events'
import type { IncomingHttpHeaders } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { type buildConnector, Client, type Dispatcher } from 'undici'
import { isIdempotent, methodNames, methods } from '#component/request.ts'
import type { JsonMap } from '#component/syntax/values.ts'
import { AnswerHeads } from './answer-heads.ts'
import { type EgressProxy, refusedByProxy } from './egress.ts'

type Options = Dispatcher.DispatchOptions
type Handler = Dispatcher.DispatchHandler
type Controller = Dispatcher.DispatchController

/** The sockets of a connection, one after the other, and what the current one receives. */
class Line {
  #heads = new AnswerHeads()
  #socket: Socket | undefined
  #maySwitch = false

  /** A connector whose sockets give what they receive to {@link AnswerHeads} first. */
  through(connect: buildConnector.connector): buildConnector.connector {
    return (options, callback) =>
      connect(options, (...result) => {
        const [, socket] = result
        if (socket) this.#use(socket)
        callback(...result)
      })
  }

  #use(socket: Socket): void {
    const heads = new AnswerHeads()
    heads.next(this.#maySwitch)
    const push = socket.push.bind(socket)
    socket.push = (chunk: Buffer | null) => heads.receive(chunk, push)
    this.#heads = heads
    this.#socket = socket
  }

  /** The next request begins. @param maySwitch as of {@link AnswerHeads.next} */
  next(maySwitch: boolean): void {
    this.#maySwitch = maySwitch
    this.#heads.next(maySwitch)
  }

  /** Whether the socket had answered another request, has ended, and has brought nothing of an answer to the current one. */
  get hasFailedKept(): boolean {
    return this.#heads.isReused && !this.#heads.hasBytes && this.#socket?.destroyed === true
  }
}

/** A handler that passes each call on to another handler. */
class PassedOn implements Handler {
  protected readonly of: Handler

  constructor(of: Handler) {
    this.of = of
  }

  onRequestStart(controller: Controller, context: unknown): void {
    this.of.onRequestStart?.(controller, context)
  }
  onBodySent(chunk: Buffer): void {
    this.of.onBodySent?.(chunk)
  }
  onResponseStart(
    controller: Controller,
    status: number,
    headers: IncomingHttpHeaders,
    text?: string,
  ): void {
    this.of.onResponseStart?.(controller, status, headers, text)
  }
  onRequestUpgrade(
    controller: Controller,
    status: number,
    headers: IncomingHttpHeaders,
    socket: Duplex,
  ): void {
    this.of.onRequestUpgrade?.(controller, status, headers, socket)
  }
  onResponseData(controller: Controller, chunk: Buffer): void {
    this.of.onResponseData?.(controller, chunk)
  }
  onResponseEnd(controller: Controller, trailers: IncomingHttpHeaders): void {
    this.of.onResponseEnd?.(controller, trailers)
  }
  onResponseError(controller: Controller, error: Error): void {
    this.of.onResponseError?.(controller, error)
  }
}

/** A handler whose request is sent again if its connection was kept, and has ended without a byte of an answer. */
class RepeatedOnce extends PassedOn {
  readonly #by: UpstreamConnection
  readonly #options: Options
  #isSent = false

  constructor(of: Handler, by: UpstreamConnection, options: Options) {
    super(of)
    this.#by = by
    this.#options = options
  }

  override onRequestStart(controller: Controller, context: unknown): void {
    this.#isSent = true
    super.onRequestStart(controller, context)
  }
  override onResponseError(controller: Controller, error: Error): void {
    const isRepeated = this.#isSent && this.#by.repeat(this.#options, this.of)
    if (!isRepeated) super.onResponseError(controller, error)
  }
}

/** A handler that a proxy's refusal of its credentials does not reach as an answer of the upstream. */
class ThroughProxy extends PassedOn {
  override onResponseStart(
    controller: Controller,
    status: number,
    headers: IncomingHttpHeaders,
    text?: string,
  ): void {
    if (status === 407) controller.abort(refusedByProxy())
    else super.onResponseStart(controller, status, headers, text)
  }
}

/** A proxy that is asked for http. */
interface AskedProxy {
  readonly proxy: Pick<EgressProxy, 'authorization'>
  /** What stands before each path: the origin. */
  readonly text: string
  /** A connection for one WebSocket, by a tunnel: a proxy passes no Upgrade on. */
  tunnel(): UpstreamConnection
}

/** Of a request that was not begun. */
const unbegun: Controller = {
  ...{ aborted: false, paused: false, reason: null },
  abort: () => undefined,
  pause: () => undefined,
  resume: () => undefined,
}

const withAuthorization = (options: Options, authorization: string): Options => ({
  ...options,
  headers: { ...(options.headers as JsonMap), 'proxy-authorization': authorization },
})

/** The names of the idempotent methods. */
const idempotent = new Set<string>(
  methods.filter(isIdempotent).map((method) => methodNames[method]),
)

/** Whether the body can be sent again: a stream is read once. */
const isKept = (body: Options['body']): boolean =>
  body === null || body === undefined || typeof body === 'string' || body instanceof Uint8Array

/**
 * A client of undici, which has one connection at a time and one request on it. A request whose kept connection the upstream closes
 * is sent again on a new one, once (RFC 9112 §9.3.1), if nothing of an answer has come, its method is idempotent and its body at hand.
 */
export class UpstreamConnection extends Client {
  readonly #line: Line
  readonly #origin: URL
  readonly #asked: AskedProxy | undefined

  /**
   * @param connect opens its sockets
   * @param asked the proxy that is asked by whole URLs; absent: none is
   */
  constructor(
    origin: URL,
    options: Client.Options,
    connect: buildConnector.connector,
    asked?: AskedProxy,
  ) {
    const line = new Line()
    super(origin, { ...options, connect: line.through(connect) })
    this.#origin = origin
    this.#line = line
    this.#asked = asked
  }

  override dispatch(asked: Options, handler: Handler): boolean {
    if (!this.#asked) return this.#send(asked, handler)
    const { proxy, text, tunnel } = this.#asked
    if (asked.upgrade) {
      const once = tunnel()
      once.dispatch(asked, handler)
      // it ends with the request; a WebSocket goes on
      void once.close()
      return true
    }
    const options = { ...asked, path: `${text}${asked.path}` }
    const watched = new ThroughProxy(handler)
    const authorization = proxy.authorization?.()
    if (authorization === undefined) return this.#send(options, watched)
    if (typeof authorization === 'string') {
      return this.#send(withAuthorization(options, authorization), watched)
    }
    authorization.then(
      (found) => this.#send(withAuthorization(options, found), watched),
      (error: Error) => {
        handler.onResponseError?.(unbegun, error)
        EventEmitter.prototype.emit.call(this, 'drain', this.#origin, [this])
      },
    )
    // it is as busy as with a request: others wait, or go by another connection
    return false
  }

  #send(options: Options, handler: Handler): boolean {
    this.#line.next(options.upgrade !== undefined && options.upgrade !== null)
    if (!isKept(options.body) || !idempotent.has(options.method)) {
      return super.dispatch(options, handler)
    }
    return super.dispatch(options, new RepeatedOnce(handler, this, options))
  }

  /** Sends a request again for the same handler; false where its connection has not failed as a kept one does, or nothing can be sent any more. */
  repeat(options: Options, handler: Handler): boolean {
    // the socket of this connection has ended: undici opens another one
    if (!this.#line.hasFailedKept || this.closed || this.destroyed) return false
    super.dispatch(options, handler)
    return true
  }
}
