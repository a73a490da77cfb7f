/** "Did you mean": the candidate that is nearest to a misspelt word. */

/** Longer words are never suggested for, so that the cost stays small. */
const longestWord = 64

/** Candidates beyond these are not looked at. */
const mostCandidates = 1000

/** How many edits may lie between a word and what was meant. */
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

/** The candidate at most two edits (Damerau-Levenshtein) from the word, the nearest first; undefined when there is none. */
export function suggest(word: string, candidates: Iterable<string>): string | undefined {
  if (word.length > longestWord) return undefined
  let best: string | undefined
  // A word of which less than half would remain was not meant.
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

/** Refusals list 100 issues; what is found wrong after that gets no suggestion, so that their cost stays small. */
const mostSuggestions = 100

/** `; did you mean "…"?`, or nothing. `issues` is what the load has found wrong so far. */
export function didYouMean(
  word: string,
  candidates: Iterable<string>,
  issues: readonly unknown[],
): string {
  if (issues.length >= mostSuggestions) return ''
  const meant = suggest(word, candidates)
  return meant === undefined ? '' : `; did you mean "${meant}"?`
}
