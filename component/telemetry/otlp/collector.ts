/** The way to the collector: the exporter of opentelemetry-js, which encodes spans as OTLP protobuf, sends them over HTTP, and tries again. */
import type { Agent } from 'node:http'
import type { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { messageOf } from '#component/errors.ts'
import type { ExportFailure, ExportSpans } from './span-queue.ts'

/** The package of the exporter, in the version that was tested. Who wants traces installs it. */
export const exporterPackage = '@opentelemetry/exporter-trace-otlp-proto@0.301.1'

/** Where spans are sent. What is absent is taken from `OTEL_EXPORTER_OTLP_…` by the exporter. */
export interface CollectorOptions {
  /** URL of the requests, path included. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>> | undefined
  /** Makes the connections; undefined: the exporter. */
  readonly agent?: Agent | undefined
}

/**
 * Loads the exporter.
 * @throws Error that says what to install, where it is missing
 */
export async function openCollector({
  url,
  headers,
  agent,
}: CollectorOptions): Promise<ExportSpans> {
  const { OTLPTraceExporter: Exporter } = await load()
  const exporter = new Exporter({
    url,
    ...(headers && { headers: { ...headers } }),
    ...(agent && { httpAgentOptions: () => agent }),
  })
  return (spans, done) => {
    try {
      // the encoding reads no more of a span than RecordedSpan has
      exporter.export(spans as unknown as Exported, ({ code, error }) =>
        done(code === success ? undefined : failureOf(error)),
      )
    } catch (error) {
      done({ reason: 'failed', message: messageOf(error) })
    }
  }
}

type Exported = Parameters<OTLPTraceExporter['export']>[0]

/** opentelemetry-js: ExportResultCode.SUCCESS */
const success = 0

async function load() {
  try {
    return await import('@opentelemetry/exporter-trace-otlp-proto')
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw cause
    throw new Error(`the package that sends spans is not installed: npm i ${exporterPackage}`, {
      cause,
    })
  }
}

/** An error of the exporter: `code` is a status of the collector, or an error of the network. */
function failureOf(error: (Error & { readonly code?: unknown }) | undefined): ExportFailure {
  const code = error?.code
  if (typeof code === 'number') {
    return { reason: 'refused', message: `the collector returned ${code}` }
  }
  // an answer that asks for a later attempt has no error of its own
  if (error === undefined || error.name === 'OTLPExporterError') {
    return { reason: 'unavailable', message: 'the collector returned 429, 502, 503 or 504' }
  }
  // its message may be empty where a name has several addresses
  return { reason: 'unreachable', message: error.message || String(code ?? 'no connection') }
}
