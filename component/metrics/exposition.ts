/** The lines of metrics as text for Prometheus: text format 0.0.4, and OpenMetrics 1.0. */
import type { Exemplar, LabelValue } from './series.ts'

/** The formats. */
export type Format = 'text' | 'openmetrics'

/** The types of metrics. */
export type MetricType = 'counter' | 'gauge' | 'histogram' | 'summary'

/** Labels with their values, in the order in which they are written. */
export type Labels = readonly (readonly [name: string, value: LabelValue])[]

/** The media types of the formats. */
export const contentTypes: Readonly<Record<Format, string>> = {
  text: 'text/plain; version=0.0.4; charset=utf-8',
  openmetrics: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
}

const suffix = '_total'

/** The last words of names that are units: OpenMetrics tells these. */
const units = ['seconds', 'bytes'] as const

/** OpenMetrics: escaping. Text format: the same, but for quotes in help. Most texts have nothing to escape. */
const escaped = (text: string): string =>
  /[\\\n"]/.test(text)
    ? text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"')
    : text

const escapedHelp = (text: string, format: Format): string =>
  format === 'openmetrics' ? escaped(text) : escaped(text).replaceAll('\\"', '"')

/** Labels as they stand between the braces. */
export const labelText = (labels: Labels): string =>
  labels.map(([name, value]) => `${name}="${escaped(String(value))}"`).join(',')

/** The lines before the samples of a metric. OpenMetrics names a counter without `_total`; a counter of another name has no type there. */
export function headText(format: Format, name: string, help: string, type: MetricType): string {
  if (format === 'text')
    return `# HELP ${name} ${escapedHelp(help, format)}\n# TYPE ${name} ${type}\n`
  const isTotal = type === 'counter' && name.endsWith(suffix)
  const family = isTotal ? name.slice(0, -suffix.length) : name
  const shown = type === 'counter' && !isTotal ? 'unknown' : type
  const unit = units.find((one) => family.endsWith(`_${one}`))
  const unitLine = unit === undefined ? '' : `# UNIT ${family} ${unit}\n`
  return `# TYPE ${family} ${shown}\n${unitLine}# HELP ${family} ${escapedHelp(help, format)}\n`
}

/** One sample. @param labels {@link labelText} */
export const sampleText = (name: string, labels: string, value: number): string =>
  `${name}${labels === '' ? '' : `{${labels}}`} ${numberText(value)}\n`

/** What follows a number: its exemplar, which OpenMetrics has, and the end of the line. */
export const lineEnd = (format: Format, exemplar?: Exemplar): string =>
  exemplar && format === 'openmetrics'
    ? ` # {trace_id="${escaped(exemplar.traceId)}"} ${exemplar.value} ${exemplar.at}\n`
    : '\n'

const numberText = (value: number): string =>
  Number.isFinite(value) ? `${value}` : Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf'

/** The bound of a bucket as the value of `le`: OpenMetrics writes it as a float. */
export const boundText = (format: Format, bound: number | undefined): string =>
  bound === undefined
    ? '+Inf'
    : format === 'openmetrics' && Number.isInteger(bound)
      ? `${bound}.0`
      : `${bound}`

/** The end of a text. */
export const endText = (format: Format): string => (format === 'openmetrics' ? '# EOF\n' : '')
