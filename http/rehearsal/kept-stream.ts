/** The client of a rehearsed stream: it keeps what is written, and reads at once. */
import { Buffer } from 'node:buffer'
import type { Sink } from '#component/stream/sink.ts'

/** At most this many bytes are kept. */
const mostKept = 1_048_576

/** One stream. */
export class KeptStream implements Sink {
  readonly waiting = 0
  handed = 0
  /** Whether the gateway has cut the connection. */
  isCut = false
  /** Resolves at its end. */
  readonly over: Promise<void>
  readonly #chunks: Buffer[] = []
  #close: () => void = () => undefined

  constructor() {
    this.over = new Promise((resolve) => {
      this.#close = resolve
    })
  }

  /** What was written. */
  get bytes(): Buffer {
    return Buffer.concat(this.#chunks)
  }

  write(bytes: string | Uint8Array): void {
    const chunk = Buffer.from(bytes)
    if (this.handed < mostKept) this.#chunks.push(chunk)
    this.handed += chunk.length
  }

  end(): void {
    this.#close()
  }

  destroy(): void {
    this.isCut = true
    this.#close()
  }

  onClose(callback: () => void): void {
    void this.over.then(callback)
  }

  onDrain(): void {}
}
