/** Where the trace of a request comes from: a parent that is believed, or the gateway itself. */
import type { RandomIds } from './random-ids.ts'
import type { Sampler } from './sampler.ts'
import type { TraceBringer } from './telemetry.ts'
import { readTraceContext, type TraceContext } from './trace-context.ts'

/** Whose trace context is believed: nobody's, that of requests that trusted proxies send, or everybody's. */
export type Trust = 'none' | 'proxies' | 'all'

/** The trace context that a request brings, where it is believed and well-formed. */
export const parentOf = (request: TraceBringer, trust: Trust): TraceContext | undefined =>
  isBelieved(request, trust) ? broughtBy(request) : undefined

/** The trace context that a request brings in vain: its trace is another one, which can name it. */
export const linkOf = (request: TraceBringer, trust: Trust): TraceContext | undefined =>
  isBelieved(request, trust) ? undefined : broughtBy(request)

const broughtBy = ({ headers }: TraceBringer): TraceContext | undefined =>
  readTraceContext(headers.traceparent, headers.tracestate)

const isBelieved = ({ isFromProxy }: TraceBringer, trust: Trust): boolean =>
  trust === 'all' || (trust === 'proxies' && isFromProxy)

/** The context of a span that begins a trace. */
export function newContext(ids: RandomIds, isSampled: Sampler): TraceContext {
  const traceId = ids.traceId()
  return {
    traceId,
    spanId: ids.spanId(),
    isSampled: isSampled(traceId),
    isRandom: true,
    tracestate: undefined,
  }
}

/** The context of a span below the parent, in its trace. */
export const childOf = (parent: TraceContext, ids: RandomIds): TraceContext => ({
  ...parent,
  spanId: ids.spanId(),
})
