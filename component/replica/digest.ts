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

/** The digest of everything, from those of the buckets. */
export const digestOfBuckets = (buckets: Readonly<Record<string, string>>): string =>
  sha256(
    Object.entries(buckets)
      .map(([name, digest]) => `${name} ${digest}`)
      .sort()
      .join('\n'),
  )

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
  /** Those that are up to date. */
  readonly #digests = new Map<string, string>()
  #whole: string | undefined

  /** Stores an entry; it replaces the document's earlier one. */
  put(entry: S): void {
    const name = bucketOf(entry)
    const bucket = this.#summaries.get(name)
    if (bucket) bucket.set(keyOf(entry), entry)
    else this.#summaries.set(name, new Map([[keyOf(entry), entry]]))
    this.#digests.delete(name)
    this.#whole = undefined
  }

  /** Removes the document's entry. */
  remove(entry: S): void {
    const name = bucketOf(entry)
    const bucket = this.#summaries.get(name)
    bucket?.delete(keyOf(entry))
    if (bucket?.size === 0) this.#summaries.delete(name)
    this.#digests.delete(name)
    this.#whole = undefined
  }

  /** The digest of everything: hex. */
  get digest(): string {
    this.#whole ??= digestOfBuckets(this.digests)
    return this.#whole
  }

  /** Name to digest; empty ones are absent. */
  get digests(): Readonly<Record<string, string>> {
    const digests: Record<string, string> = {}
    for (const [name, bucket] of this.#summaries) {
      const digest = this.#digests.get(name) ?? digestOfSummaries(bucket.values())
      this.#digests.set(name, digest)
      digests[name] = digest
    }
    return digests
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
