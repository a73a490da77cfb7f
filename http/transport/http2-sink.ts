/** A stream of events as the content of a response of HTTP/2. */
import { Buffer } from 'node:buffer'
import type { ServerHttp2Stream } from 'node:http2'
import type { Sink } from '#component/stream/sink.ts'
import { maxUncounted } from '#http/limits/held-bytes.ts'
import type { StreamOwner } from './transport.ts'

/** The stream of the response, and what its transport does with it. */
interface Parts {
  readonly stream: ServerHttp2Stream
  readonly owner: StreamOwner
  write(bytes: Uint8Array): void
  end(): void
  /** Bytes that the connection has taken. */
  handed(): number
  /** Resets the stream, and not its connection. */
  cut(): void
}

/** The client of one response. */
export class Http2Sink implements Sink {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  write(bytes: string | Uint8Array): void {
    if (!this.#parts.stream.writable) return
    // a text would wait as characters, not as bytes
    this.#parts.write(typeof bytes === 'string' ? Buffer.from(bytes) : bytes)
  }

  get waiting(): number {
    return this.#parts.stream.writableLength
  }

  get handed(): number {
    return this.#parts.handed()
  }

  hold(bytes: number): boolean {
    return this.#parts.owner.holdOnly(bytes > maxUncounted ? bytes : 0)
  }

  end(): void {
    this.#parts.end()
  }

  destroy(): void {
    this.#parts.cut()
  }

  onClose(callback: () => void): void {
    this.#parts.owner.onClosed = callback
  }

  onDrain(callback: () => void): void {
    this.#parts.stream.once('drain', callback)
  }
}
