/** Which of two versions of one document all nodes keep, and whether the one that loses was known to the other, or is lost. */
import { type Entry, type Kind, keyOf } from './entry.ts'
import { compareStamps, type Stamp } from './stamp.ts'

/** The parts of a version that decide between it and another of the same document. */
type Version = Pick<Entry, 'stamp' | 'hash'>

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

/** Kinds that operators load. Other kinds have no conflicts: keys get new names, and one of two equal revocations suffices. */
const isLoaded = (kind: Kind): boolean => kind === 'realm' || kind === 'api_spec'

/** The changes of this node that lost against a change made without knowledge of them; each is reported once. */
export class Losses {
  readonly #node: string
  /** Document to the last version of it that was lost: those before it are no news. */
  readonly #last = new Map<string, Stamp>()

  constructor(node: string) {
    this.#node = node
  }

  /** Whether this loses a change of this node that was not reported before. */
  note(loser: Entry, winner: Entry): boolean {
    if (!isLoaded(loser.kind) || loser.stamp.node !== this.#node) return false
    if (!isConflict(winner, loser)) return false
    const last = this.#last.get(keyOf(loser))
    if (last && compareStamps(loser.stamp, last) <= 0) return false
    this.#last.set(keyOf(loser), loser.stamp)
    return true
  }
}
