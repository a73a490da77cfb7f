/** The answers that this process keeps, bounded by bytes; and the runs under way whose answers may be kept. */
import { LRUCache } from 'lru-cache'
import type { CodedContent } from './coded-content.ts'
import type { Fields } from './freshness.ts'

/** One kept answer. */
export interface Kept {
  readonly status: number
  readonly headers: Fields
  /** Names of headers that each request gets with its own value, or not at all. */
  readonly marked: readonly string[]
  /** undefined: it has no body. */
  readonly content: string | Uint8Array | undefined
  /** The body in the content codings that it was asked for in. */
  readonly codings: CodedContent
  /** The request fields that it was selected by, with their values; undefined: absent. */
  readonly varied: readonly (readonly [name: string, value: string | undefined])[]
  /** When it came; milliseconds since the epoch. */
  readonly at: number
  /** How old it was then; milliseconds. */
  readonly ageMs: number
  /** Milliseconds since the epoch. */
  readonly freshUntil: number
  readonly mayBeStale: boolean
  /** Whether requests with credentials that the gateway does not check may get it. */
  readonly isForAll: boolean
}

/** Reads a field of the request. */
export type FieldOf = (name: string) => string | undefined

/** Whether a request selects an answer (RFC 9111 §4.1). */
export const isSelected = ({ varied }: Kept, fieldOf: FieldOf): boolean =>
  varied.every(([name, value]) => fieldOf(name) === value)

/** A run whose answer may be kept, unless what it may read changes meanwhile. */
export interface Fill {
  /** What its answer is purged by; tags are added when they are known. */
  readonly labels: string[]
  /** Whether its answer must not be kept: a purge came while it was under way. */
  isVoid: boolean
}

interface Entry extends Kept {
  readonly base: string
  readonly labels: readonly string[]
}

/** The entries that differ in request fields only. */
interface Place {
  /** The fields that their answers have named in `Vary` until now. */
  names: readonly string[]
  readonly keys: Set<string>
}

/** Bytes that an entry takes beside its texts: objects, and its places in the indexes. */
const overhead = 1_024

/** Bounds, bytes. */
export interface CacheBounds {
  readonly maxBytes: number
  readonly maxEntryBytes: number
}

/** What was used least recently goes first. */
export class ResponseCache {
  readonly maxEntryBytes: number
  readonly #maxBytes: number
  readonly #maxSize: number
  readonly #entries: LRUCache<string, Entry>
  readonly #places = new Map<string, Place>()
  readonly #labelled = new Map<string, Set<string>>()
  readonly #fills = new Set<Fill>()

  constructor({ maxBytes, maxEntryBytes }: CacheBounds) {
    this.maxEntryBytes = Math.min(maxEntryBytes, maxBytes)
    this.#maxBytes = maxBytes
    this.#maxSize = Math.min(maxEntryBytes + overhead, maxBytes)
    this.#entries = new LRUCache({
      maxSize: maxBytes,
      sizeCalculation: sizeOf,
      disposeAfter: (entry, key, reason) => {
        if (reason !== 'set') this.#forget(key, entry)
      },
    })
  }

  /** Whether nothing is kept, nor may be soon. */
  get isIdle(): boolean {
    return this.#entries.size === 0 && this.#fills.size === 0
  }

  /** The key of a request among those with the same base. @param base equal for requests that differ in header fields only */
  keyOf(base: string, fieldOf: FieldOf): string {
    return keyOf(base, this.#places.get(base)?.names ?? [], fieldOf)
  }

  find(key: string): Kept | undefined {
    return this.#entries.get(key)
  }

  /**
   * Keeps an answer, unless its run is void or it is too large.
   * @param fieldOf reads the request that it answers
   * @returns whether it is kept
   */
  keep(base: string, kept: Kept, fieldOf: FieldOf, { labels, isVoid }: Fill): boolean {
    if (isVoid) return false
    const known = this.#places.get(base)
    const ofAnswer = kept.varied.map(([name]) => name)
    const names = [...new Set([...(known?.names ?? []), ...ofAnswer])].sort()
    const key = keyOf(base, names, fieldOf)
    const entry: Entry = { ...kept, base, labels }
    this.drop(key)
    if (sizeOf(entry, key) > this.#maxSize) return false
    const place = this.#places.get(base) ?? { names, keys: new Set() }
    place.names = names
    place.keys.add(key)
    this.#places.set(base, place)
    for (const label of labels) {
      const keys = this.#labelled.get(label) ?? new Set()
      this.#labelled.set(label, keys.add(key))
    }
    this.#entries.set(key, entry)
    kept.codings.admits = () => this.#grow(key, kept.codings)
    return true
  }

  /** Drops one answer. */
  drop(key: string): void {
    this.#entries.delete(key)
  }

  /**
   * Drops all answers with a label, and voids the runs under way that may get one.
   * @param of the label of those runs: tags are not known before the answer
   * @returns how many answers there were
   */
  purge(label: string, of: string = label): number {
    for (const fill of this.#fills) if (fill.labels.includes(of)) fill.isVoid = true
    const keys = [...(this.#labelled.get(label) ?? [])]
    for (const key of keys) this.drop(key)
    return keys.length
  }

  /** Drops everything, and voids all runs under way. */
  clear(): void {
    for (const fill of this.#fills) fill.isVoid = true
    this.#entries.clear()
  }

  /** A run that begins. */
  begin(labels: readonly string[]): Fill {
    const fill = { labels: [...labels], isVoid: false }
    this.#fills.add(fill)
    return fill
  }

  end(fill: Fill): void {
    this.#fills.delete(fill)
  }

  /** Whether an answer that is still kept may be as large as it is with its codings. */
  #grow(key: string, codings: CodedContent): boolean {
    const entry = this.#entries.peek(key)
    if (entry?.codings !== codings || sizeOf(entry, key) > this.#maxBytes) return false
    // an equal object would keep its size
    this.#entries.set(key, { ...entry })
    return true
  }

  #forget(key: string, { base, labels }: Entry): void {
    const place = this.#places.get(base)
    place?.keys.delete(key)
    if (place?.keys.size === 0) this.#places.delete(base)
    for (const label of labels) {
      const keys = this.#labelled.get(label)
      keys?.delete(key)
      if (keys?.size === 0) this.#labelled.delete(label)
    }
  }
}

/** Field values have no line breaks, so the parts cannot be taken for each other. */
function keyOf(base: string, names: readonly string[], fieldOf: FieldOf): string {
  let key = base
  for (const name of names) {
    const value = fieldOf(name)
    key += value === undefined ? `\n${name}` : `\n${name}:${value}`
  }
  return key
}

/** Bytes, about. */
function sizeOf({ headers, content, codings, labels }: Entry, key: string): number {
  const texts = [...Object.entries(headers).flat(2), ...labels, key, key]
  const characters = texts.reduce((sum, text) => sum + text.length, 0)
  const ofContent = typeof content === 'string' ? Buffer.byteLength(content) : content?.length
  return overhead + characters + (ofContent ?? 0) + codings.bytes
}
