/** The connections of HTTP/2: what TLS has negotiated is served stream by stream, within the bounds of `http/limits/http2-session.ts`. */
import type { IncomingHttpHeaders, ServerHttp2Session, ServerHttp2Stream } from 'node:http2'
import type { TLSSocket } from 'node:tls'
import type { Clock } from '#component/clock.ts'
import { tellHeld } from '#component/limits/gc-pressure.ts'
import type { NetworkShare } from '#component/limits/network-share.ts'
import { plainAddress } from '#component/syntax/ip-address.ts'
import { type Http2Peer, Http2Peers } from '#http/limits/http2-peers.ts'
import { http2Bounds, sessionOptions } from '#http/limits/http2-session.ts'
import { Http2, type Http2Carrier } from './http2.ts'
import { http2 } from './node-http2.ts'

/** Flag of HEADERS (RFC 9113 §6.2). */
const endStream = 1
/** How often connections are looked after; milliseconds. */
const interval = 1000

/**
 * What a closed connection holds outside of the heap until it is collected, of its sessions of TLS and nghttp2 and of its last streams; bytes, measured:
 * 170 KB where 100 streams were reset.
 */
const bytesOfClosed = (streams: number): number => 16_384 + 2_048 * Math.min(streams, 100)

/**
 * Why connections are over, and none of them: `client` has closed it, `protocol` is a fault or a flood that nghttp2 has ended, `refused`
 * came from a network with too many of these.
 */
export const noneClosed = {
  ...{ client: 0, drain: 0, idle: 0, preface: 0, protocol: 0, refused: 0, requests: 0 },
}

/** Why a connection is over. */
export type CloseReason = keyof typeof noneClosed

/** What serves them, and what they may have. */
export interface Http2Plan {
  readonly limits: {
    readonly http2_streams: number
    readonly http2_idle_timeout: number
    readonly headers_timeout: number
    readonly request_timeout: number
    readonly max_requests_per_socket: number
  }
  readonly clock: Clock
  /** Counts the bytes of bodies that may wait to be read. */
  readonly held: NetworkShare
  /** Whether two hosts are served with one certificate. @param served the host that the client has named for the connection */
  isSameCertificate(served: string, host: string): boolean
  /** Whether an address stands for many clients: that of a trusted proxy. */
  isProxy(address: string): boolean
  /** Whether the node is draining. */
  isClosing(): boolean
  /** Serves a request. */
  serve(transport: Http2): void
}

/** All of a process. */
export class Http2Connections {
  /** Those that are over, by reason. */
  readonly closed: Record<CloseReason, number> = { ...noneClosed }
  readonly #plan: Http2Plan
  readonly #open = new Set<Connection>()
  readonly #turns = new Turns()
  readonly #peers: Http2Peers
  #stopSweep: (() => void) | undefined

  constructor(plan: Http2Plan) {
    this.#plan = plan
    // a client without an address comes by a Unix socket
    this.#peers = new Http2Peers(plan.clock, (address) => address === '' || plan.isProxy(address))
  }

  /** Those that are open. */
  get size(): number {
    return this.#open.size
  }

  /** Serves a connection for which TLS has negotiated `h2`. */
  accept(socket: TLSSocket): void {
    const address = plainAddress(socket.remoteAddress ?? '')
    if (!this.#peers.mayOpen(address)) {
      this.closed.refused += 1
      socket.destroy()
      return
    }
    const connection = new Connection(socket, address, this.#plan, this.#turns, {
      onAsked: () => this.#peers.asked(address, connection),
      mayReset: () => this.#peers.mayReset(address),
      onClose: (reason) => {
        this.closed[reason] += 1
        this.#open.delete(connection)
        this.#peers.over(address, connection)
        if (reason === 'protocol') this.#peers.fault(address)
      },
    })
    this.#open.add(connection)
    this.#peers.begin(address, connection)
    this.#stopSweep ??= this.#plan.clock.after(interval, () => this.#sweep())
  }

  #sweep(): void {
    const now = this.#plan.clock.now()
    for (const connection of this.#open) connection.check(now)
    this.#stopSweep =
      this.#open.size > 0 ? this.#plan.clock.after(interval, () => this.#sweep()) : undefined
  }

  /** Tells all clients which of their requests are served, and that others belong on a new connection; connections end when they have none. */
  drain(): void {
    for (const connection of this.#open) connection.close('drain')
  }

  /** Cuts all connections. */
  destroy(): void {
    this.#stopSweep?.()
    this.#stopSweep = undefined
    for (const connection of this.#open) connection.destroy('drain')
  }
}

/** The connections with requests that have not begun; those beyond what a turn of the event loop may begin wait for the next. */
class Turns {
  #waiting = new Set<Connection>()

  add(connection: Connection): void {
    if (this.#waiting.size === 0) setImmediate(this.#serve)
    this.#waiting.add(connection)
  }

  readonly #serve = (): void => {
    const waiting = this.#waiting
    const served = new Set<Connection>()
    this.#waiting = new Set()
    let left: number = http2Bounds.begunInTurn.all
    for (const connection of waiting) {
      const before = left
      // the first one stands for the connection
      left -= Math.max(connection.serve(left + 1) - 1, 0)
      if (!connection.isWaiting) continue
      if (left < before) served.add(connection)
      else this.#waiting.add(connection)
    }
    for (const connection of served) this.#waiting.add(connection)
    if (this.#waiting.size > 0) setImmediate(this.#serve)
  }
}

/** Told of a connection, each once. */
interface ConnectionListener {
  /** The first request has come. */
  onAsked(): void
  /** The client has reset a request; false where its network has reset too many. */
  mayReset(): boolean
  onClose(reason: CloseReason): void
}

/** One connection. */
class Connection implements Http2Carrier, Http2Peer {
  readonly socket: TLSSocket
  begun = 0
  readonly #plan: Http2Plan
  readonly #session: ServerHttp2Session
  readonly #address: string
  readonly #host: string
  readonly #streams = new Set<Http2>()
  #queue: Http2[] = []
  #reason: CloseReason | undefined
  #hasSettings = false
  /** The host that was last found to have the certificate of the connection. */
  #lastHost: string | undefined
  /** Bytes that the client may send ahead of a body; of two that it may know, the greater. */
  #window: number = http2Bounds.streamWindow
  #isSettingWindow = false
  /** Since when it has no stream; milliseconds. */
  #idleAt: number
  /** When it was told to end; milliseconds. */
  #closedAt: number | undefined

  readonly #turns: Turns

  readonly #listener: ConnectionListener

  constructor(
    socket: TLSSocket,
    address: string,
    plan: Http2Plan,
    turns: Turns,
    listener: ConnectionListener,
  ) {
    this.socket = socket
    this.#listener = listener
    this.#turns = turns
    this.#plan = plan
    this.#idleAt = plan.clock.now()
    this.#address = address
    this.#host = typeof socket.servername === 'string' ? socket.servername : ''
    const session = http2().performServerHandshake(
      socket,
      sessionOptions(plan.limits.http2_streams),
    )
    this.#session = session
    session.on('stream', (stream, headers, flags, raw) => this.#take(stream, headers, flags, raw))
    session.once('remoteSettings', () => {
      this.#hasSettings = true
    })
    session.on('error', ({ code }: NodeJS.ErrnoException) => {
      if (code?.startsWith('ERR_HTTP2') === true) this.#reason ??= 'protocol'
    })
    session.once('close', () => {
      // where the client has not acknowledged SETTINGS, node:http2 keeps the session as long as anything leads from it to its handle
      session.removeAllListeners()
      tellHeld(session, bytesOfClosed(this.begun))
      listener.onClose(this.#reason ?? 'client')
    })
    session.setLocalWindowSize(http2Bounds.window)
  }

  isMisdirected(host: string): boolean {
    if (host === this.#lastHost) return false
    if (!this.#plan.isSameCertificate(this.#host, host)) return true
    this.#lastHost = host
    return false
  }

  tryHold(length: number): number | undefined {
    const { streamWindow: narrow, wideWindow: wide, widePart } = http2Bounds
    const { held } = this.#plan
    const mayBeWide = () =>
      this.#streams.size === 1 && held.heldBy(this.#address) + wide <= held.limit * widePart
    const wanted = length > narrow && mayBeWide() ? wide : narrow
    const bytes = Math.min(length, Math.max(wanted, this.#window))
    if (!held.tryTake(this.#address, bytes)) return undefined
    if (length > narrow && wanted !== this.#window) this.#setWindow(wanted)
    return bytes
  }

  /** Tells the client how far it may send bodies ahead. Node:http2 sets it for all streams, so a wide window is for one that is alone. */
  #setWindow(bytes: number): void {
    if (this.#isSettingWindow) return
    this.#isSettingWindow = true
    this.#window = Math.max(bytes, this.#window)
    this.#session.settings({ initialWindowSize: bytes }, (error) => {
      this.#isSettingWindow = false
      // what the client has sent before it knew of a lower one has come
      if (!error) this.#window = bytes
    })
  }

  give(bytes: number): void {
    this.#plan.held.give(this.#address, bytes)
  }

  /** A stream is served in the turn after its HEADERS: a reset that has come with them undoes it. */
  #take(
    stream: ServerHttp2Stream,
    headers: IncomingHttpHeaders,
    flags: number,
    raw: readonly string[],
  ): void {
    if (this.begun === 0) this.#listener.onAsked()
    this.begun += 1
    const told = { headers, raw, isWhole: (flags & endStream) !== 0 }
    const transport = new Http2(stream, this, told, this.#over, this.#plan.clock.now())
    this.#streams.add(transport)
    if (this.#queue.length === 0) this.#turns.add(this)
    this.#queue.push(transport)
  }

  /** Whether requests have not begun. */
  get isWaiting(): boolean {
    return this.#queue.length > 0
  }

  /** Begins requests. @param most so many of them, and no more than a connection may. Returns how many have begun. */
  serve(most: number): number {
    // now, so that the GOAWAY names all streams of what was read
    const { max_requests_per_socket: last } = this.#plan.limits
    if (this.#plan.isClosing()) this.close('drain')
    else if (last > 0 && this.begun >= last) this.close('requests')
    const room = Math.min(most, http2Bounds.begunInTurn.connection)
    let begun = 0
    let next = 0
    for (; next < this.#queue.length && begun < room; next++) {
      const transport = this.#queue[next]
      if (transport?.isOpen !== true) continue
      begun += 1
      this.#plan.serve(transport)
    }
    this.#queue = next < this.#queue.length ? this.#queue.slice(next) : []
    return begun
  }

  readonly #over = (transport: Http2): void => {
    this.#streams.delete(transport)
    if (this.#streams.size === 0) this.#idleAt = this.#plan.clock.now()
    // its other requests get their responses: clients on other connections of the network may have reset more
    if (transport.isAborted && this.#isOpen && !this.#listener.mayReset()) this.close('protocol')
  }

  /** Ends the connection where it waits in vain, and streams that do. @param now milliseconds */
  check(now: number): void {
    const { http2_idle_timeout, headers_timeout, request_timeout } = this.#plan.limits
    for (const stream of this.#streams) stream.check(now, request_timeout)
    if (this.#streams.size > 0) return
    if (this.#closedAt !== undefined) {
      const last = Math.max(this.#closedAt, this.#idleAt)
      if (now - last >= http2Bounds.farewellMs) this.destroy('client')
    } else if (!this.#hasSettings && now - this.#idleAt >= headers_timeout) this.close('preface')
    else if (now - this.#idleAt >= http2_idle_timeout) this.close('idle')
  }

  /**
   * GOAWAY with the last stream; the connection ends after it. A client that has meanwhile asked more knows that it was not served, and asks
   * on another connection (RFC 9113 §6.8). One that refuses no stream yet cannot be sent first: nghttp2 drops new streams after any.
   */
  close(reason: CloseReason): void {
    if (!this.#isOpen) return
    this.#reason ??= reason
    this.#closedAt = this.#plan.clock.now()
    this.#session.close()
  }

  /** Whether it was not told to end. */
  get #isOpen(): boolean {
    return this.#closedAt === undefined && !this.#session.destroyed
  }

  get isIdle(): boolean {
    return this.#streams.size === 0 && this.#isOpen
  }

  /** Ends it for another one of its network. */
  end(): void {
    if (this.begun === 0) this.destroy('idle')
    else this.close('idle')
  }

  destroy(reason: CloseReason): void {
    if (this.#session.destroyed) return
    this.#reason ??= reason
    this.#session.destroy()
  }
}
