/** Checks entries of other nodes. */
import type { Steps } from '#component/yielding.ts'
import { type Entry, hashing, kinds } from './entry.ts'
import { maxCounter, type Stamp } from './stamp.ts'

/** The result of merging entries of other nodes. */
export interface Merged {
  /** How many documents have changed here. */
  readonly merged: number
  /** Refused entries, with reasons. */
  readonly refused: readonly { readonly entry: Entry; readonly reason: string }[]
}

/** How far a stamp may be ahead of the clock of this node. Milliseconds. */
const maxAheadMs = 60_000

const isStamp = ({ ms, counter, node }: Stamp): boolean =>
  Number.isSafeInteger(ms) &&
  ms >= 0 &&
  Number.isSafeInteger(counter) &&
  counter >= 0 &&
  counter <= maxCounter &&
  typeof node === 'string'

/** Whether the hash of an entry is that of its document; false for a document that cannot be encoded. */
export function* hasItsHash({ document, hash }: Entry): Steps<boolean> {
  try {
    return (document === null ? null : yield* hashing(document)) === hash
  } catch {
    return false
  }
}

/**
 * Why an entry of another node is refused; undefined when it is accepted.
 * @param now the clock of this node, milliseconds since the epoch
 */
export function* refusalOf(entry: Entry, now: number): Steps<string | undefined> {
  if (!kinds.includes(entry.kind)) return 'the kind of the entry is unknown'
  if (!isStamp(entry.stamp) || (entry.parent !== null && !isStamp(entry.parent))) {
    return 'the stamp of the entry is malformed'
  }
  const aheadMs = entry.stamp.ms - now
  if (aheadMs > maxAheadMs) {
    return `the stamp is ${aheadMs} ms ahead of the clock of this node, at most ${maxAheadMs} ms are allowed`
  }
  if (!(yield* hasItsHash(entry))) return 'the hash does not match the document'
  return undefined
}
