/** The bytes of a peer's message that has not arrived as a whole, counted on the socket: frames announce any length. */
import { type Backlog, freeBytes } from './backlog.ts'
import type { HeadOf } from './framed-socket.ts'

/** Memory of a piece of a message beside its bytes: peers may send one byte at a time. */
const pieceBytes = 256

/** Fewer bytes are no message that a peer keeps open, but heads of frames. */
const headBytes = 512

/** The bytes that one peer has sent since its last complete message. */
export class Unfinished {
  readonly #backlog: Backlog
  readonly #headOf: HeadOf
  #isJoined = false
  #bytes = 0
  #pieces = 0
  #lastBytes = 0
  #taken = 0

  constructor(backlog: Backlog, headOf: HeadOf) {
    this.#backlog = backlog
    this.#headOf = headOf
  }

  /** Memory that the unfinished message takes; bytes. */
  get bytes(): number {
    return this.#bytes + this.#pieces * pieceBytes
  }

  /** Counts bytes that have arrived; false when there is no room for them. */
  tryAdd(bytes: number, isJoined: boolean): boolean {
    this.#bytes += bytes
    this.#pieces += 1
    this.#lastBytes = bytes
    if (isJoined !== this.#isJoined) this.clear()
    this.#isJoined = isJoined
    return this.trySettle()
  }

  /** Takes the room that the bytes need; false when it is not free. */
  trySettle(): boolean {
    const missing = this.bytes - (this.#isJoined ? freeBytes : 0) - this.#taken
    if (missing <= 0) return true
    const isTaken = (this.#isJoined ? this.#backlog : this.#backlog.strangers).tryTake(missing)
    if (isTaken) this.#taken += missing
    return isTaken
  }

  /** A message is complete; what is left belongs to the next one, and came with the last bytes. */
  completed(payload: number): void {
    const left = this.#bytes - payload - this.#headOf(payload)
    this.#bytes = Math.min(this.#lastBytes, Math.max(0, left))
    this.#pieces = this.#bytes > 0 ? 1 : 0
    this.clear()
  }

  /** A ping or pong has arrived, perhaps in the middle of a message. */
  controlled(payload: number): void {
    this.#bytes = Math.max(0, this.#bytes - payload - this.#headOf(payload))
    if (this.#bytes < headBytes) this.#pieces = 0
  }

  /** Gives everything back. */
  clear(): void {
    const taken = this.#taken
    this.#taken = 0
    ;(this.#isJoined ? this.#backlog : this.#backlog.strangers).give(taken)
  }
}
