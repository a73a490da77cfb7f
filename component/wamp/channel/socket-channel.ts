/** A channel over a WebSocket: serialized, written in few goes per turn of the event loop, and checked for life. */
import { Buffer } from 'node:buffer'
import type { Socket } from 'node:net'
import { WebSocket } from 'ws'
import type { Clock } from '#component/clock.ts'
import { routerRules } from '#component/codec/limits.ts'
import { readMessage, type Serializer } from '#component/codec/serializers.ts'
import type { WampMessage } from '#component/wamp/link.ts'
import { type Channel, checkMessage, ignore, tooLarge } from './channel.ts'
import { Cork } from './cork.ts'

/** Where to, and how. */
export interface SocketOptions {
  /** `ws://…` or `wss://…`. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly serializer: Serializer
  /** Largest message that the router takes. */
  readonly maxBytes: number
  /** Milliseconds between two checks of the link; a link that is silent for two of them is lost. */
  readonly linkCheckMs: number
  readonly clock: Clock
}

/** Milliseconds that a peer may take to close a WebSocket. */
const closeTimeoutMs = 1000

/** A later check of the link shows that the process was suspended, and that the router has given it up; milliseconds. */
const stillMs = 5000

/** Why a connection ends after the process stood still: nothing is said of the router. */
export const suspended = 'the process was suspended'

/**
 * Frames in one write. With all frames of a turn in one, the callee would be idle while the router works through what it has read:
 * Crossbar.io serves fewer calls then (docs/performance.md).
 */
const framesPerWrite = 4

/** Bytes of a frame: `ws` hands over one Buffer for each message as long as fragments are not asked for. */
const bytesOf = (data: WebSocket.RawData): Uint8Array => {
  if (data instanceof Uint8Array) return data
  return Array.isArray(data) ? Buffer.concat(data) : new Uint8Array(data)
}

class SocketChannel implements Channel {
  onOpen: Channel['onOpen'] = ignore
  onMessage: Channel['onMessage'] = ignore
  onUnreadable: Channel['onUnreadable'] = ignore
  onClose: Channel['onClose'] = ignore
  readonly #options: SocketOptions
  readonly #websocket: WebSocket
  #socket: Socket | undefined
  readonly #cork = new Cork(framesPerWrite)
  #isSilent = false
  /** Time of the next check of the link; milliseconds since the epoch. */
  #dueAt = Number.POSITIVE_INFINITY
  #stopCheck = ignore
  #problem = 'the router closed the connection'

  constructor(options: SocketOptions) {
    this.#options = options
    const { url, headers, serializer } = options
    // @types/ws does not know closeTimeout yet
    const clientOptions = { headers, perMessageDeflate: false, closeTimeout: closeTimeoutMs }
    const websocket = new WebSocket(url, [serializer.protocol], clientOptions)
    this.#websocket = websocket
    websocket.on('upgrade', (response) => {
      this.#socket = response.socket
    })
    websocket.on('open', () => {
      this.#scheduleCheck()
      this.onOpen()
    })
    websocket.on('message', (data) => this.#receive(bytesOf(data)))
    websocket.on('pong', () => {
      this.#isSilent = false
    })
    websocket.on('error', (error) => {
      this.#problem = error.message
    })
    websocket.on('close', () => {
      this.#stopCheck()
      this.onClose(this.#problem)
    })
  }

  send(message: WampMessage): void {
    if (this.#websocket.readyState !== WebSocket.OPEN) return
    const { serializer, maxBytes } = this.#options
    const data = serializer.encode(message, checkMessage(message, maxBytes))
    // a character is at most three bytes: count only where it matters
    if (data.length * 3 > maxBytes && Buffer.byteLength(data) > maxBytes) throw tooLarge()
    if (this.#socket) this.#cork.frame(this.#socket)
    this.#websocket.send(data)
  }

  close(): void {
    this.#stopCheck()
    this.#websocket.close(1000)
  }

  destroy(): void {
    this.#stopCheck()
    this.#websocket.terminate()
  }

  #receive(data: Uint8Array): void {
    // the event loop delivers what arrived during a suspension before it runs any timer
    if (this.#hasStoodStill()) {
      this.#lose(suspended)
      return
    }
    this.#isSilent = false
    const { fields, problem } = readMessage(this.#options.serializer, data, routerRules)
    const message = Array.isArray(fields) ? fields : []
    if (problem !== undefined) this.onUnreadable(message, problem)
    else this.onMessage(message)
  }

  #scheduleCheck(): void {
    const { clock, linkCheckMs } = this.#options
    this.#dueAt = clock.now() + linkCheckMs
    this.#stopCheck = clock.after(linkCheckMs, () => this.#check())
  }

  /**
   * A process that was suspended, or whose machine was, resumes with requests that are long out of date. Their callers have given up:
   * the session ends with its registrations, and the next one begins with current requests.
   */
  #hasStoodStill(): boolean {
    return this.#options.clock.now() > this.#dueAt + stillMs
  }

  #lose(reason: string): void {
    this.destroy()
    this.onClose(reason)
  }

  /** A half-open connection is silent: a router that has not answered a ping by the next check is lost (reliability F2). */
  #check(): void {
    if (this.#isSilent || this.#hasStoodStill()) {
      this.#lose(this.#hasStoodStill() ? suspended : 'the link is silent')
      return
    }
    this.#isSilent = true
    this.#websocket.ping()
    this.#scheduleCheck()
  }
}

/** Opens WebSockets to one router. */
export const socketChannel = (options: SocketOptions) => (): Channel => new SocketChannel(options)
