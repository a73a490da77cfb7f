/** A channel over a WebSocket: serialized, written in few goes per turn of the event loop, and checked for life. */
import { Buffer } from 'node:buffer'
import type { Socket } from 'node:net'
import { WebSocket } from 'ws'
import type { Clock } from '#component/clock.ts'
import { routerRules } from '#component/codec/limits.ts'
import type { Serializer } from '#component/codec/serializers.ts'
import { type Channel, checkMessage, ignore, tooLarge } from './channel.ts'
import type { WampMessage } from './link.ts'

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

const suspended = 'the process was suspended'

/** Frames in one write: with more of them Crossbar.io serves fewer calls (docs/performance.md). */
const framesPerWrite = 4

/** Bytes of a frame: `ws` hands over one Buffer for each message as long as fragments are not asked for. */
const bytesOf = (data: WebSocket.RawData): Uint8Array => {
  if (data instanceof Uint8Array) return data
  return Array.isArray(data) ? Buffer.concat(data) : new Uint8Array(data)
}

class SocketChannel implements Channel {
  onOpen = ignore
  onMessage: (message: WampMessage) => void = ignore
  onClose: (reason: string) => void = ignore
  readonly #options: SocketOptions
  readonly #websocket: WebSocket
  #socket: Socket | undefined
  /** Frames of this turn of the event loop. */
  #corked = 0
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
    websocket.on('close', () => this.#closed(this.#problem))
  }

  send(message: WampMessage): void {
    if (this.#websocket.readyState !== WebSocket.OPEN) return
    const { serializer, maxBytes } = this.#options
    const data = serializer.encode(message, checkMessage(message, maxBytes))
    // a character is at most three bytes: count only where it matters
    if (data.length * 3 > maxBytes && Buffer.byteLength(data) > maxBytes) throw tooLarge()
    this.#cork()
    this.#websocket.send(data)
  }

  close(): void {
    this.#silence()
    this.#websocket.close(1000)
  }

  destroy(): void {
    this.#silence()
    this.#websocket.terminate()
  }

  #silence(): void {
    this.#stopCheck()
    this.onOpen = ignore
    this.onMessage = ignore
    this.onClose = ignore
  }

  #closed(reason: string): void {
    const { onClose } = this
    this.#silence()
    onClose(reason)
  }

  /**
   * Writes the frames of one turn of the event loop in few goes, because each write costs a system call. A single one would keep
   * the callee idle on a router that answers only after it has worked through all that it has read.
   */
  #cork(): void {
    const socket = this.#socket
    if (!socket) return
    if (this.#corked === 0) setImmediate(this.#uncork)
    if (this.#corked % framesPerWrite === 0) {
      socket.uncork()
      socket.cork()
    }
    this.#corked += 1
  }

  readonly #uncork = (): void => {
    this.#corked = 0
    this.#socket?.uncork()
  }

  #receive(data: Uint8Array): void {
    // the event loop delivers what arrived during a suspension before it runs any timer
    if (this.#hasStoodStill()) {
      this.#lose(suspended)
      return
    }
    this.#isSilent = false
    let message: unknown
    try {
      message = this.#options.serializer.decode(data, routerRules)
    } catch {
      // one peer's broken message must not end the session for all; a request that waits for it has a deadline
      return
    }
    if (Array.isArray(message)) this.onMessage(message)
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
    this.#websocket.terminate()
    this.#closed(reason)
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
