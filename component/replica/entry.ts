/** An entry of the replicated map: the newest known version of a document, or the fact that it was deleted; and which of two wins. */
import { createHash } from 'node:crypto'
import { canonicalJson } from '#component/json.ts'
import { compareStamps, type Stamp } from './stamp.ts'

/** What is replicated. */
export type Kind = 'api_spec' | 'realm'

/** All kinds, in the order in which changes are made live: API Specifications name realms. */
export const kinds: readonly Kind[] = ['realm', 'api_spec']

/** A JSON object as it was loaded. */
export type Document = Readonly<Record<string, unknown>>

/** One version of one document (behaviour: Several nodes). */
export interface Entry {
  readonly kind: Kind
  /** `id` of an API Specification, `uri` of a realm. */
  readonly id: string
  readonly stamp: Stamp
  /** The version that it took the place of, where it was made; null for none. */
  readonly parent: Stamp | null
  /** SHA-256, hex, of the document's canonical JSON (RFC 8785); null in a tombstone. */
  readonly hash: string | null
  /** Null in a tombstone, which is never removed. */
  readonly document: Document | null
}

/** What decides between two versions of one document. */
type Version = Pick<Entry, 'stamp' | 'hash'>

/** The `hash` of a document. */
export const hashOf = (document: Document): string =>
  createHash('sha256').update(canonicalJson(document)).digest('hex')

/** Negative when `a` loses against `b`. Versions of one stamp are the same one, unless somebody made it up: then the hash decides. */
export const compareEntries = (a: Version, b: Version): number => {
  const byStamp = compareStamps(a.stamp, b.stamp)
  if (byStamp !== 0) return byStamp
  const [one, other] = [a.hash ?? '', b.hash ?? '']
  return one < other ? -1 : Number(one > other)
}

/** Of two versions of one document the one that all nodes keep: commutative, associative, idempotent. */
export const merge = (a: Entry, b: Entry): Entry => (compareEntries(a, b) >= 0 ? a : b)

/**
 * Was the winner made by somebody who did not know of the loser? Then a load that was acknowledged has been lost. True is
 * certain. False is not, when the winner's parent is itself later than the loser: of that one's parent nothing is known.
 */
export const isConflict = (winner: Entry, loser: Entry): boolean =>
  compareStamps(winner.stamp, loser.stamp) > 0 &&
  (winner.parent === null || compareStamps(winner.parent, loser.stamp) < 0)
