/** Finds out which changes of this node have lost against changes made without knowing them, each once. */
import { keyOf } from './digest.ts'
import { type Entry, isConflict, type Kind } from './entry.ts'
import { compareStamps, type Stamp } from './stamp.ts'

/** What people load. Keys are made under new names, and of two revocations of the same, one does. */
const isLoaded = (kind: Kind): boolean => kind === 'realm' || kind === 'api_spec'

/** What this node has lost so far. */
export class Losses {
  readonly #node: string
  /** Document to the last version of it that was lost: those before it are no news. */
  readonly #last = new Map<string, Stamp>()

  constructor(node: string) {
    this.#node = node
  }

  /** Has a change of this node been lost by this, and is that news? */
  note(loser: Entry, winner: Entry): boolean {
    if (!isLoaded(loser.kind) || loser.stamp.node !== this.#node) return false
    if (!isConflict(winner, loser)) return false
    const last = this.#last.get(keyOf(loser))
    if (last && compareStamps(loser.stamp, last) <= 0) return false
    this.#last.set(keyOf(loser), loser.stamp)
    return true
  }
}
