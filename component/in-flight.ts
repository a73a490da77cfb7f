/** What is under way, by its id: a Map for entries that come and go with every request. */

/** The most that an entry which is gone can be held on to: so many have come after it, beside four for each that is there. */
const patience = 256

/**
 * A Map alone would do, were it not for V8: it links the table that a Map has outgrown to the next one. Once such a table has
 * reached the old generation, it holds the next, and that the one after, with all entries that were in them, until the next
 * full collection; all of it is copied by each young collection on the way. That took 20 µs of the 60 of a routed call. So the
 * map is made anew every so often, which begins a new chain, for 0.01 µs an entry.
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
    if (this.#added <= patience + 4 * this.#map.size) return
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
}
