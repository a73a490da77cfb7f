/** The way to the collector: that of the exporters of opentelemetry-js, which sends over HTTP, and tries again. The encoding is ours. */
import { messageOf } from '#component/errors.ts'
import type { SpanOrigin } from './recorded-span.ts'
import type { SpanBatch } from './span-batch.ts'
import type { ExportFailure, ExportSpans } from './span-queue.ts'

/** The package that sends, in the version that was tested. Who wants traces installs it. */
export const exporterPackage = '@opentelemetry/otlp-exporter-base@0.301.1'

/** Where spans are sent, and whose they are. What is absent is taken from `OTEL_EXPORTER_OTLP_…` by the package. */
export interface CollectorOptions {
  /** URL of the requests, path included. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>> | undefined
  readonly origin: SpanOrigin
}

/**
 * Loads the package.
 * @throws Error that says what to install, where it is missing
 */
export async function openCollector({
  url,
  headers,
  origin,
}: CollectorOptions): Promise<ExportSpans> {
  const { convertLegacyHttpOptions, createOtlpHttpExportDelegate } = await load()
  const options = { url, ...(headers && { headers: { ...headers } }) }
  const content = { 'Content-Type': 'application/x-protobuf' }
  const sender = createOtlpHttpExportDelegate(
    convertLegacyHttpOptions(options, 'TRACES', 'v1/traces', content),
    {
      serializeRequest: (batch: SpanBatch) => batch.requestOf(origin),
      // what the collector says of spans that it has taken is not read
      deserializeResponse: () => ({}),
    },
    'otlp_http_span_exporter',
    { name: 'span', countItems: ({ count }) => count },
    undefined,
  )
  return (batch, done) => {
    try {
      sender.export(batch, ({ code, error }) =>
        done(code === success ? undefined : failureOf(error)),
      )
    } catch (error) {
      done({ reason: 'failed', message: messageOf(error) })
    }
  }
}

/** opentelemetry-js: ExportResultCode.SUCCESS */
const success = 0

async function load() {
  try {
    return await import('@opentelemetry/otlp-exporter-base/node-http')
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw cause
    throw new Error(`the package that sends spans is not installed: npm i ${exporterPackage}`, {
      cause,
    })
  }
}

/** An error of the package: `code` is a status of the collector, or an error of the network. */
function failureOf(error: (Error & { readonly code?: unknown }) | undefined): ExportFailure {
  const code = error?.code
  if (typeof code === 'number') {
    return { reason: 'refused', message: `the collector answered ${code}` }
  }
  // an answer that asks for a later attempt has no error of its own
  if (error === undefined || error.name === 'OTLPExporterError') {
    return { reason: 'unavailable', message: 'the collector answered 429, 502, 503 or 504' }
  }
  // its message may be empty where a name has several addresses
  return { reason: 'unreachable', message: error.message || String(code ?? 'no connection') }
}
