/** Checks segments of text and bindings against each other: those that one request could match alike, and too many at one place. */
import { formsOf } from '#component/routes/entry-patterns.ts'
import { partEnds, partLengths, partRank } from '#component/routes/part-children.ts'
import type { RouteEntry } from '#component/routes/routing-table.ts'
import { type PartSegment, segmentKey } from '#component/syntax/path-pattern.ts'
import type { Steps } from '#component/yielding.ts'
import type { Findings } from './fold-check.ts'

/** What a request may have to be compared with for one of its segments, at most. */
const maxAtOnce = 64

/** The segments of text and bindings that stand behind the same segments. */
class Beside {
  /** Pairs of lengths, each looked up once a request. */
  readonly #lengths = new Set<string>()
  /** By first and last text: segments that are compared one after the other. */
  readonly #sameEnds = new Map<string, Set<string>>()
  /** By rank: the first of them. */
  readonly #ranks = new Map<string, { readonly key: string; readonly pattern: string }>()

  /** @returns what is too much; undefined where all is within the limits */
  problemWith(segment: PartSegment): string | undefined {
    const ends = partEnds(segment)
    const same = this.#sameEnds.get(ends) ?? new Set()
    this.#sameEnds.set(ends, same)
    this.#lengths.add(partLengths(segment))
    same.add(segmentKey(segment))
    if (this.#lengths.size > maxAtOnce) {
      return `the texts before and after the bindings of a segment have more than ${maxAtOnce} pairs of lengths here`
    }
    return same.size > maxAtOnce
      ? `more than ${maxAtOnce} segments here begin and end with the same text around their bindings`
      : undefined
  }

  /** @returns the pattern of a segment of equal rank, which one request could match, too */
  rivalOf(segment: PartSegment, pattern: string): string | undefined {
    const [rank, key] = [partRank(segment), segmentKey(segment)]
    const first = this.#ranks.get(rank)
    if (first === undefined) this.#ranks.set(rank, { key, pattern })
    return first === undefined || first.key === key ? undefined : first.pattern
  }
}

/** Reports on the paths of a document, which all have one host. */
export function* checkParts(
  places: readonly RouteEntry<never>[],
  { issues, warnings }: Findings,
): Steps<void> {
  const nodes = new Map<string, Beside>()
  for (const place of places) {
    const { path, pattern } = place
    let problem: string | undefined
    let rival: string | undefined
    for (const { form } of formsOf(place)) {
      let before = ''
      for (const segment of form) {
        if (segment.kind === 'parts') {
          const beside = nodes.get(before) ?? new Beside()
          nodes.set(before, beside)
          problem ??= beside.problemWith(segment)
          rival ??= beside.rivalOf(segment, pattern)
        }
        before += segmentKey(segment)
      }
    }
    if (problem !== undefined) issues.push({ path, message: problem })
    if (rival !== undefined) {
      const message = `one request could match the route ${pattern} and ${rival}, and neither has more text: the text that sorts first wins`
      warnings.push({ path, message })
    }
    yield
  }
}
