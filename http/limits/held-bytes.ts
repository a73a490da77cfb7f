/** Bytes that are held for HTTP clients: bodies while they are read and used, answers until they have left. */

import { ServiceError } from '#component/errors.ts'
import { ByteBudget } from '#component/limits/byte-budget.ts'
import { networkOf } from '#component/syntax/ip-address.ts'

/** The part of all buffered bytes that HTTP clients may hold; the rest stays for WAMP peers. */
const httpPart = 7 / 8

/** The part of that which one network may hold; the rest stays for the others. */
const networkPart = 1 / 4

/** Counts what is held by the network of the client; of an IPv6 address its /64 is the network. */
export class HeldBytes {
  readonly #all: ByteBudget
  readonly #networkLimit: number
  readonly #networks = new Map<string, ByteBudget>()

  /** @param whole the budget of the process (`limits.buffered_bytes`) */
  constructor(whole: ByteBudget) {
    this.#all = new ByteBudget(Math.floor(whole.limit * httpPart), whole)
    this.#networkLimit = Math.floor(this.#all.limit * networkPart)
  }

  /** Takes bytes for a client; false, with nothing taken, when its network or all clients hold too many. */
  tryTake(address: string, bytes: number): boolean {
    const network = networkOf(address)
    const budget = this.#networks.get(network) ?? new ByteBudget(this.#networkLimit, this.#all)
    if (!budget.tryTake(bytes)) return false
    this.#networks.set(network, budget)
    return true
  }

  /** Gives back bytes that were taken for the client. */
  give(address: string, bytes: number): void {
    const network = networkOf(address)
    const budget = this.#networks.get(network)
    budget?.give(bytes)
    if (budget?.used === 0) this.#networks.delete(network)
  }
}

/** What one request holds; its end gives everything back. */
export class Holding {
  readonly #held: HeldBytes
  readonly #address: string
  #bytes = 0

  /** @param address IP address of the client */
  constructor(held: HeldBytes, address: string) {
    this.#held = held
    this.#address = address
  }

  /** @throws ServiceError `service.error.unavailable` with `Retry-After`, and nothing is taken */
  take(bytes: number): void {
    if (!this.#held.tryTake(this.#address, bytes)) {
      const message = 'too many bytes of bodies and answers are held'
      throw new ServiceError('service.error.unavailable', message, {
        headers: { 'retry-after': '1' },
      })
    }
    this.#bytes += bytes
  }

  /** Gives all of it back. */
  end(): void {
    if (this.#bytes > 0) this.#held.give(this.#address, this.#bytes)
    this.#bytes = 0
  }
}
