/** A stream of events as the body of a node:http response. */
import { Buffer } from 'node:buffer'
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Sink } from '#component/stream/sink.ts'
import { maxUncounted } from '#http/limits/held-bytes.ts'
import type { StreamOwner } from './transport.ts'

/** The chunks of bytes that many streams are sent. */
const chunks = new WeakMap<Uint8Array, Buffer>()

/** A chunk of a chunked body (RFC 9112 §7.1). */
function chunkOf(bytes: Uint8Array): Buffer {
  const known = chunks.get(bytes)
  if (known) return known
  const size = Buffer.from(`${bytes.length.toString(16)}\r\n`)
  const chunk = Buffer.concat([size, bytes, Buffer.from('\r\n')])
  chunks.set(bytes, chunk)
  return chunk
}

/**
 * Whether a chunk may be written to the socket itself: bytes that many streams share become a chunk once, and node:http would send
 * each in three parts. What a response is given in the same tick before, it keeps to the end of the tick: that must not be overtaken.
 */
const isIdle = (response: ServerResponse): response is ServerResponse & { socket: Socket } =>
  response.chunkedEncoding && response.writableCorked === 0 && response.socket !== null

/** The client of one response. Those who write look after it, so the connection needs no timer until the end. */
export class ResponseSink implements Sink {
  readonly #response: ServerResponse
  readonly #owner: StreamOwner
  /** How long the client may take nothing of what is left at the end; milliseconds. */
  readonly #timeout: number
  #hasBegun = false

  /** @param timeout how long the client may take nothing of what is left at the end; absent: as long as its connection may be idle now */
  constructor(response: ServerResponse, owner: StreamOwner, timeout?: number) {
    this.#response = response
    this.#owner = owner
    const { socket } = response
    this.#timeout = timeout ?? socket?.timeout ?? 0
    socket?.setTimeout(0)
  }

  write(bytes: string | Uint8Array): void {
    const response = this.#response
    if (!response.writable) return
    if (this.#hasBegun && typeof bytes !== 'string' && isIdle(response)) {
      response.socket.write(chunkOf(bytes))
      return
    }
    this.#hasBegun = true
    response.write(bytes)
  }

  get waiting(): number {
    return this.#response.writableLength
  }

  get handed(): number {
    const { socket } = this.#response
    return socket ? socket.bytesWritten - socket.writableLength : 0
  }

  hold(bytes: number): boolean {
    return this.#owner.holdOnly(bytes > maxUncounted ? bytes : 0)
  }

  end(): void {
    // nobody looks after a client that does not read the rest
    this.#response.socket?.setTimeout(this.#timeout)
    this.#response.end()
  }

  /** By a reset: the kernel would keep megabytes for a client that does not read, minutes longer than the gateway. */
  destroy(): void {
    const { socket } = this.#response
    // TLS and Unix sockets cannot be reset
    const isTcp = socket?.remoteAddress !== undefined && !('encrypted' in socket)
    if (isTcp) socket.resetAndDestroy()
    else this.#response.destroy()
  }

  onClose(callback: () => void): void {
    this.#owner.onClosed = callback
  }

  onDrain(callback: () => void): void {
    const { socket } = this.#response
    if (socket) socket.once('drain', callback)
    else this.#response.once('drain', callback)
  }
}
