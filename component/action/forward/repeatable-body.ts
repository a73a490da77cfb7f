/** A streamed body that can be sent again: what has passed of it is kept, as long as it is small. */
import { Readable } from 'node:stream'
import type { RawBody } from '#component/action/action.ts'

/** The longest body that is kept while it passes; bytes. */
export const maxKeptBytes = 65_536

/** Whether a body of this length can be kept; undefined: the client sends chunks, of which as much is kept. */
export const mayBeKept = ({ length }: RawBody): boolean => (length ?? 0) <= maxKeptBytes

/** The body of a request that may be tried several times. Each attempt has a stream of its own, which begins with what has passed already. */
export class RepeatableBody {
  readonly #source: Readable
  /** The bytes that {@link #kept} is made for. */
  readonly #room: number
  #kept: Buffer | undefined
  #size = 0
  #isKept = true
  #isLast = false
  #isListening = false
  /** The stream of the current attempt, until it is over, and whether it waits for more. */
  #reader: Readable | undefined
  #isWanted = false

  constructor({ stream, length }: RawBody) {
    this.#source = stream
    this.#room = length ?? maxKeptBytes
    stream.on('error', (error) => this.#reader?.destroy(error))
  }

  /** Whether all that has passed is kept, so that the body can be sent again. */
  get isKept(): boolean {
    return this.#isKept
  }

  /** The body for one attempt, in place of the stream of the one before; bytes where all of it is here. */
  open(): Readable | Uint8Array {
    this.#isWanted = false
    this.#reader = undefined
    let passed = this.#kept?.subarray(0, this.#size)
    if (this.#source.readableEnded && passed) return passed
    const reader = new Readable({
      read: () => {
        if (this.#reader !== reader) return
        const first = passed
        passed = undefined
        if (first) reader.push(first)
        else this.#pass(reader)
      },
      destroy: (error, callback) => {
        if (this.#reader === reader) this.#end()
        callback(error)
      },
    })
    this.#reader = reader
    // a request that is over has no listener any more
    reader.on('error', () => {})
    const { errored } = this.#source
    if (errored) reader.destroy(errored)
    return reader
  }

  /** No attempt follows the current one: nothing is kept any more, and the rest of the body is dropped with it. */
  release(): void {
    this.#isLast = true
    this.#isKept = false
    this.#kept = undefined
    if (!this.#reader) this.#source.destroy()
  }

  #end(): void {
    this.#reader = undefined
    this.#isWanted = false
    if (this.#isLast) this.#source.destroy()
  }

  readonly #goOn = (): void => {
    if (this.#isWanted && this.#reader) this.#pass(this.#reader)
  }

  /** Passes what has come, or waits for it. */
  #pass(reader: Readable): void {
    // the time limit of a body begins with its first read
    if (!this.#isListening) this.#source.on('readable', this.#goOn).on('end', this.#goOn)
    this.#isListening = true
    const chunk: Buffer | null = this.#source.read()
    this.#isWanted = chunk === null && !this.#source.readableEnded
    if (chunk) this.#keep(chunk)
    if (!this.#isWanted) reader.push(chunk)
  }

  #keep(chunk: Buffer): void {
    if (!this.#isKept) return
    const size = this.#size + chunk.length
    this.#isKept = size <= this.#room
    if (this.#isKept) {
      this.#kept ??= Buffer.allocUnsafeSlow(this.#room)
      chunk.copy(this.#kept, this.#size)
    } else this.#kept = undefined
    this.#size = size
  }
}
