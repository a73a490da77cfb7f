/** A finished span, in the form that the encoding of the exporter reads (opentelemetry-js: ReadableSpan). */
import type { TraceContext } from '#component/telemetry/trace-context.ts'

/** The kinds of spans of this gateway (opentelemetry-js: SpanKind). */
export const spanKind = { server: 1, client: 2, producer: 3 } as const

/** The status of a span (opentelemetry-js: SpanStatusCode). */
const unset = { code: 0 } as const
const failed = { code: 2 } as const

/** More characters of the URI of an error are left out: a callee may answer with any. */
const longestUri = 200

/** The URI of an error as an attribute. */
export const shortUri = (uri: string): string => uri.slice(0, longestUri)

/** Attributes by name. */
export type SpanAttributes = Record<string, string | number | boolean>

/** What all spans of a process share; the exporter groups spans by the identity of these objects. */
export interface SpanOrigin {
  readonly resource: { readonly attributes: SpanAttributes }
  readonly instrumentationScope: { readonly name: string; readonly version: string }
}

/** Something that happened during a span. */
export interface SpanEvent {
  readonly name: string
  /** Milliseconds since the epoch. */
  readonly at: number
}

/** What a span is made of when it is over. */
export interface SpanParts {
  readonly origin: SpanOrigin
  readonly kind: (typeof spanKind)[keyof typeof spanKind]
  readonly name: string
  readonly context: TraceContext
  readonly parent?: { readonly context: TraceContext; readonly isRemote: boolean } | undefined
  /** A span of another trace that caused this one. */
  readonly link?: TraceContext | undefined
  /** Milliseconds since the epoch. */
  readonly start: number
  readonly end: number
  readonly attributes: SpanAttributes
  readonly events?: readonly SpanEvent[]
  readonly isError: boolean
}

/** Seconds and nanoseconds since the epoch. */
type HrTime = readonly [seconds: number, nanoseconds: number]

/** A span. */
export type RecordedSpan = ReturnType<typeof recordedSpan>

/** Makes the span. */
export function recordedSpan(parts: SpanParts) {
  const { origin, kind, name, attributes, parent, link, events = [] } = parts
  const context = spanContext(parts.context, false)
  return {
    ...{ name, kind, attributes },
    resource: origin.resource,
    instrumentationScope: origin.instrumentationScope,
    startTime: hrTime(parts.start),
    endTime: hrTime(parts.end),
    status: parts.isError ? failed : unset,
    events: events.map((event) => ({ name: event.name, time: hrTime(event.at) })),
    links: link ? [{ context: spanContext(link, true) }] : [],
    parentSpanContext: parent && spanContext(parent.context, parent.isRemote),
    spanContext: () => context,
    ...{ droppedAttributesCount: 0, droppedEventsCount: 0, droppedLinksCount: 0 },
  }
}

function hrTime(ms: number): HrTime {
  const seconds = Math.floor(ms / 1000)
  return [seconds, Math.round((ms - seconds * 1000) * 1e6)]
}

const spanContext = (context: TraceContext, isRemote: boolean) => ({
  traceId: context.traceId,
  spanId: context.spanId,
  traceFlags: (context.isSampled ? 1 : 0) | (context.isRandom ? 2 : 0),
  isRemote,
  traceState: { serialize: () => context.tracestate ?? '' },
})
