/** A channel over a WebSocket: serialized, written in one go per turn of the event loop, and checked for life. */
import { Buffer } from 'node:buffer'
import { WebSocket } from 'ws'
import type { Clock } from '#component/clock.ts'
import { type Channel, ignore } from './channel.ts'
import { FrameWriter } from './frame-writer.ts'
import type { WampMessage } from './link.ts'
import type { Serializer } from './serializers.ts'
import { Survey, tooLarge } from './survey.ts'

/** Where to, and how. */
export interface SocketOptions {
  /** `ws://…` or `wss://…`. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly serializer: Serializer
  /** Largest message that the router takes. */
  readonly maxBytes: number
  /** Milliseconds between two looks at the link; a link silent for two of them is lost. */
  readonly linkCheckMs: number
  readonly clock: Clock
}

/** Milliseconds that a peer may take to close a WebSocket. */
const closeTimeoutMs = 1000

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
  #frames: FrameWriter | undefined
  #isSilent = false
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
      this.#frames = new FrameWriter(websocket, response.socket, 'client')
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
    const survey = new Survey(maxBytes)
    survey.look(message)
    const data = serializer.encode(message, survey.isWide)
    // a character is at most three bytes: count only where it matters
    if (data.length * 3 > maxBytes && Buffer.byteLength(data) > maxBytes) tooLarge()
    this.#frames?.send(data)
  }

  close(): void {
    this.#silence()
    this.#frames?.flush()
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

  #receive(data: Uint8Array): void {
    this.#isSilent = false
    let message: unknown
    try {
      message = this.#options.serializer.decode(data)
    } catch {
      // one peer's broken or hostile message must not end everybody's session: whoever waits for it has a deadline
      return
    }
    if (Array.isArray(message)) this.onMessage(message)
  }

  #scheduleCheck(): void {
    this.#stopCheck = this.#options.clock.after(this.#options.linkCheckMs, () => this.#check())
  }

  /** A half-open connection says nothing: whoever has not answered a ping by the next look is gone (reliability F2). */
  #check(): void {
    if (this.#isSilent) {
      this.#websocket.terminate()
      this.#closed('the link is silent')
      return
    }
    this.#isSilent = true
    this.#websocket.ping()
    this.#scheduleCheck()
  }
}

/** Opens WebSockets to one router. */
export const socketChannel = (options: SocketOptions) => (): Channel => new SocketChannel(options)
