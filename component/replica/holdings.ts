/** The entries of a node by name, and their digests. */
import { Buckets } from './digest.ts'
import { type Entry, type Kind, kinds } from './entry.ts'
import { isExpired } from './expiry.ts'

const noEntries = (): Readonly<Record<Kind, Map<string, Entry>>> =>
  Object.fromEntries(kinds.map((kind) => [kind, new Map()])) as Record<Kind, Map<string, Entry>>

/** One entry for each document. */
export class Holdings extends Buckets<Entry> {
  readonly #entries = noEntries()

  get(kind: Kind, id: string): Entry | undefined {
    return this.#entries[kind].get(id)
  }

  ofKind(kind: Kind): Entry[] {
    return [...this.#entries[kind].values()]
  }

  /** Everything that has ended. @param now milliseconds since the epoch */
  expired(now: number): Entry[] {
    return kinds.flatMap((kind) => this.ofKind(kind).filter((entry) => isExpired(entry, now)))
  }

  override put(entry: Entry): void {
    this.#entries[entry.kind].set(entry.id, entry)
    super.put(entry)
  }

  /** Removes an entry without a tombstone. */
  override remove(entry: Entry): void {
    this.#entries[entry.kind].delete(entry.id)
    super.remove(entry)
  }
}
