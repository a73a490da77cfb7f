/** The samples of metrics, as Prometheus reads them. */
import type { Format } from '#component/metrics/exposition.ts'
import type { Families } from '#component/metrics/families.ts'
import { familyText } from '#component/metrics/family-text.ts'
import { runAtOnce } from '#component/yielding.ts'

/** Lines without buckets and sums: of a histogram only how often it was observed. */
export const countsIn = (lines: readonly string[]): string[] =>
  lines.filter((line) => !/_(?:bucket|sum)[{ ]/.test(line))

/** The lines of all metrics that begin with `start`. */
export function metricLines(families: Families, start: string, format: Format = 'text'): string[] {
  const texts: string[] = []
  for (const [family, all] of runAtOnce(families.collect())) {
    texts.push(...familyText(family, all, format))
  }
  return texts
    .join('')
    .split('\n')
    .filter((line) => line.startsWith(start))
}
