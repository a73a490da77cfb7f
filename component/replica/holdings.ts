/** The entries of a node by name, and their digests. */
import { Buckets, type Summary } from './digest.ts'
import type { Entry, Kind } from './entry.ts'
import { isExpired } from './expiry.ts'

/** One entry for each document. */
export class Holdings {
  readonly #entries: Readonly<Record<Kind, Map<string, Entry>>> = {
    realm: new Map(),
    realm_key: new Map(),
    revocation: new Map(),
    api_key: new Map(),
    oidc_user: new Map(),
    id_token: new Map(),
    api_spec: new Map(),
  }
  readonly #buckets = new Buckets()

  get(kind: Kind, id: string): Entry | undefined {
    return this.#entries[kind].get(id)
  }

  ofKind(kind: Kind): Entry[] {
    return [...this.#entries[kind].values()]
  }

  /** Everything that has ended. @param now milliseconds since the epoch */
  expired(now: number): Entry[] {
    return Object.values(this.#entries).flatMap((entries) =>
      [...entries.values()].filter((entry) => isExpired(entry, now)),
    )
  }

  /** Stores an entry; it replaces the document's earlier one. */
  put(entry: Entry): void {
    this.#entries[entry.kind].set(entry.id, entry)
    this.#buckets.put(entry)
  }

  /** Removes an entry without a tombstone. */
  remove(entry: Entry): void {
    this.#entries[entry.kind].delete(entry.id)
    this.#buckets.remove(entry)
  }

  /** The digest of everything: hex. */
  get digest(): string {
    return this.#buckets.digest
  }

  /** The digest of each bucket that is not empty. */
  get digests(): Readonly<Record<string, string>> {
    return this.#buckets.digests
  }

  /** The summaries in these buckets. */
  summaries(buckets: readonly string[]): Summary[] {
    return this.#buckets.summaries(buckets)
  }
}
