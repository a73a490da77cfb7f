/** Medians and ratios of rounds. */

/** The median of the rounds, and their least and greatest. */
export interface Spread {
  readonly median: number
  readonly min: number
  readonly max: number
}

/** The median; NaN of nothing. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2
}

/** What the rounds came to. */
export function spreadOf(values: readonly number[]): Spread {
  return { median: median(values), min: Math.min(...values), max: Math.max(...values) }
}

/** Compares round by round, so that what slows the machine for a while slows both sides. */
export function ratioOf(values: readonly number[], baseline: readonly number[]): Spread {
  return spreadOf(values.map((value, round) => value / (baseline[round] ?? Number.NaN)))
}
