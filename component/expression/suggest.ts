/** "Did you mean": the candidates that a misspelt word, or a word of another language, may stand for. */
import { synonyms } from './synonyms.ts'

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

/** What a word of another language stands for, as far as it is among the candidates. */
function meaningsOf(word: string, candidates: readonly string[]): readonly string[] {
  const names = Object.hasOwn(synonyms, word) ? (synonyms[word] ?? []) : []
  return names.filter((name) => candidates.includes(name))
}

/** The candidates that a word may stand for: by another word for them, else the nearest one, else the nearest other word. */
export function suggestions(word: string, candidates: Iterable<string>): readonly string[] {
  if (word.length > longestWord) return []
  const known = [...candidates]
  const plain = word.toLowerCase()
  const meanings = meaningsOf(plain, known)
  if (meanings.length > 0) return meanings
  const near = nearest(word, known) ?? nearest(plain, known)
  if (near !== undefined) return [near]
  const others = Object.keys(synonyms).filter((name) => meaningsOf(name, known).length > 0)
  const other = nearest(plain, others)
  return other === undefined ? [] : meaningsOf(other, known)
}

/** The first of the {@link suggestions}; undefined if the word resembles no candidate. */
export const suggest = (word: string, candidates: Iterable<string>): string | undefined =>
  suggestions(word, candidates)[0]

/** A refusal lists 100 issues; later ones get no suggestion, which bounds the cost. */
const mostSuggestions = 100

/** `; did you mean "…"?`, or an empty text. `issues` are those that the load has found so far. */
export function didYouMean(
  word: string,
  candidates: Iterable<string>,
  issues: readonly unknown[],
): string {
  if (issues.length >= mostSuggestions) return ''
  const meant = suggestions(word, candidates)
  return meant.length === 0
    ? ''
    : `; did you mean ${meant.map((name) => `"${name}"`).join(' or ')}?`
}
