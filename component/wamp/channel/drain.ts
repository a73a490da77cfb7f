/** Tells those who wait when a socket has written what it held. */
import type { Duplex } from 'node:stream'

/** Of one socket. A socket that is closed tells nobody. */
export class Drain {
  #waiting: Set<() => void> | undefined

  /**
   * Calls back once, when the socket has written all that it holds. That is more than its high-water mark (64 KiB of node:net): with
   * less, no socket tells.
   * @param tell called once, however often it is given before
   */
  once(socket: Duplex, tell: () => void): void {
    if (this.#waiting === undefined) {
      this.#waiting = new Set()
      socket.once('drain', () => this.#tell())
    }
    this.#waiting.add(tell)
  }

  #tell(): void {
    const told = this.#waiting ?? []
    this.#waiting = undefined
    for (const tell of told) tell()
  }
}
