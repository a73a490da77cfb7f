/** Limits what the clients of one network hold at once, such as connections. */
import { networkOf } from '#component/syntax/ip-address.ts'

/** Counts what each network holds; of an IPv6 address its /64 is the network. */
export class NetworkShare {
  readonly #limit: number
  readonly #held = new Map<string, number>()

  /** @param limit most that one network holds at once */
  constructor(limit: number) {
    this.#limit = limit
  }

  /** Counts one more for the IP address; false, with nothing counted, when its network is at the limit. */
  tryEnter(address: string): boolean {
    const network = networkOf(address)
    const held = this.#held.get(network) ?? 0
    if (held >= this.#limit) return false
    this.#held.set(network, held + 1)
    return true
  }

  /** Counts one less; called once for each successful {@link tryEnter}. */
  leave(address: string): void {
    const network = networkOf(address)
    const left = (this.#held.get(network) ?? 0) - 1
    if (left > 0) this.#held.set(network, left)
    else this.#held.delete(network)
  }

  /** How many the network of the address holds now. */
  heldBy(address: string): number {
    return this.#held.get(networkOf(address)) ?? 0
  }
}
