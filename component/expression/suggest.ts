/** "Did you mean": the candidate that a misspelt or shortened word may stand for. */

/** Longer words are never suggested for, so that the cost stays small. */
const longestWord = 64

/** At most this many candidates are compared. */
const mostCandidates = 1000

/** At most this many edits between a word and its suggestion. */
const mostEdits = 2

/** Insertions, deletions, replacements and swaps of neighbours between two words; more than two count as three. */
function editsBetween(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > mostEdits) return mostEdits + 1
  let before: number[] = []
  let above = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let row = 1; row <= a.length; row++) {
    const current = [row]
    for (let column = 1; column <= b.length; column++) {
      const isSame = a[row - 1] === b[column - 1]
      let edits = Math.min(
        (above[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (above[column - 1] ?? 0) + (isSame ? 0 : 1),
      )
      const isSwap =
        row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]
      if (isSwap) edits = Math.min(edits, (before[column - 2] ?? 0) + 1)
      current.push(edits)
    }
    // No row can fall below the least of the one above it.
    if (Math.min(...current, ...above) > mostEdits) return mostEdits + 1
    before = above
    above = current
  }
  return above[b.length] ?? mostEdits + 1
}

/** The nearest candidate within two edits (Damerau-Levenshtein) of the word; undefined when no candidate is near. */
function nearest(word: string, candidates: Iterable<string>): string | undefined {
  let best: string | undefined
  // at least half of the word must remain
  let fewest = Math.min(mostEdits, Math.floor(word.length / 2)) + 1
  let looked = 0
  for (const candidate of candidates) {
    if (++looked > mostCandidates) break
    const edits = editsBetween(word, candidate)
    if (edits < fewest) {
      fewest = edits
      best = candidate
    }
  }
  return best
}

/** Shorter words begin, or end, too many others. */
const [leastBeginning, leastEnd] = [3, 4]

/** The first candidate that begins or ends with the word: `len` begins `length`, `roles` ends `authroles`. */
function wholeOf(word: string, candidates: readonly string[]): string | undefined {
  // a namespace alone is a part of too many
  if (!/^\w+$/.test(word)) return undefined
  return candidates
    .slice(0, mostCandidates)
    .find(
      (one) =>
        (word.length >= leastBeginning && one.startsWith(word)) ||
        (word.length >= leastEnd && one.endsWith(word)),
    )
}

/** The candidate that a word resembles most; undefined if it resembles none. */
export function suggest(word: string, candidates: Iterable<string>): string | undefined {
  if (word.length > longestWord) return undefined
  const known = [...candidates]
  const plain = word.toLowerCase()
  return nearest(word, known) ?? nearest(plain, known) ?? wholeOf(plain, known)
}

/** A refusal lists 100 issues; later ones get no suggestion, which bounds the cost. */
const mostSuggestions = 100

/** `; did you mean "…"?`, or an empty text. `issues` are those that the load has found so far. */
export function didYouMean(
  word: string,
  candidates: Iterable<string>,
  issues: readonly unknown[],
): string {
  if (issues.length >= mostSuggestions) return ''
  const meant = suggest(word, candidates)
  return meant === undefined ? '' : `; did you mean "${meant}"?`
}
