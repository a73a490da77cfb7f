/** Medians and ratios of rounds. */

/** A ratio to the baseline: the median of the rounds' own ratios, and their least and greatest. */
export interface Ratio {
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

/** Compares round by round, so that what slows the machine for a while slows both sides. */
export function ratioOf(values: readonly number[], baseline: readonly number[]): Ratio {
  const ratios = values.map((value, round) => value / (baseline[round] ?? Number.NaN))
  return { median: median(ratios), min: Math.min(...ratios), max: Math.max(...ratios) }
}
