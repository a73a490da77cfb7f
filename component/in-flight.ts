/** Requests and calls in flight: a Map for entries that come and go with every request. */

/** The map is rebuilt after this many insertions plus four per live entry. */
const insertionsPerMap = 256

/**
 * A Map that is rebuilt from time to time. V8 links the table that a Map has outgrown to the next one: once one of them has reached
 * the old generation, it keeps all later ones alive, with all their entries, until the next full collection (docs/design/performance.md,
 * "What was tried"). A new Map begins a new chain.
 */
export class InFlight<K, V> {
  #map = new Map<K, V>()
  #added = 0

  get size(): number {
    return this.#map.size
  }

  get(key: K): V | undefined {
    return this.#map.get(key)
  }

  has(key: K): boolean {
    return this.#map.has(key)
  }

  set(key: K, value: V): void {
    this.#map.set(key, value)
    this.#added += 1
    if (this.#added <= insertionsPerMap + 4 * this.#map.size) return
    this.#map = new Map(this.#map)
    this.#added = 0
  }

  delete(key: K): boolean {
    return this.#map.delete(key)
  }

  /** A copy: entries may come and go while it is walked. */
  values(): V[] {
    return [...this.#map.values()]
  }

  /** A copy, too. */
  keys(): K[] {
    return [...this.#map.keys()]
  }

  /** A copy, too. */
  entries(): [K, V][] {
    return [...this.#map]
  }
}
