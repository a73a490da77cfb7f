/** Maps of texts whose forks share what they do not change: a change costs no more where thousands of keys are there. */

/** A map, or where it is large one in parts. */
export type TextMap<V> = Map<string, V> | PartedMap<V>

/** Smaller maps are copied: that costs less than finding the part that a key is in. */
const mostCopied = 256

/** Keys in a part, about. */
const keysOfPart = 32

/** A copy: changing it leaves the map as it is. */
export function forkOf<V>(map: TextMap<V>): TextMap<V> {
  if (map instanceof PartedMap) return map.fork()
  return map.size <= mostCopied ? new Map(map) : new PartedMap(map)
}

/** A map in parts. A fork copies a part when it first changes it. */
class PartedMap<V> {
  #parts: Map<string, V>[]
  /** Whether each part may be changed; others share it. */
  #isOwn: boolean[]
  #size: number

  constructor(entries: ReadonlyMap<string, V>) {
    this.#parts = partsOf(entries, entries.size)
    this.#isOwn = this.#parts.map(() => true)
    this.#size = entries.size
  }

  get size(): number {
    return this.#size
  }

  get(key: string): V | undefined {
    return this.#parts[this.#placeOf(key)]?.get(key)
  }

  set(key: string, value: V): void {
    const part = this.#own(key)
    const before = part.size
    part.set(key, value)
    this.#size += part.size - before
    if (this.#size > 4 * keysOfPart * this.#parts.length) this.#spread()
  }

  delete(key: string): boolean {
    const isDeleted = this.#own(key).delete(key)
    if (isDeleted) this.#size -= 1
    return isDeleted
  }

  *keys(): Generator<string> {
    for (const part of this.#parts) yield* part.keys()
  }

  *values(): Generator<V> {
    for (const part of this.#parts) yield* part.values()
  }

  fork(): PartedMap<V> {
    const fork = new PartedMap<V>(new Map())
    fork.#parts = [...this.#parts]
    fork.#isOwn = this.#parts.map(() => false)
    fork.#size = this.#size
    // this one is only read from now on, or copies what it changes
    this.#isOwn.fill(false)
    return fork
  }

  #own(key: string): Map<string, V> {
    const at = this.#placeOf(key)
    const part = this.#parts[at] ?? new Map<string, V>()
    if (this.#isOwn[at]) return part
    const copy = new Map(part)
    this.#parts[at] = copy
    this.#isOwn[at] = true
    return copy
  }

  /** Divides the keys among more parts. */
  #spread(): void {
    const all = new Map(this.#parts.flatMap((part) => [...part]))
    this.#parts = partsOf(all, 4 * this.#size)
    this.#isOwn = this.#parts.map(() => true)
  }

  #placeOf(key: string): number {
    return digestOf(key) & (this.#parts.length - 1)
  }
}

/** @param size how many keys there are, or will be */
function partsOf<V>(entries: ReadonlyMap<string, V>, size: number): Map<string, V>[] {
  const count = 2 ** Math.max(Math.ceil(Math.log2(size / keysOfPart)), 0)
  const parts = Array.from({ length: count }, () => new Map<string, V>())
  for (const [key, value] of entries) parts[digestOf(key) & (count - 1)]?.set(key, value)
  return parts
}

/** FNV-1a. It need not resist chosen keys: operators choose them, and each part is a map. */
function digestOf(key: string): number {
  let digest = 0x811c9dc5
  for (let at = 0; at < key.length; at += 1) {
    digest = Math.imul(digest ^ key.charCodeAt(at), 0x01000193)
  }
  return (digest ^ (digest >>> 15)) >>> 0
}
