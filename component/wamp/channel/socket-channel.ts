/** Channels over sockets, by the URL of the router: WebSocket or RawSocket. */

import { Buffer } from 'node:buffer'
import type { Socket } from 'node:net'
import { WebSocket } from 'ws'
import type { WampMessage } from '#component/wamp/link.ts'
import { rawSocketAddress } from '#component/wamp/routers/router-url.ts'
import type { Channel } from './channel.ts'
import { Cork } from './cork.ts'
import { Drain } from './drain.ts'
import { RawSocketChannel } from './rawsocket-channel.ts'
import {
  closeTimeoutMs,
  framesPerWrite,
  SerializedChannel,
  type SocketOptions,
} from './serialized-channel.ts'

/** Bytes of a frame: `ws` hands over one Buffer for each message as long as fragments are not asked for. */
const bytesOf = (data: WebSocket.RawData): Uint8Array => {
  if (data instanceof Uint8Array) return data
  return Array.isArray(data) ? Buffer.concat(data) : new Uint8Array(data)
}

/** A status of WebSocket (RFC 6455 §7.4.1). */
const messageTooBig = 1009

/** Connects to a `ws:` or `wss:` URL. */
class WebSocketChannel extends SerializedChannel {
  readonly #websocket: WebSocket
  protected socket: Socket | undefined
  readonly #cork = new Cork(framesPerWrite)
  readonly #drain = new Drain()
  /** The largest message that was sent: what a router with a limit closes the connection over, since it took all others. */
  #largest: WampMessage | undefined
  #largestBytes = 0

  constructor(options: SocketOptions) {
    super(options)
    const { url, headers, serializer } = options
    // @types/ws does not know closeTimeout yet
    const clientOptions = { headers, perMessageDeflate: false, closeTimeout: closeTimeoutMs }
    const websocket = new WebSocket(url, [serializer.protocol], clientOptions)
    this.#websocket = websocket
    websocket.on('upgrade', (response) => {
      this.socket = response.socket
    })
    websocket.on('open', () => this.opened())
    websocket.on('message', (data) => {
      if (this.check.hear()) this.receive(bytesOf(data))
    })
    websocket.on('pong', () => this.check.hear())
    websocket.on('error', (error) => {
      this.problem = error.message
    })
    websocket.on('close', (code) => {
      this.check.stop()
      if (code === messageTooBig && this.#largest) {
        this.problem = `the router takes no message of ${this.#largestBytes} bytes`
        options.onTooLarge?.(this.#largestBytes)
        this.onTooLarge(this.#largest, this.#largestBytes)
      }
      this.onClose(this.problem)
    })
  }

  send(message: WampMessage, maxBytes?: number): void {
    if (this.#websocket.readyState !== WebSocket.OPEN) return
    const data = this.encode(message, maxBytes)
    if (data.length > this.#largestBytes) {
      this.#largestBytes = data.length
      this.#largest = [message[0], message[1]]
    }
    if (this.socket) this.#cork.frame(this.socket)
    this.#websocket.send(data)
  }

  waiting(): number {
    return this.#websocket.bufferedAmount
  }

  whenLess(_request: unknown, tell: () => void): void {
    if (this.socket) this.#drain.once(this.socket, tell)
  }

  close(): void {
    this.check.stop()
    this.#websocket.close(1000)
  }

  destroy(): void {
    this.check.stop()
    this.#websocket.terminate()
  }

  protected ask(): void {
    this.#websocket.ping()
  }
}

/** Opens connections to one router. */
export const socketChannel = (options: SocketOptions) => (): Channel => {
  const address = rawSocketAddress(options.url)
  return address ? new RawSocketChannel(options, address) : new WebSocketChannel(options)
}
