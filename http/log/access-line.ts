/** What the access log tells of a request: the members of its line `request`. */
import type { RequestTrace } from '#component/telemetry/telemetry.ts'
import type { HttpExchange } from '#http/read-request.ts'

/**
 * The members of the line.
 * @param duration milliseconds
 * @param bytes that were written to the client
 */
export function accessLine(
  exchange: HttpExchange,
  status: number,
  duration: number,
  bytes: number,
): Readonly<Record<string, unknown>> {
  const { id, method, route, tool, stream, trace } = exchange
  const record = stream?.record
  return {
    request_id: id,
    ...(trace && traceMembers(trace)),
    method,
    route,
    ...(tool !== undefined && { tool }),
    status,
    error: exchange.error ?? record?.error,
    ...(record && { events: record.events, reason: record.reason }),
    duration,
    bytes,
    peer: exchange.peername,
  }
}

/** As OpenTelemetry names them in logs of other forms than its own. */
const traceMembers = ({ context: { traceId, spanId, isSampled } }: RequestTrace) => ({
  trace_id: traceId,
  span_id: spanId,
  sampled: isSampled,
})
