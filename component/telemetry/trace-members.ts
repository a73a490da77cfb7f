/** How a line of the access log names the trace of its request or call. */
import type { RequestTrace } from './telemetry.ts'

/** As OpenTelemetry names them in logs of other forms than its own. */
export const traceMembers = ({ context: { traceId, spanId, isSampled } }: RequestTrace) => ({
  trace_id: traceId,
  span_id: spanId,
  sampled: isSampled,
})
