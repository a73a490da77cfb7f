/** The text of one metric with all of its series, in pieces of one series. */
import {
  boundText,
  type Format,
  headText,
  type Labels,
  labelText,
  lineEnd,
  type MetricType,
  sampleText,
} from './exposition.ts'
import type { Family, FamilyPlan } from './family.ts'
import type { Series } from './series.ts'

/** A metric under the name that it is shown by. */
interface Shown {
  readonly name: string
  readonly help: string
  readonly type: MetricType
  labels(series: Series): Labels
  /** The number of a counter or gauge. */
  value(series: Series): number
}

/** How many durations a histogram has observed. */
const countOf = ({ buckets = [] }: Series): number =>
  buckets.reduce((sum, bucket) => sum + bucket, 0)

const ownValue = ({ value }: Series): number => value

/** The metrics of a family. */
function shownOf(plan: FamilyPlan): readonly Shown[] {
  const { name, help, bounds, isGauge, counter } = plan
  const labels = (series: Series) => declaredLabels(plan, series)
  const type = bounds ? 'histogram' : isGauge ? 'gauge' : 'counter'
  const own = { name, help, type, labels, value: ownValue } as const
  return counter ? [{ ...own, ...counter, type: 'counter', value: countOf }, own] : [own]
}

function declaredLabels(
  { isOfNode, subject: label, labels = [] }: FamilyPlan,
  { subject, first, second }: Series,
): Labels {
  const { version, text } = subject
  const all: [string, string | number][] = isOfNode
    ? []
    : [
        ['api', version.api],
        ['version', version.label],
      ]
  if (label !== undefined) all.push([label, text])
  const [firstLabel, secondLabel] = labels
  if (firstLabel !== undefined) all.push([firstLabel, first])
  if (secondLabel !== undefined) all.push([secondLabel, second])
  return all
}

/**
 * The text of a metric, one series after the other.
 * @param hasPlace whether the numbers of documents are told apart; else its series have no labels of the place
 */
export function* familyText(
  { plan, bounds }: Family,
  all: readonly Series[],
  format: Format,
  hasPlace = true,
): Generator<string> {
  const ends = [...(bounds ?? []), undefined].map((bound) => `le="${boundText(format, bound)}"} `)
  for (const shown of shownOf(hasPlace ? plan : { ...plan, isOfNode: true })) {
    const { name, help, type } = shown
    yield headText(format, name, help, type)
    for (const series of all) {
      const labels = labelText(shown.labels(series))
      yield type === 'histogram'
        ? histogramText(format, shown, labels, ends, series)
        : sampleText(name, labels, shown.value(series))
    }
  }
}

/**
 * The lines of a histogram's series; its buckets are cumulative. Most of a scrape are these lines: what they have in common is put
 * together once.
 * @param ends the label of each bucket's bound, and what follows it
 */
function histogramText(
  format: Format,
  { name }: Shown,
  labels: string,
  ends: readonly string[],
  { buckets = [], exemplars, value }: Series,
): string {
  const start = `${name}_bucket{${labels}${labels === '' ? '' : ','}`
  let below = 0
  let text = ''
  for (const [index, end] of ends.entries()) {
    below += buckets[index] ?? 0
    text += start + end + below + lineEnd(format, exemplars?.[index])
  }
  const sum = sampleText(`${name}_sum`, labels, value)
  return text + sum + sampleText(`${name}_count`, labels, below)
}
