/** The format of /metrics by Accept: OpenMetrics for those who name it, else the text format. */
import type { Format } from '#component/metrics/exposition.ts'
import { weight } from '#component/syntax/weight.ts'

/** What the formats are called, and their versions. */
const offers: readonly (readonly [format: Format, type: string, version: string])[] = [
  ['openmetrics', 'application/openmetrics-text', '1.0.0'],
  ['text', 'text/plain', '0.0.4'],
]

/** The version that the parameters of a media type name. */
const versionOf = (parameters: readonly string[]): string | undefined =>
  parameters
    .map((one) => /^\s*version\s*=\s*"?([^"]*?)"?\s*$/i.exec(one)?.[1])
    .find((one) => one !== undefined)

/**
 * The format to answer in: OpenMetrics where it is named with a weight of at least that of the text format, which everybody else gets,
 * also those who accept neither.
 * @param accept the Accept field
 */
export function metricsFormat(accept = ''): Format {
  const weights = new Map<Format, number>()
  for (const element of accept.split(',')) {
    const [name = '', ...parameters] = element.split(';')
    const named = name.trim().toLowerCase()
    const version = versionOf(parameters)
    for (const [format, type, own] of offers) {
      if (named !== type || (version ?? own) !== own) continue
      weights.set(format, Math.max(weights.get(format) ?? 0, weight(parameters) ?? 0))
    }
  }
  const openMetrics = weights.get('openmetrics') ?? 0
  return openMetrics > 0 && openMetrics >= (weights.get('text') ?? 0) ? 'openmetrics' : 'text'
}
