/** Which entries of other nodes are let in. */
import { type Entry, hashOf, kinds } from './entry.ts'
import { maxCounter, type Stamp } from './stamp.ts'

/** How far a stamp may be ahead of the clock of this node. Milliseconds. */
const maxAheadMs = 60_000

const isStamp = ({ ms, counter, node }: Stamp): boolean =>
  Number.isSafeInteger(ms) &&
  ms >= 0 &&
  Number.isSafeInteger(counter) &&
  counter >= 0 &&
  counter <= maxCounter &&
  typeof node === 'string'

/** A document that cannot be encoded has no hash. */
function hasItsHash({ document, hash }: Entry): boolean {
  try {
    return (document === null ? null : hashOf(document)) === hash
  } catch {
    return false
  }
}

/**
 * Why an entry of another node is not taken; undefined when it is.
 * @param now the clock of this node, milliseconds since the epoch
 */
export function refusalOf(entry: Entry, now: number): string | undefined {
  if (!kinds.includes(entry.kind)) return 'its kind is unknown here'
  if (!isStamp(entry.stamp) || (entry.parent !== null && !isStamp(entry.parent))) {
    return 'its stamp is malformed'
  }
  const aheadMs = entry.stamp.ms - now
  if (aheadMs > maxAheadMs) {
    return `its stamp is ${aheadMs} ms ahead of the clock of this node, at most ${maxAheadMs} are allowed`
  }
  if (!hasItsHash(entry)) return 'its hash is not that of its document'
  return undefined
}
