/** Bytes that are held for HTTP clients: bodies while they are read and used, answers until they have left. */

import { ServiceError } from '#component/errors.ts'
import { ByteBudget } from '#component/limits/byte-budget.ts'
import { NetworkShare } from '#component/limits/network-share.ts'

/** The part of all buffered bytes that HTTP clients may hold; the rest stays for WAMP peers. */
const httpPart = 7 / 8

/** The part of these bytes that one network may hold; the rest stays for other networks. */
const networkPart = 1 / 4

/**
 * The bytes that HTTP clients hold.
 * @param whole the budget of the process (`limits.buffered_bytes`)
 */
export function heldBytes(whole: ByteBudget): NetworkShare {
  const all = new ByteBudget(Math.floor(whole.limit * httpPart), whole)
  return new NetworkShare(Math.floor(all.limit * networkPart), all)
}

/** The bytes that one request holds, until {@link end}. */
export class Holding {
  readonly #held: NetworkShare
  readonly #address: string
  #bytes = 0

  /** @param address IP address of the client */
  constructor(held: NetworkShare, address: string) {
    this.#held = held
    this.#address = address
  }

  /** @throws ServiceError `service.error.unavailable` with `Retry-After`, and nothing is taken */
  take(bytes: number): void {
    if (!this.#held.tryTake(this.#address, bytes)) {
      const message = 'the bodies and answers in memory have reached their limit'
      throw new ServiceError('service.error.unavailable', message, {
        headers: { 'retry-after': '1' },
      })
    }
    this.#bytes += bytes
  }

  /** Gives all bytes back. */
  end(): void {
    if (this.#bytes > 0) this.#held.give(this.#address, this.#bytes)
    this.#bytes = 0
  }
}
