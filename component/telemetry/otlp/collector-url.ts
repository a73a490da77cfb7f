/** Where spans are sent: by the configuration, else by the environment as OpenTelemetry defines it. */

/** Path of the requests with spans, below the endpoint (OTLP/HTTP). */
const path = '/v1/traces'

const fallback = 'http://127.0.0.1:4318'

/** Variables that name the collector: the first one with the path, the second one without. */
const variables = ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT'] as const

/**
 * The URL of the requests.
 * @param endpoint of the configuration; the path is added where it is missing
 * @throws Error for a variable that is no URL of HTTP
 */
export function collectorUrl(
  endpoint: string | undefined,
  environment: Readonly<Record<string, string | undefined>>,
): string {
  if (endpoint !== undefined) return withPath(endpoint)
  for (const name of variables) {
    const value = environment[name]?.trim()
    if (!value) continue
    if (!/^https?:$/.test(URL.parse(value)?.protocol ?? '')) {
      throw new Error(`${name}: must be a URL of http or https`)
    }
    return name === variables[0] ? new URL(value).href : withPath(value)
  }
  return withPath(fallback)
}

function withPath(endpoint: string): string {
  const base = endpoint.replace(/\/+$/, '')
  return base.endsWith(path) ? base : `${base}${path}`
}
