/** An entry of the replicated map: the newest known version of a document, or the fact that it was deleted; and which of two wins. */
import { createHash } from 'node:crypto'
import { canonicalParts } from '#component/codec/json.ts'
import { runAtOnce, type Steps } from '#component/yielding.ts'
import { compareStamps, type Stamp } from './stamp.ts'

/** What is replicated. */
export type Kind =
  | 'realm'
  | 'realm_key'
  | 'revocation'
  | 'api_key'
  | 'oidc_user'
  | 'id_token'
  | 'api_spec'

/** All kinds, in the order in which changes are made live: API Specifications name realms. */
export const kinds: readonly Kind[] = [
  'realm',
  'realm_key',
  'revocation',
  'api_key',
  'oidc_user',
  'id_token',
  'api_spec',
]

/** A JSON object as it was loaded. */
export type Document = Readonly<Record<string, unknown>>

/** One version of one document (behaviour: Several nodes). */
export interface Entry {
  readonly kind: Kind
  /** `id` of an API Specification, `uri` of a realm, `kid` of a key of a realm, … */
  readonly id: string
  readonly stamp: Stamp
  /** The version that it replaced on the node where it was made; null for none. */
  readonly parent: Stamp | null
  /** Stamps before the parent, newest first; at most {@link maxAncestors}. Absent: not known. */
  readonly ancestors?: readonly Stamp[]
  /** SHA-256, hex, of the document's canonical JSON (RFC 8785); null in a tombstone. */
  readonly hash: string | null
  /** Null in a tombstone, which is never removed. */
  readonly document: Document | null
}

/** What decides between two versions of one document. */
type Version = Pick<Entry, 'stamp' | 'hash'>

/** The `hash` of a document. */
export const hashOf = (document: Document): string => runAtOnce(hashing(document))

/** Characters that are hashed in one step. */
const stepLength = 65_536

/** {@link hashOf} in steps; of any JSON value. */
export function* hashing(document: unknown): Steps<string> {
  const hash = createHash('sha256')
  let text = ''
  for (const part of canonicalParts(document)) {
    text += part
    if (text.length < stepLength) continue
    hash.update(text)
    text = ''
    yield
  }
  return hash.update(text).digest('hex')
}

/** Negative when `a` loses against `b`. Versions of one stamp are the same one, unless one is forged: then the hash decides. */
export const compareEntries = (a: Version, b: Version): number => {
  const byStamp = compareStamps(a.stamp, b.stamp)
  if (byStamp !== 0) return byStamp
  const [one, other] = [a.hash ?? '', b.hash ?? '']
  return one < other ? -1 : Number(one > other)
}

/** Of two versions of one document the one that all nodes keep: commutative, associative, idempotent. */
export const merge = (a: Entry, b: Entry): Entry => (compareEntries(a, b) >= 0 ? a : b)

/** Versions before its parent that an entry names: at most this many loads are told apart while nodes are separated. */
export const maxAncestors = 9

/** The parent and the ancestors of an entry that replaces another one. */
export function lineage(current: Entry | undefined): Pick<Entry, 'parent' | 'ancestors'> {
  if (current === undefined) return { parent: null, ancestors: [] }
  const { ancestors, parent, stamp } = current
  if (parent === null) return { parent: stamp, ancestors: [] }
  return ancestors === undefined
    ? { parent: stamp }
    : { parent: stamp, ancestors: [parent, ...ancestors].slice(0, maxAncestors) }
}

/**
 * Whether the winner was made without knowledge of the loser: then an acknowledged load has been lost. True is certain. False is
 * not certain when every ancestor that the winner names is later than the loser.
 */
export function isConflict(winner: Entry, loser: Entry): boolean {
  if (compareStamps(winner.stamp, loser.stamp) <= 0) return false
  const { ancestors, parent } = winner
  if (parent === null) return true
  const known = [parent, ...(ancestors ?? [])]
  if (known.some((stamp) => compareStamps(stamp, loser.stamp) === 0)) return false
  const isWhole = ancestors !== undefined && ancestors.length < maxAncestors
  return isWhole || known.some((stamp) => compareStamps(stamp, loser.stamp) < 0)
}
