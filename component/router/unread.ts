/** What waits to be read by one peer. */
import type { WebSocket } from 'ws'
import { type Backlog, freeBytes, type Holder } from './backlog.ts'

/** Messages of so many bytes are counted one by one, since several peers may wait for the same one. */
const largeBytes = 65_536

/** The way of messages to a peer that may not read. */
export class Unread {
  readonly #backlog: Backlog
  readonly #holder: Holder
  readonly #webSocket: WebSocket
  readonly #large = new Set<{ readonly data: Uint8Array }>()
  #largeBytes = 0
  /** Taken for the other messages. */
  #taken = 0

  constructor(backlog: Backlog, holder: Holder, webSocket: WebSocket) {
    this.#backlog = backlog
    this.#holder = holder
    this.#webSocket = webSocket
  }

  /** Sends; false when the peer may not be sent more. */
  trySend(data: string | Uint8Array, isBinary: boolean): boolean {
    const options = { binary: isBinary, compress: false }
    if (typeof data === 'string' || data.length < largeBytes) {
      this.#webSocket.send(data, options)
      return this.trySettle()
    }
    if (!this.#backlog.hold(this.#holder, data)) return false
    const sent = { data }
    this.#large.add(sent)
    this.#largeBytes += data.length
    this.#webSocket.send(data, options, () => this.#read(sent))
    return true
  }

  #read(sent: { readonly data: Uint8Array }): void {
    if (!this.#large.delete(sent)) return
    this.#largeBytes -= sent.data.length
    this.#backlog.release(sent.data)
  }

  /** Counts what waits now; false when that is too much. */
  trySettle(): boolean {
    const wanted = Math.max(0, this.#webSocket.bufferedAmount - this.#largeBytes - freeBytes)
    const missing = wanted - this.#taken
    if (missing === 0) return true
    if (missing > 0 && !this.#backlog.take(this.#holder, missing)) return false
    this.#taken = wanted
    if (missing < 0) this.#backlog.give(-missing)
    return true
  }

  /** Gives everything back. */
  clear(): void {
    for (const sent of [...this.#large]) this.#read(sent)
    const taken = this.#taken
    this.#taken = 0
    this.#backlog.give(taken)
  }
}
