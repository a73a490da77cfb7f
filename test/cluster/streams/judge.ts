/** What a client of a stream was sent, held against what the router acknowledged: the judge of the streams tests, who knows nothing of the gateway. */

/**
 * What a client notes, in the order of arrival: the number that a publication carries, `gap <code>` for a gap, and `moved` where the
 * numbers after it come from another process than those before.
 */
export type Noted = number | string

/** How well a client was told. */
export interface Verdict {
  /** Acknowledged publications that the client neither saw nor was told of by a gap: one sentence for each hole. */
  readonly silent: readonly string[]
  /** Publications that came twice from one process: one sentence for each. */
  readonly repeated: readonly string[]
  /** Acknowledged publications that stand in a hole with a gap. */
  readonly named: number
  /** Publications that another process sent again right after the client came to it. */
  readonly again: number
  /** Gaps by their code. */
  readonly gaps: ReadonlyMap<string, number>
}

/**
 * Judges the notes of one client. The publications are numbered in the order in which one publisher sent them, which WAMP keeps for
 * each subscriber.
 * @param isAcknowledged whether the router acknowledged the publication of a number
 */
export function judge(
  noted: readonly Noted[],
  isAcknowledged: (number: number) => boolean,
): Verdict {
  const silent: string[] = []
  const repeated: string[] = []
  const gaps = new Map<string, number>()
  let named = 0
  let again = 0
  let last: number | undefined
  let hasGap = false
  let hasMoved = false
  for (const one of noted) {
    if (typeof one === 'string') {
      if (one === 'moved') hasMoved = true
      else {
        gaps.set(one, (gaps.get(one) ?? 0) + 1)
        hasGap = true
      }
    } else if (last === undefined) last = one
    else if (one <= last) {
      if (hasMoved) again++
      else repeated.push(`${one} after ${last}`)
    } else {
      const missing = countBetween(last, one, isAcknowledged)
      if (hasGap) named += missing
      else if (missing > 0) silent.push(`${missing} between ${last} and ${one}`)
      last = one
      hasGap = false
      hasMoved = false
    }
  }
  return { silent, repeated, named, again, gaps }
}

function countBetween(
  from: number,
  to: number,
  isAcknowledged: (number: number) => boolean,
): number {
  let count = 0
  for (let number = from + 1; number < to; number++) if (isAcknowledged(number)) count++
  return count
}
