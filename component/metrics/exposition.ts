/** Metrics as text for Prometheus: text format 0.0.4. */
import type { Family } from './family.ts'
import type { LabelValue, Series } from './series.ts'

/** A type of metric. */
type MetricType = 'counter' | 'gauge' | 'histogram'

/** Labels with their values, in the order in which they are written. */
type Labels = readonly (readonly [name: string, value: LabelValue])[]

const escapedHelp = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')

const escaped = (text: string): string => escapedHelp(text).replaceAll('"', '\\"')

/** Labels as they stand between the braces. */
const labelText = (labels: Labels): string =>
  labels.map(([name, value]) => `${name}="${escaped(String(value))}"`).join(',')

/** The lines before the samples of a metric. */
const headText = (name: string, help: string, type: MetricType): string =>
  `# HELP ${name} ${escapedHelp(help)}\n# TYPE ${name} ${type}\n`

/** One sample. @param labels {@link labelText} */
const sampleText = (name: string, labels: string, value: number): string =>
  labels === '' ? `${name} ${numberText(value)}\n` : `${name}{${labels}} ${numberText(value)}\n`

const numberText = (value: number): string =>
  Number.isFinite(value) ? `${value}` : Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf'

/** The labels of a series. */
function labelsOf({ plan }: Family, { subject, first, second }: Series): Labels {
  const { api, label } = subject.version
  const own = plan.isOfNode
    ? []
    : ([
        ['api', api],
        ['version', label],
      ] as const)
  const text = plan.subject === undefined ? [] : ([[plan.subject, subject.text]] as const)
  const values = [first, second]
  const further = (plan.labels ?? []).map((name, index) => [name, values[index] ?? ''] as const)
  return [...own, ...text, ...further]
}

const countOf = ({ buckets = [] }: Series): number =>
  buckets.reduce((sum, bucket) => sum + bucket, 0)

/** The lines of a histogram's series; its buckets are cumulative. */
function histogramText(name: string, labels: string, { bounds = [] }: Family, series: Series) {
  const between = labels === '' ? '' : `${labels},`
  let below = 0
  let text = ''
  for (const [index, count] of (series.buckets ?? []).entries()) {
    below += count
    text += `${name}_bucket{${between}le="${bounds[index] ?? '+Inf'}"} ${below}\n`
  }
  return `${text}${sampleText(`${name}_sum`, labels, series.value)}${sampleText(`${name}_count`, labels, below)}`
}

/** The text of a metric, one series after the other. */
export function* familyText(family: Family, all: readonly Series[]): Generator<string> {
  const { name, help, bounds, counter, isGauge } = family.plan
  if (counter) {
    yield headText(counter.name, counter.help, 'counter')
    for (const one of all) {
      yield sampleText(counter.name, labelText(labelsOf(family, one)), countOf(one))
    }
  }
  yield headText(name, help, bounds ? 'histogram' : isGauge ? 'gauge' : 'counter')
  for (const one of all) {
    const labels = labelText(labelsOf(family, one))
    yield bounds ? histogramText(name, labels, family, one) : sampleText(name, labels, one.value)
  }
}
