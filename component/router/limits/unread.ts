/** Counts the bytes that one peer has not read yet. */
import type { Duplex } from 'node:stream'
import { type Backlog, freeBytes, type Holder } from './backlog.ts'
import type { FramedSocket } from './framed-socket.ts'

/** From this size on each message is counted by itself, because several peers may wait for the same one; bytes. */
const largeBytes = 65_536

/** Makes the frame of a short message, for one write; returns undefined for a long one. Without this function the framed socket sends all messages. */
export type ShortFrame = (data: string | Uint8Array) => Uint8Array | undefined

/** Parameters of {@link Unread}. */
export interface UnreadOptions {
  readonly backlog: Backlog
  readonly holder: Holder
  readonly framed: FramedSocket
  /** The socket under it. */
  readonly socket: Pick<Duplex, 'write'>
  readonly shortFrame?: ShortFrame | undefined
  /** Whether messages are sent as bytes. */
  readonly isBinary: boolean
  /** Most bytes that may wait for this peer. */
  readonly maxBytes: number
  /** Whether the bytes count towards those of all peers. */
  readonly isCounted: boolean
}

/** Sends messages to a peer and limits what waits to be read. */
export class Unread {
  readonly #options: UnreadOptions
  readonly #sendOptions: { readonly binary: boolean; readonly compress: false }
  readonly #large = new Set<{ readonly data: Uint8Array }>()
  #largeBytes = 0
  /** Taken for the other messages. */
  #taken = 0

  constructor(options: UnreadOptions) {
    this.#options = options
    this.#sendOptions = { binary: options.isBinary, compress: false }
  }

  /** Sends; false when the peer may not be sent more. */
  trySend(data: string | Uint8Array): boolean {
    const { backlog, holder, isCounted, framed } = this.#options
    if (!isCounted || typeof data === 'string' || data.length < largeBytes) {
      this.#send(data)
      return this.trySettle()
    }
    if (!backlog.hold(holder, data)) return false
    const sent = { data }
    this.#large.add(sent)
    this.#largeBytes += data.length
    try {
      framed.send(data, this.#sendOptions, () => this.#read(sent))
    } catch (error) {
      this.#read(sent)
      throw error
    }
    return this.trySettle()
  }

  #send(data: string | Uint8Array): void {
    const { framed, shortFrame, socket } = this.#options
    const frame = shortFrame?.(data)
    if (frame) socket.write(frame)
    else framed.send(data, this.#sendOptions)
  }

  #read(sent: { readonly data: Uint8Array }): void {
    if (!this.#large.delete(sent)) return
    this.#largeBytes -= sent.data.length
    this.#options.backlog.release(sent.data)
  }

  /** Counts what waits now; false when that is too much. */
  trySettle(): boolean {
    const { backlog, holder, isCounted, maxBytes, framed } = this.#options
    const { bufferedAmount } = framed
    if (bufferedAmount > maxBytes) return false
    const wanted = Math.max(0, bufferedAmount - this.#largeBytes - freeBytes)
    const missing = wanted - this.#taken
    if (missing === 0 || !isCounted) return true
    if (missing > 0 && !backlog.take(holder, missing)) return false
    this.#taken = wanted
    if (missing < 0) backlog.give(-missing)
    return true
  }

  /** Gives everything back. */
  clear(): void {
    for (const sent of [...this.#large]) this.#read(sent)
    const taken = this.#taken
    this.#taken = 0
    this.#options.backlog.give(taken)
  }
}
