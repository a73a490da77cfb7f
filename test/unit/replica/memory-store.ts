/** A store of entries in memory that several replicas may share, that can be away, and where others can be let in between. */
import { ServiceError } from '#component/errors.ts'
import { compareEntries } from '#component/replica/conflict-resolution.ts'
import type { Entry, Kind } from '#component/replica/entry.ts'
import type { ReplicaStore } from '#component/replica/replica-store.ts'
import { compareStamps, type Stamp } from '#component/replica/stamp.ts'

interface Row {
  readonly entry: Entry
  readonly revision: number
}

/** How many versions of a document are kept. */
const maxVersions = 10

const keyOf = ({ kind, id }: Pick<Entry, 'kind' | 'id'>) => `${kind} ${id}`

const isSame = (a: Stamp | null, b: Stamp | null) =>
  a === null || b === null ? a === b : compareStamps(a, b) === 0

/** Entries in memory: what goes in and what comes out are copies, as with a database. */
export class MemoryStore implements ReplicaStore {
  /** Every method fails with `service.error.unavailable`. */
  isAway = false
  /** Copies what goes in and what comes out. */
  copy: <T>(value: T) => T = structuredClone
  /** Runs before each method does its work: another writer may come first, or the store may go away. */
  before: (method: keyof ReplicaStore) => void | Promise<void> = () => undefined
  #rows = new Map<string, Row>()
  #versions = new Map<string, readonly Entry[]>()
  #revision = 0

  async since(revision: number): Promise<{ revision: number; entries: Entry[] }> {
    await this.#reach('since')
    const entries = [...this.#rows.values()]
      .filter((row) => row.revision > revision)
      .map(({ entry }) => this.copy(entry))
      .sort((a, b) => compareStamps(a.stamp, b.stamp))
    return { revision: this.#revision, entries }
  }

  async replace(entries: readonly Entry[]): Promise<boolean> {
    await this.#reach('replace')
    const fits = entries.every((entry) => {
      const row = this.#rows.get(keyOf(entry))
      return isSame(entry.parent, row?.entry.stamp ?? null)
    })
    if (!fits) return false
    this.#revision++
    for (const entry of entries) this.#keep(entry, this.#revision)
    return true
  }

  async merge(entries: readonly Entry[]): Promise<void> {
    await this.#reach('merge')
    this.#revision++
    for (const entry of entries) {
      const row = this.#rows.get(keyOf(entry))
      if (!row || compareEntries(entry, row.entry) > 0) this.#keep(entry, this.#revision)
      else this.#note(entry)
    }
  }

  async forget(entries: readonly Entry[]): Promise<void> {
    await this.#reach('forget')
    for (const entry of entries) {
      const row = this.#rows.get(keyOf(entry))
      if (row && isSame(row.entry.stamp, entry.stamp)) this.#rows.delete(keyOf(entry))
    }
  }

  async versions(kind: Kind, id: string): Promise<Entry[]> {
    await this.#reach('versions')
    return this.copy([...(this.#versions.get(keyOf({ kind, id })) ?? [])])
  }

  /** Takes note of what is there; what is returned puts it back, as restoring a backup does. */
  backUp(): () => void {
    const [rows, versions, revision] = [
      new Map(this.#rows),
      new Map(this.#versions),
      this.#revision,
    ]
    return () => {
      this.#rows = new Map(rows)
      this.#versions = new Map(versions)
      this.#revision = revision
    }
  }

  /** Drops the tombstones, as no store may do. */
  forgetDeleted(): void {
    for (const [key, { entry }] of this.#rows) if (entry.document === null) this.#rows.delete(key)
  }

  /** What is there, by kind and id; for looking behind the back of the replicas. */
  get rows(): ReadonlyMap<string, Entry> {
    return new Map(Array.from(this.#rows, ([key, { entry }]) => [key, entry]))
  }

  /** One of {@link rows}. */
  row(kind: Kind, id: string): Entry | undefined {
    return this.#rows.get(keyOf({ kind, id }))?.entry
  }

  async #reach(method: keyof ReplicaStore): Promise<void> {
    await this.before(method)
    if (this.isAway) throw new ServiceError('service.error.unavailable', 'the store is away')
  }

  #keep(entry: Entry, revision: number): void {
    this.#rows.set(keyOf(entry), { entry: this.copy(entry), revision })
    this.#note(entry)
  }

  #note(entry: Entry): void {
    if (entry.kind !== 'api_spec' && entry.kind !== 'realm') return
    const known = this.#versions.get(keyOf(entry)) ?? []
    const isKnown = known.some(
      (other) => isSame(other.stamp, entry.stamp) && compareEntries(other, entry) >= 0,
    )
    const others = known.filter(({ stamp }) => !isSame(stamp, entry.stamp))
    const sorted = isKnown
      ? known
      : [...others, this.copy(entry)].sort((a, b) => compareEntries(b, a))
    const before = sorted[sorted.findIndex(({ stamp }) => isSame(stamp, entry.stamp)) + 1]
    const isAgain = entry.hash !== null && before?.hash === entry.hash
    const kept = isAgain ? sorted.filter((version) => version !== before) : sorted
    this.#versions.set(keyOf(entry), kept.slice(0, maxVersions))
  }
}
