/** Sends the messages of a WebSocket: all of one turn of the event loop as one Buffer in one system call (RFC 6455 §5). */
import { Buffer } from 'node:buffer'
import { randomFillSync } from 'node:crypto'
import type { Duplex } from 'node:stream'
import type { WebSocket } from 'ws'

/** First byte of a frame that is a whole message. */
const textMessage = 0x81
const binaryMessage = 0x82
/** In the second byte: the payload is masked, as all that clients send. */
const maskBit = 0x80
const longestHead = 14

/** Bytes that are gathered for one write; a longer message goes out by itself. */
const most = 65_536

/** Keys that nobody can foresee (RFC 6455 §10.3), many at a time: each look at the system's randomness costs as much as a frame. */
const keys = Buffer.alloc(8192)
let nextKey = keys.length

function putKey(target: Buffer, at: number): number {
  if (nextKey === keys.length) {
    randomFillSync(keys)
    nextKey = 0
  }
  nextKey += 4
  return at + keys.copy(target, at, nextKey - 4, nextKey)
}

/** Masks a payload with the key in front of it; four bytes a round take half as long as one. */
function mask(buffer: Buffer, start: number, end: number): void {
  const [a = 0, b = 0, c = 0, d = 0] = buffer.subarray(start - 4, start)
  let at = start
  for (; at + 4 <= end; at += 4) {
    buffer[at] = (buffer[at] ?? 0) ^ a
    buffer[at + 1] = (buffer[at + 1] ?? 0) ^ b
    buffer[at + 2] = (buffer[at + 2] ?? 0) ^ c
    buffer[at + 3] = (buffer[at + 3] ?? 0) ^ d
  }
  for (const part of [a, b, c]) {
    if (at < end) buffer[at] = (buffer[at] ?? 0) ^ part
    at += 1
  }
}

/**
 * Stands in for `WebSocket.send`, which makes two Buffers, two writes and six objects of each message: 1.5 µs of the 11 that a
 * call takes. Everything else of the WebSocket is the library's: handshake, receiving, ping, pong, close.
 */
export class FrameWriter {
  readonly #webSocket: WebSocket
  readonly #socket: Duplex
  readonly #isClient: boolean
  #gathered = Buffer.allocUnsafeSlow(1024)
  #length = 0
  #isScheduled = false

  /** @param socket the one under the WebSocket; no compression has been negotiated */
  constructor(webSocket: WebSocket, socket: Duplex, role: 'client' | 'server') {
    this.#webSocket = webSocket
    this.#socket = socket
    this.#isClient = role === 'client'
  }

  /** Bytes that have not left this process. */
  get pending(): number {
    return this.#length + this.#socket.writableLength
  }

  /** Sends a message in this turn of the event loop: a string as text, bytes as binary. */
  send(data: string | Uint8Array): void {
    const size = typeof data === 'string' ? Buffer.byteLength(data) : data.length
    if (size + longestHead > most) {
      this.flush()
      this.#sendAlone(data, size)
      return
    }
    if (this.#length + size + longestHead > most) this.flush()
    this.#reserve(size + longestHead)
    const start = this.#putHead(this.#gathered, this.#length, data, size)
    this.#putPayload(this.#gathered, start, data)
    this.#length = start + size
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(() => {
      this.#isScheduled = false
      this.flush()
    })
  }

  /** Hands over what has been gathered; to be called before the WebSocket is closed. */
  flush(): void {
    const length = this.#length
    this.#length = 0
    // nothing follows a close frame
    if (length === 0 || this.#webSocket.readyState !== this.#webSocket.OPEN) return
    this.#socket.write(this.#gathered.subarray(0, length))
    // what has not gone to the system at once is still read from
    if (this.#socket.writableLength > 0) this.#gathered = Buffer.allocUnsafeSlow(1024)
  }

  /** A long message of a server is not copied: it may be on its way to a thousand subscribers. */
  #sendAlone(data: string | Uint8Array, size: number): void {
    const frame = Buffer.allocUnsafe(longestHead + (this.#isClient ? size : 0))
    const start = this.#putHead(frame, 0, data, size)
    if (this.#isClient) {
      this.#putPayload(frame, start, data)
      this.#socket.write(frame.subarray(0, start + size))
      return
    }
    this.#socket.cork()
    this.#socket.write(frame.subarray(0, start))
    this.#socket.write(data)
    this.#socket.uncork()
  }

  /** @returns where the payload begins */
  #putHead(target: Buffer, at: number, data: string | Uint8Array, size: number): number {
    const masked = this.#isClient ? maskBit : 0
    target[at] = typeof data === 'string' ? textMessage : binaryMessage
    let end = at + 2
    if (size < 126) target[at + 1] = masked | size
    else if (size < 65_536) {
      target[at + 1] = masked | 126
      end = target.writeUInt16BE(size, end)
    } else {
      target[at + 1] = masked | 127
      end = target.writeBigUInt64BE(BigInt(size), end)
    }
    return this.#isClient ? putKey(target, end) : end
  }

  #putPayload(target: Buffer, start: number, data: string | Uint8Array): void {
    let end = start
    if (typeof data === 'string') end += target.write(data, start)
    else {
      target.set(data, start)
      end += data.length
    }
    if (this.#isClient) mask(target, start, end)
  }

  #reserve(size: number): void {
    const needed = this.#length + size
    if (needed <= this.#gathered.length) return
    const larger = Buffer.allocUnsafeSlow(Math.min(most, 2 ** Math.ceil(Math.log2(needed))))
    this.#gathered.copy(larger, 0, 0, this.#length)
    this.#gathered = larger
  }
}
