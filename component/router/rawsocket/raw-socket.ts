/** The router's end of a RawSocket (WAMP: RawSocket Transport), in the form of a WebSocket. */
import { Buffer } from 'node:buffer'
import { EventEmitter } from 'node:events'
import type { Duplex } from 'node:stream'
import type { Clock } from '#component/clock.ts'
import type { FramedSocket } from '#component/router/limits/framed-socket.ts'
import { FrameReader, frameHead, frameType } from '#component/wamp/channel/rawsocket-frames.ts'

/** Longest payload of PING and PONG; bytes. */
const longestPing = 1_024

/** How long a peer may take to close its end; milliseconds. */
const closeTimeoutMs = 5_000

const [open, closing, closed] = [1, 2, 3] as const

/** Options of one connection, behind its handshake. */
export interface RawSocketOptions {
  readonly socket: Duplex
  readonly clock: Clock
  /** Whether messages are bytes. */
  readonly isBinary: boolean
  /** The longest message that the peer may send; bytes. */
  readonly longest: number
  /** The longest message that the peer takes; bytes. */
  readonly taken: number
}

/** Emits `message`, `ping`, `pong`, `error` and `close`, as a WebSocket of `ws`. */
export class RawSocket extends EventEmitter implements FramedSocket {
  readonly OPEN = open
  readonly #options: RawSocketOptions
  readonly #reader: FrameReader
  #state: typeof open | typeof closing | typeof closed = open
  #stopClosing: () => void = () => {}
  #isPaused = false
  #isReading = false

  constructor(options: RawSocketOptions) {
    super()
    this.#options = options
    this.#reader = new FrameReader('peer', options.longest)
    const { socket } = options
    socket.on('error', () => this.terminate())
    socket.once('close', () => {
      this.#stopClosing()
      this.#state = closed
      this.emit('close')
    })
  }

  get readyState(): number {
    return this.#state
  }

  get bufferedAmount(): number {
    return this.#options.socket.writableLength
  }

  get isPaused(): boolean {
    return this.#isPaused
  }

  /** Begins to read, once its listeners are there. @param rest what came with the handshake */
  begin(rest: Buffer): void {
    this.#options.socket.on('data', (bytes: Buffer) => this.#read(bytes))
    if (rest.length > 0) this.#options.socket.unshift(rest)
  }

  /** Also what has come already waits. */
  pause(): void {
    this.#isPaused = true
    this.#options.socket.pause()
  }

  resume(): void {
    this.#isPaused = false
    this.#takeFrames()
  }

  #read(bytes: Buffer): void {
    if (this.#state === closed) return
    this.#reader.push(bytes)
    this.#takeFrames()
  }

  /** Takes what has come, until it is paused. */
  #takeFrames(): void {
    const { socket } = this.#options
    if (this.#isReading || this.#state === closed) return
    this.#isReading = true
    try {
      while (!this.#isPaused) {
        const frame = this.#reader.next()
        if (!frame) break
        this.#take(frame.type, frame.payload)
        if (socket.destroyed) return
      }
    } catch {
      this.terminate()
      return
    } finally {
      this.#isReading = false
    }
    if (!this.#isPaused) socket.resume()
  }

  #take(type: number, payload: Buffer): void {
    if (type === frameType.message) this.emit('message', payload, this.#options.isBinary)
    else if (payload.length > longestPing) this.terminate()
    else if (type === frameType.pong) this.emit('pong', payload)
    else {
      // in one piece: there may be many of them
      if (this.#state === open) {
        this.#options.socket.write(
          Buffer.concat([frameHead(frameType.pong, payload.length), payload]),
        )
      }
      this.emit('ping', payload)
    }
  }

  send(data: string | Uint8Array, _options: unknown, sent?: () => void): void {
    const payload = typeof data === 'string' ? Buffer.from(data) : data
    const { socket, taken } = this.#options
    if (payload.length > taken) {
      throw new RangeError(`the peer takes no message of more than ${taken} bytes`)
    }
    socket.write(frameHead(frameType.message, payload.length))
    socket.write(payload, sent)
  }

  /**
   * Does nothing: clients that are made of Twisted's Int32StringReceiver, as autobahn|Python's, read a PING as a message of 16 MiB. What
   * has listened keeps the connection alive by TCP.
   */
  ping(): void {}

  /** Whether the peer has begun a frame that has not ended. */
  get isInFrame(): boolean {
    return this.#reader.isInFrame
  }

  close(): void {
    if (this.#state !== open) return
    this.#state = closing
    const { clock, socket } = this.#options
    this.#stopClosing = clock.after(closeTimeoutMs, () => socket.destroy())
    socket.end()
  }

  terminate(): void {
    this.#state = closed
    this.#options.socket.destroy()
  }
}
