/** A peer behind a WebSocket: frames, one socket write per turn of the event loop, link check, and a bound on what it has not read. */
import type { Buffer } from 'node:buffer'
import type { Duplex } from 'node:stream'
import type { WebSocket } from 'ws'
import type { Clock } from '#component/clock.ts'
import { FrameWriter } from '#component/wamp/frame-writer.ts'
import type { WampMessage } from '#component/wamp/link.ts'
import type { Codec } from './codec.ts'
import type { Peer } from './ports.ts'
import type { Transport } from './session.ts'

/** What the transport is made of. */
export interface WebSocketOptions {
  readonly webSocket: WebSocket
  /** The socket under it: of node:net or node:tls. */
  readonly socket: Duplex & { readonly bytesRead?: number }
  readonly codec: Codec
  readonly peer: Peer
  readonly clock: Clock
  /** Milliseconds of silence until a ping; as long again without an answer, and the peer is lost. */
  readonly pingIntervalMs: number
  /** Bytes that wait to be read by the peer; more, and it is disconnected. */
  readonly maxBufferedBytes: number
  /** A message has arrived; undefined in place of one that cannot be decoded. */
  readonly onMessage: (message: unknown) => void
  readonly onClose: () => void
}

/** The router's end of a WebSocket. */
export class WebSocketTransport implements Transport {
  readonly peer: Peer
  readonly #options: WebSocketOptions
  readonly #frames: FrameWriter
  /** The next three: as of the last link check. */
  #bytesRead = -1
  #bufferedBytes = 0
  #isPinged = false
  #stopTimer: () => void = () => {}

  constructor(options: WebSocketOptions) {
    const { webSocket } = options
    this.peer = options.peer
    this.#options = options
    this.#frames = new FrameWriter(webSocket, options.socket, 'server')
    webSocket.on('message', (data, isBinary) => this.#receive(data as Buffer, isBinary))
    webSocket.on('error', () => {}) // 'close' follows
    webSocket.once('close', () => {
      this.#stopTimer()
      options.onClose()
    })
    this.#check()
  }

  #receive(data: Buffer, isBinary: boolean): void {
    const { codec, onMessage, webSocket } = this.#options
    if (webSocket.readyState !== webSocket.OPEN) return
    let message: unknown
    try {
      message = isBinary === codec.isBinary ? codec.decode(data) : undefined
    } catch {
      message = undefined // a protocol violation, like any other value that is no message
    }
    onMessage(message)
  }

  /** Link check: reliability F2. Bytes count, not messages: a long one may take its time, either way. */
  #check(): void {
    this.#stopTimer = this.#options.clock.after(this.#options.pingIntervalMs, () => {
      const { socket, webSocket } = this.#options
      const { bytesRead = 0 } = socket
      const { bufferedAmount } = webSocket
      const isAlive = bytesRead !== this.#bytesRead || bufferedAmount < this.#bufferedBytes
      this.#bytesRead = bytesRead
      this.#bufferedBytes = bufferedAmount
      if (!isAlive && this.#isPinged) {
        webSocket.terminate()
        return
      }
      this.#isPinged = !isAlive
      if (this.#isPinged) webSocket.ping()
      this.#check()
    })
  }

  send(message: WampMessage): void {
    const { codec, maxBufferedBytes, webSocket } = this.#options
    if (webSocket.readyState !== webSocket.OPEN) return
    const data = codec.encode(message)
    this.#frames.send(data)
    if (this.#frames.pending > maxBufferedBytes) webSocket.terminate()
  }

  close(code: number, reason: string): void {
    this.#frames.flush()
    this.#options.webSocket.close(code, reason)
  }

  terminate(): void {
    this.#options.webSocket.terminate()
  }
}
