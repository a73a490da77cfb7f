/** One open WebSocket: bytes pass both ways under back-pressure, until a peer ends it, or the gateway does with a Close frame. */
import type { Duplex } from 'node:stream'
import type { SocketTerms } from '#component/action/action.ts'
import type { Clock } from '#component/clock.ts'
import { countPassed } from '#component/limits/gc-pressure.ts'
import { closeFrame, FrameLengths } from '#component/syntax/websocket.ts'

/** Why the gateway ends a WebSocket, and what the client is told (RFC 6455 §7.4.1): the code and the reason of the Close frame. */
const farewells = {
  unauthorized: [1008, 'the credentials have ended'],
  idle: [1001, 'nothing was sent for too long'],
  duration: [1001, 'the time of this connection is over'],
  draining: [1001, 'this node is stopping'],
  target: [1001, 'the upstream was taken away'],
  gone: [1001, 'nothing is served at this path any more'],
} as const

/** Why the gateway ends a WebSocket. */
export type SocketEnding = keyof typeof farewells

/** Milliseconds that a peer may take to end once it is told. */
const farewellMs = 2_000

/** The dependencies of {@link Tunnel}. */
export interface TunnelPorts {
  readonly clock: Pick<Clock, 'now' | 'after'>
  /** Those that hold now: a document that is loaded again may have others. */
  terms(): Pick<SocketTerms, 'idleMs' | 'maxDurationMs'>
  /** Called once, when bytes pass. */
  onBegun(): void
  /** Called once: both connections are closed. */
  onOver(reason: string): void
}

/** Of one request. Nothing passes before {@link begin}. */
export class Tunnel {
  readonly #upstream: Duplex
  readonly #ports: TunnelPorts
  readonly #lengths = new FrameLengths()
  #client: Duplex | undefined
  #reason: string | undefined
  /** The ending that the client is not told of yet, since the upstream is within a frame. */
  #pending: SocketEnding | undefined
  /** Whether bytes of the peer go on to the other one. */
  #passesUp = true
  #passesDown = true
  #isOver = false
  #beganAt = 0
  #lastByteAt = 0
  #stopTimer: () => void = () => undefined
  #stopForce: (() => void) | undefined

  constructor(upstream: Duplex, ports: TunnelPorts) {
    this.#upstream = upstream
    this.#ports = ports
  }

  /** `client` or `upstream`: that peer has ended it; else why the gateway has. */
  get reason(): string {
    return this.#reason ?? 'client'
  }

  /** Passes bytes from now on; the client has been told that it may send. */
  begin(client: Duplex): void {
    const upstream = this.#upstream
    const { clock } = this.#ports
    this.#client = client
    this.#beganAt = this.#lastByteAt = clock.now()
    client.on('data', (bytes: Buffer) => this.#up(bytes))
    client.on('end', () => this.#ended('client', upstream))
    client.on('close', () => this.#closed('client', upstream))
    upstream.on('data', (bytes: Buffer) => this.#down(bytes))
    upstream.on('end', () => this.#ended('upstream', client))
    upstream.on('close', () => this.#closed('upstream', client))
    this.#watch()
    if (upstream.destroyed) this.#closed('upstream', client)
    if (client.destroyed) this.#closed('client', upstream)
    else client.resume()
    upstream.resume()
    this.#ports.onBegun()
  }

  /** It does not begin: its client has gone. */
  cancel(): void {
    this.#upstream.destroy()
    this.#over('client')
  }

  /** Tells the client why, behind the frame that the upstream is sending, and ends; nothing when it has ended. */
  end(reason: SocketEnding): void {
    if (this.#reason !== undefined || !this.#client) return
    this.#reason = reason
    this.#force()
    // who may not be here any more is not heard any more
    if (reason === 'unauthorized') this.#passesUp = false
    this.#pending = reason
    if (this.#lengths.isBetween) this.#farewell()
    else this.#upstream.resume()
  }

  /** What was written to one peer has left: the other one is read again. */
  readonly #readClient = (): void => void this.#client?.resume()
  readonly #readUpstream = (): void => void this.#upstream.resume()

  /** From the client. */
  #up(bytes: Buffer): void {
    if (!this.#passesUp) return
    this.#lastByteAt = this.#ports.clock.now()
    countPassed(bytes.length)
    this.#upstream.write(bytes, this.#readClient)
    // the kernel has taken what it could: what is left is all that is kept
    if (this.#upstream.writableLength > 0) this.#client?.pause()
  }

  /** From the upstream. */
  #down(bytes: Buffer): void {
    if (!this.#passesDown) return
    this.#lastByteAt = this.#ports.clock.now()
    countPassed(bytes.length)
    const isEnding = this.#pending !== undefined
    const end = this.#lengths.read(bytes, isEnding)
    const client = this.#client as Duplex
    client.write(end < bytes.length ? bytes.subarray(0, end) : bytes, this.#readUpstream)
    if (isEnding && this.#lengths.isBetween) this.#farewell()
    else if (client.writableLength > 0) this.#upstream.pause()
  }

  /** Ends the connection of the client behind a Close frame. The Close frame that it answers with goes on to the upstream. */
  #farewell(): void {
    const [code, reason] = farewells[this.#pending as SocketEnding]
    this.#pending = undefined
    this.#passesDown = false
    this.#client?.end(closeFrame(code, reason))
    this.#client?.resume()
    this.#upstream.resume()
    if (!this.#passesUp) this.#upstream.end()
  }

  /** One peer sends no more. */
  #ended(by: 'client' | 'upstream', other: Duplex): void {
    this.#reason ??= by
    if (other.writableFinished) this.#force()
    else other.once('finish', () => this.#force())
    other.end()
  }

  #closed(by: 'client' | 'upstream', other: Duplex): void {
    this.#reason ??= by
    if (other.destroyed) this.#over(by)
    // what has come from the upstream still goes on to the client
    else if (by === 'client') other.destroy()
    else this.#ended(by, other)
  }

  #over(by: string): void {
    this.#reason ??= by
    this.#stopTimer()
    this.#stopForce?.()
    if (this.#isOver) return
    this.#isOver = true
    this.#ports.onOver(this.reason)
  }

  /** Closes what is open in a while. */
  #force(): void {
    this.#stopForce ??= this.#ports.clock.after(farewellMs, () => {
      this.#upstream.destroy()
      this.#client?.destroy()
    })
  }

  /** Looks after idleness and duration: one timer, whatever passes. */
  #watch(): void {
    const { clock, terms } = this.#ports
    const now = clock.now()
    const { idleMs, maxDurationMs } = terms()
    const idleAt = this.#lastByteAt + idleMs
    const endAt = maxDurationMs > 0 ? this.#beganAt + maxDurationMs : Number.POSITIVE_INFINITY
    if (now >= endAt) this.end('duration')
    else if (now >= idleAt) this.end('idle')
    else {
      const waitMs = Math.min(idleAt - now, endAt - now, longestWait)
      this.#stopTimer = clock.after(waitMs, () => this.#watch())
    }
  }
}

/** Milliseconds; a timer of Node cannot wait for longer than 24 days. */
const longestWait = 86_400_000
