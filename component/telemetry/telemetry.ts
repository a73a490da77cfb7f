/** The port of distributed tracing: a trace of each request, and a span of each attempt of its action. */
import type { ServedPath } from '#component/metrics/place.ts'
import type { TraceContext } from './trace-context.ts'

/** Who may bring the context of a trace. */
export interface TraceBringer {
  /** Its `traceparent` and `tracestate` are read, where they are there. */
  readonly headers: Readonly<Record<string, string>>
  /** Whether a trusted proxy has sent it. */
  readonly isFromProxy: boolean
}

/** What tracing knows of a request when it begins. */
export interface TracedRequest extends TraceBringer {
  readonly method: string
  readonly path: string
  readonly scheme: 'http' | 'https'
  /** Of HTTP: `1.0`, `1.1`, `2`. */
  readonly version: string
  readonly host: string
  readonly port: string
  /** IP address of the client, as trusted proxies report it. */
  readonly client: string
}

/** What tracing knows of the call of a procedure when it begins. A gateway that calls for its user is a trusted proxy. */
export interface TracedCall extends TraceBringer {
  readonly realm_uri: string
}

/** What tracing is told when a request or a call is over. */
export interface RequestEnd {
  /** The path that answered; that of no document where the request was refused before it reached one. */
  readonly served: ServedPath
  /** 499 where the client went away before its answer began; of a call, that of its outcome. */
  readonly status: number
  /** The URI of the error in the answer. */
  readonly error: string | undefined
}

/** What an attempt reaches, as the document writes it: no data of a request. */
export interface AttemptTarget {
  /** Of the action. */
  readonly type: string
  /** The procedure, topic or host; of a computed one the text of its expression. */
  readonly text: string
  /** The same where no expression is in it. */
  readonly literal: string | undefined
  readonly api: string
  readonly version: string
  readonly route: string
}

/** By what an attempt reaches its target. */
export interface AttemptMeans {
  /** Of the session. */
  readonly realm_uri: string
  /** Of the request to an upstream. */
  readonly method?: string | undefined
}

/** How an attempt has ended. */
export interface AttemptEnd {
  /** HTTP status of an upstream's answer. */
  readonly status?: number | undefined
  /** The URI of the error. */
  readonly error?: string | undefined
}

/** The span of one attempt. */
export interface AttemptSpan {
  /** Of this span: passed on to the peer. */
  readonly context: TraceContext
  /** The session or the connection is there. */
  ready(): void
  /** Called once. */
  over(end: AttemptEnd): void
}

/** The trace of one request, or of one call of a procedure. */
export interface RequestTrace {
  /** Of the request's own span. */
  readonly context: TraceContext
  /** The id of the trace where it is sampled and others may know of it: an exemplar of the request's durations. */
  readonly sampledId: string | undefined
  /**
   * Begins the span of an attempt.
   * @param tried attempts before this one
   * @returns undefined where it is not recorded: then {@link context} is passed on
   */
  attempt(target: AttemptTarget, tried: number, by: AttemptMeans): AttemptSpan | undefined
  /** Takes the user of the request, where spans name users. */
  readonly tellUser?: ((authid: string) => void) | undefined
  /** The request waits for a slot of `pool_size`; the result is called when it has one. */
  readonly waits?: (() => () => void) | undefined
  /** Called once, when the answer is complete or broken off; never for a request that no document serves. */
  over(end: RequestEnd): void
}

/** Begins the traces of requests. There is none where traces are off. */
export interface Telemetry {
  /** @param start milliseconds, as `performance.now()` counts them */
  begin(request: TracedRequest, start: number): RequestTrace
  /** Of the call of a procedure. @param start as of {@link begin} */
  beginCall(call: TracedCall, start: number): RequestTrace
}
