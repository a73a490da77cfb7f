/** The requests being served now, to be counted, and to be given up when the process stops. */
import type { HttpExchange } from './read-request.ts'

/**
 * A bag. It is an array and no Set: one that takes and loses thousands of members a second is made anew again and again,
 * and each of its old tables keeps the next one alive, with all the requests that were in it, until V8 collects the
 * whole heap (measured: 6 kB for each forward, and 12 µs of collections).
 */
export class InFlight {
  readonly #exchanges: HttpExchange[] = []

  get size(): number {
    return this.#exchanges.length
  }

  add(exchange: HttpExchange): void {
    exchange.place = this.#exchanges.length
    this.#exchanges.push(exchange)
  }

  /** @param exchange one that is in it */
  delete(exchange: HttpExchange): void {
    const last = this.#exchanges.pop()
    if (last === undefined || last === exchange) return
    this.#exchanges[exchange.place] = last
    last.place = exchange.place
  }

  /** Those that are in it now. */
  all(): readonly HttpExchange[] {
    return [...this.#exchanges]
  }
}
