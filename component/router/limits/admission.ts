/** Limits the number of connected clients, in total and from one network. */
import { NetworkShare } from '#component/limits/network-share.ts'

/** Counts the connections of clients; one network has at most half of those that all others leave. */
export class Admission {
  readonly #limit: number
  readonly #share: NetworkShare
  readonly #onRefused: () => void
  #count = 0

  /**
   * @param limit most connections at once
   * @param onRefused called for each connection that has no place
   */
  constructor(limit: number, onRefused: () => void) {
    this.#limit = limit
    this.#onRefused = onRefused
    this.#share = new NetworkShare(limit)
  }

  /** The connections of now. */
  get count(): number {
    return this.#count
  }

  /** Counts one more from the IP address; false, with nothing counted, when there is no place for it. */
  tryEnter(address: string): boolean {
    const held = this.#share.heldBy(address)
    const left = this.#limit - (this.#count - held)
    if (held * 2 >= left || !this.#share.tryTake(address)) {
      this.#onRefused()
      return false
    }
    this.#count += 1
    return true
  }

  /** Counts one less; called once for each that was let in. */
  leave(address: string): void {
    this.#share.give(address)
    this.#count -= 1
  }
}
