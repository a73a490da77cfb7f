/** Detects changes of this node that lost against a change made without knowledge of them; reports each once. */

import { isConflict } from './conflict-resolution.ts'
import { keyOf } from './digest.ts'
import type { Entry, Kind } from './entry.ts'
import { compareStamps, type Stamp } from './stamp.ts'

/** Kinds that operators load. Other kinds have no conflicts: keys get new names, and one of two equal revocations suffices. */
const isLoaded = (kind: Kind): boolean => kind === 'realm' || kind === 'api_spec'

/** The lost changes of this node. */
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
