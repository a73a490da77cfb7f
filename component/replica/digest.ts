/** Digests of the replicated map: two nodes compare them to find differences without sending documents. */
import { hash as digestOf } from 'node:crypto'
import { type Entry, keyOf, type Summary } from './entry.ts'

const sha256 = (text: string): string => digestOf('sha256', text)

/** The bucket of a document: two hex digits. */
export const bucketOf = (name: Pick<Entry, 'kind' | 'id'>): string =>
  sha256(keyOf(name)).slice(0, 2)

const lineOf = ({ kind, id, stamp, hash }: Summary): string =>
  JSON.stringify([kind, id, stamp.ms, stamp.counter, stamp.node, hash])

/** The digest of a set, whatever the order. */
export const digestOfSummaries = (summaries: Iterable<Summary>): string =>
  sha256(Array.from(summaries, lineOf).sort().join('\n'))

type Named = readonly [name: string, digest: string]

const byName = ([a]: Named, [b]: Named): number => (a < b ? -1 : 1)

/** The digest of everything, from those of the buckets: name to digest, in the order of the names. */
const digestOfOrdered = (buckets: Iterable<Named>): string =>
  sha256(Array.from(buckets, ([name, digest]) => `${name} ${digest}`).join('\n'))

/** The digest of everything, from those of the buckets. */
export const digestOfBuckets = (buckets: Readonly<Record<string, string>>): string =>
  digestOfOrdered(Object.entries(buckets).sort(byName))

/** The names of the buckets that differ between two nodes, those that only one of them has included. */
export const unequalBuckets = (
  ours: Readonly<Record<string, string>>,
  theirs: Readonly<Record<string, string>>,
): string[] =>
  [...new Set([...Object.keys(ours), ...Object.keys(theirs)])].filter(
    (name) => ours[name] !== theirs[name],
  )

/** Summaries in 256 buckets. After a change only the digest of its bucket is made anew. */
export class Buckets<S extends Summary = Summary> {
  readonly #summaries = new Map<string, Map<string, S>>()
  /** Name to digest, in the order of the names. */
  #digests = new Map<string, string>()
  /** Buckets that have changed since. */
  readonly #changed = new Set<string>()
  #whole: string | undefined
  #record: Readonly<Record<string, string>> | undefined

  /** Stores an entry; it replaces the document's earlier one. */
  put(entry: S): void {
    const name = bucketOf(entry)
    const bucket = this.#summaries.get(name)
    if (bucket) bucket.set(keyOf(entry), entry)
    else this.#summaries.set(name, new Map([[keyOf(entry), entry]]))
    this.#change(name)
  }

  /** Removes the document's entry. */
  remove(entry: S): void {
    const name = bucketOf(entry)
    const bucket = this.#summaries.get(name)
    bucket?.delete(keyOf(entry))
    if (bucket?.size === 0) this.#summaries.delete(name)
    this.#change(name)
  }

  /** The digest of everything: hex. */
  get digest(): string {
    this.#whole ??= digestOfOrdered(this.#upToDate())
    return this.#whole
  }

  /** Name to digest; empty ones are absent. */
  get digests(): Readonly<Record<string, string>> {
    this.#record ??= Object.fromEntries(this.#upToDate())
    return this.#record
  }

  #change(name: string): void {
    this.#changed.add(name)
    this.#whole = undefined
    this.#record = undefined
  }

  #upToDate(): ReadonlyMap<string, string> {
    let isOrdered = true
    for (const name of this.#changed) {
      const bucket = this.#summaries.get(name)
      if (!bucket) {
        this.#digests.delete(name)
        continue
      }
      isOrdered &&= this.#digests.has(name)
      this.#digests.set(name, digestOfSummaries(bucket.values()))
    }
    this.#changed.clear()
    if (!isOrdered) this.#digests = new Map([...this.#digests].sort(byName))
    return this.#digests
  }

  /** The summaries in these buckets. */
  summaries(names: readonly string[]): Summary[] {
    return [...new Set(names)].flatMap((name) =>
      Array.from(this.#summaries.get(name)?.values() ?? [], ({ kind, id, stamp, hash }) => ({
        kind,
        id,
        stamp,
        hash,
      })),
    )
  }
}
