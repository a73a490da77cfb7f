/** The series that a test has made, as text. */
import type { Families } from '#component/metrics/families.ts'
import { runAtOnce } from '#component/yielding.ts'

/** One line a series: name, document, subject, further labels, and how often it was counted or observed. */
export function seriesOf(families: Families): string[] {
  const found = [...runAtOnce(families.collect())]
  return found.flatMap(([{ plan }, all]) =>
    all.map(({ subject, first, second, buckets, value }) => {
      const count = buckets?.reduce((sum, each) => sum + each, 0) ?? value
      const labels = [subject.version.api, subject.text, first, second]
      return [plan.name, ...labels.filter((label) => label !== ''), count].join(' ')
    }),
  )
}
