/** Spans for tests of what carries them. */
import {
  type RecordedSpan,
  recordedSpan,
  spanKind,
} from '#component/telemetry/otlp/recorded-span.ts'

const origin = {
  resource: { attributes: { 'service.name': 'test' } },
  instrumentationScope: { name: 'wamp-gateway', version: '1.0.0' },
}

/** A context of the numbered span of one trace. */
export const contextOf = (id: number) => ({
  traceId: 'a'.repeat(32),
  spanId: String(id).padStart(16, '0'),
  isSampled: true,
  isRandom: true,
  tracestate: undefined,
})

/** A server span. */
export const spanOf = (id: number): RecordedSpan =>
  recordedSpan({
    origin,
    kind: spanKind.server,
    name: `span ${id}`,
    context: contextOf(id),
    start: 1_700_000_000_000,
    end: 1_700_000_000_001.5,
    attributes: { 'http.request.method': 'GET' },
    isError: false,
  })

/** Server spans with the ids 1 to `count`. */
export const spansOf = (count: number): RecordedSpan[] =>
  Array.from({ length: count }, (_, index) => spanOf(index + 1))
