/** The attributes of the gateway itself, which all its spans have (OpenTelemetry: Resource). */
import { readNameValues } from './name-values.ts'
import type { SpanAttributes } from './recorded-span.ts'

const listed = 'OTEL_RESOURCE_ATTRIBUTES'

/** Attributes that are known without anybody telling them. */
export interface KnownResource {
  readonly node: string
  readonly version: string
  readonly host: string
  /** Of the process. */
  readonly pid: number
}

/**
 * The attributes: those of the configuration first, then `OTEL_SERVICE_NAME`, then `OTEL_RESOURCE_ATTRIBUTES`, then what is known.
 * @throws Error for a malformed `OTEL_RESOURCE_ATTRIBUTES`
 */
export const resourceAttributes = (
  configured: SpanAttributes,
  environment: Readonly<Record<string, string | undefined>>,
  { node, version, host, pid }: KnownResource,
): SpanAttributes => ({
  'service.name': 'wamp-gateway',
  'service.version': version,
  'service.instance.id': node,
  'host.name': host,
  'process.pid': pid,
  ...readNameValues(environment[listed] ?? '', listed),
  ...(environment.OTEL_SERVICE_NAME && { 'service.name': environment.OTEL_SERVICE_NAME }),
  ...configured,
})
