/** Metrics as they are shown: their names and labels. */
import type { Labels, MetricType } from './exposition.ts'
import type { FamilyPlan } from './family.ts'
import type { Series } from './series.ts'

/** A metric under the name that it is shown by. */
export interface Shown {
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
export function shownOf(plan: FamilyPlan): readonly Shown[] {
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
