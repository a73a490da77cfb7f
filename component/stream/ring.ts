/** The newest entries of a source, for streams that come back: bounded in number and age. */
import type { Entry } from './entry.ts'

/** Removed entries stay in the list until there are this many: the list is not moved each time. */
const maxSlack = 64

/** Entries in the order of their `seq`, without holes. */
export class Ring {
  /** The size of all entries; bytes. */
  bytes = 0
  #entries: Entry[] = []
  /** Entries at the beginning of the list that have been removed. */
  #removed = 0
  readonly #byPublication = new Map<number, Entry>()
  #most: number
  #maxAge: number
  #nextSeq = 1
  /**
   * The publication behind which everything is here: 0 while nothing has been removed; undefined where none is, because the
   * entry removed last is a gap.
   */
  #before: number | undefined = 0

  /**
   * @param most entries
   * @param maxAge milliseconds
   */
  constructor(most: number, maxAge: number) {
    this.#most = most
    this.#maxAge = maxAge
  }

  /** The `seq` that the next entry gets. */
  get nextSeq(): number {
    return this.#nextSeq
  }

  /** The `seq` of the oldest entry; that of the next one when there is none. */
  get firstSeq(): number {
    return this.#entries[this.#removed]?.seq ?? this.#nextSeq
  }

  /** How many entries there are. */
  get length(): number {
    return this.#entries.length - this.#removed
  }

  /** Keeps more, or longer, from now on; what is kept already stays. */
  grow(most: number, maxAge: number): void {
    this.#most = Math.max(this.#most, most)
    this.#maxAge = Math.max(this.#maxAge, maxAge)
  }

  /** Adds an entry, whose `seq` is {@link nextSeq}, and removes what is too much or too old. */
  push(entry: Entry): void {
    this.#nextSeq = entry.seq + 1
    this.#entries.push(entry)
    this.bytes += entry.size
    if (entry.event) this.#byPublication.set(entry.event.publication_id, entry)
    while (this.length > this.#most) this.removeOldest()
    this.expire(entry.at)
  }

  /** Removes what is older than the greatest age. @param now milliseconds since the epoch */
  expire(now: number): void {
    for (;;) {
      const oldest = this.#entries[this.#removed]
      if (oldest === undefined || oldest.at > now - this.#maxAge) return
      this.removeOldest()
    }
  }

  /** Removes the oldest entry, if there is one. */
  removeOldest(): void {
    const oldest = this.#entries[this.#removed]
    if (oldest === undefined) return
    this.#removed += 1
    this.bytes -= oldest.size
    const id = oldest.event?.publication_id
    this.#before = id
    if (id !== undefined && this.#byPublication.get(id) === oldest) this.#byPublication.delete(id)
    if (this.#removed < maxSlack && this.length > 0) return
    this.#entries = this.#entries.slice(this.#removed)
    this.#removed = 0
  }

  /** The entry of a publication; undefined when it is not here. */
  find(publication_id: number): Entry | undefined {
    return this.#byPublication.get(publication_id)
  }

  /**
   * The `seq` of the entry that follows a publication, if nothing between them is missing; undefined when something may be.
   * @param publication_id 0 is the beginning of the source
   */
  behind(publication_id: number): number | undefined {
    const entry = this.#byPublication.get(publication_id)
    if (entry) return entry.seq + 1
    return publication_id === this.#before ? this.firstSeq : undefined
  }

  /** The `seq` of the first entry that arrived at a time or later; {@link nextSeq} when there is none. */
  since(at: number): number {
    let index = this.#entries.length
    while (index > this.#removed && (this.#entries[index - 1]?.at ?? 0) >= at) index -= 1
    return this.firstSeq + index - this.#removed
  }

  /**
   * Some entries from a `seq` on: at most `most`, and only the first of them may pass `bytes`.
   * @param seq at least {@link firstSeq}
   */
  slice(seq: number, most: number, bytes = Number.POSITIVE_INFINITY): readonly Entry[] {
    const start = this.#removed + seq - this.firstSeq
    const entries = this.#entries.slice(start, start + most)
    let size = 0
    const end = entries.findIndex((entry, index) => {
      size += entry.size
      return index > 0 && size > bytes
    })
    return end < 0 ? entries : entries.slice(0, end)
  }
}
