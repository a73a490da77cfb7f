/** A span that is over: what it tells, before it is encoded. */
import type { TraceContext } from '#component/telemetry/trace-context.ts'

/** The kinds of spans of this gateway (opentelemetry-proto: Span.SpanKind). */
export const spanKind = { server: 2, client: 3, producer: 4 } as const

/** More characters of the URI of an error are left out: a callee may answer with any. */
const longestUri = 200

/** The URI of an error as an attribute. */
export const shortUri = (uri: string): string => uri.slice(0, longestUri)

/** Attributes by name. */
export type SpanAttributes = Record<string, string | number | boolean>

/** What all spans of a process share. */
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

/** One span. */
export interface RecordedSpan {
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
  readonly events?: readonly SpanEvent[] | undefined
  readonly isError: boolean
}
