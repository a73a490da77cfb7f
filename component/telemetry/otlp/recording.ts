/** `traces: otlp`: sampled requests, sampled calls of procedures, and the attempts of their actions become spans. */
import { childOf, linkOf, newContext, parentOf } from '#component/telemetry/origin.ts'
import type { PropagationPorts } from '#component/telemetry/propagation.ts'
import type {
  AttemptMeans,
  AttemptSpan,
  AttemptTarget,
  RequestEnd,
  RequestTrace,
  Telemetry,
  TraceBringer,
  TracedCall,
  TracedRequest,
} from '#component/telemetry/telemetry.ts'
import type { TraceContext } from '#component/telemetry/trace-context.ts'
import { RecordedAttempt } from './recorded-attempt.ts'
import {
  type RecordedSpan,
  recordedSpan,
  type SpanAttributes,
  type SpanEvent,
  type SpanOrigin,
  shortUri,
  spanKind,
} from './recorded-span.ts'
import type { SpanClock } from './span-clock.ts'

/** What spans are made with. */
export interface RecordingPorts extends PropagationPorts {
  readonly clock: SpanClock
  readonly origin: SpanOrigin
  /** Whether spans name the users of requests. */
  readonly tellsUsers: boolean
  /** Takes finished spans. */
  add(span: RecordedSpan): void
}

/** Records sampled requests and calls; of others the context is passed on alone. */
export const recording = (ports: RecordingPorts): Telemetry => ({
  begin: (request, start) => begun(request, start, ofRequests, ports),
  beginCall: (call, start) => begun(call, start, ofCalls, ports),
})

function begun<T extends TraceBringer>(
  served: T,
  start: number,
  shape: Shape<T>,
  ports: RecordingPorts,
): RequestTrace {
  const { ids, isSampled, trust } = ports
  const parent = parentOf(served, trust)
  const context = parent ? childOf(parent, ids) : newContext(ids, isSampled)
  return context.isSampled
    ? new RecordedRequest({ served, start, shape, context, parent }, ports)
    : new UnrecordedRequest(parent ?? context)
}

/** A request without spans. The context of its parent is passed on as it came: a span of its own would be nowhere. */
class UnrecordedRequest implements RequestTrace {
  readonly context: TraceContext
  readonly sampledId = undefined

  constructor(context: TraceContext) {
    this.context = context
  }

  attempt(): undefined {
    return undefined
  }

  over(): void {
    // nothing is recorded
  }
}

/** More characters of the path are left out: it may be as long as the head of a request. */
const longestPath = 1024

/** How the SERVER spans of what is served look: semantic conventions for HTTP and for RPC. */
interface Shape<T> {
  name(served: T, end: RequestEnd): string
  attributes(served: T, end: RequestEnd): SpanAttributes
}

const placeOf = ({ served: { version } }: RequestEnd): SpanAttributes => ({
  'gateway.api': version.api,
  'gateway.api_version': version.label,
})

/** Never the query, a body or a header field. */
const ofRequests: Shape<TracedRequest> = {
  name: ({ method }, { served }) => `${method.toUpperCase()} ${served.pattern}`.trimEnd(),
  attributes: (request, end) => ({
    'http.request.method': request.method.toUpperCase(),
    'url.path': request.path.slice(0, longestPath),
    'url.scheme': request.scheme,
    'server.address': request.host,
    'server.port': Number(request.port),
    'client.address': request.client,
    'network.protocol.version': request.version,
    'http.response.status_code': end.status,
    ...(end.served.pattern !== '' && { 'http.route': end.served.pattern, ...placeOf(end) }),
  }),
}

/** The procedure as the document registers it: of a pattern the URI is data of the caller. Never an argument. */
const ofCalls: Shape<TracedCall> = {
  name: (_, { served }) => served.pattern,
  attributes: ({ realm_uri }, end) => ({
    'rpc.system.name': 'wamp',
    'rpc.method': end.served.pattern,
    'wamp.realm': realm_uri,
    ...placeOf(end),
    ...(end.error !== undefined && { 'rpc.status_code': shortUri(end.error) }),
  }),
}

/** What a recorded request begins with. */
interface Begun<T> {
  readonly served: T
  readonly start: number
  readonly shape: Shape<T>
  readonly context: TraceContext
  readonly parent: TraceContext | undefined
}

/** The SERVER span of a request or a call. */
class RecordedRequest<T extends TraceBringer> implements RequestTrace {
  readonly context: TraceContext
  readonly tellUser: RequestTrace['tellUser']
  readonly #begun: Begun<T>
  readonly #ports: RecordingPorts
  /** Milliseconds between the monotonic clock and the epoch. */
  readonly #offset: number
  readonly #start: number
  #authid: string | undefined
  #events: SpanEvent[] | undefined

  constructor(begun: Begun<T>, ports: RecordingPorts) {
    this.#begun = begun
    this.context = begun.context
    this.#ports = ports
    this.#offset = ports.clock.offset()
    this.#start = begun.start + this.#offset
    this.tellUser = ports.tellsUsers
      ? (authid) => {
          this.#authid = authid
        }
      : undefined
  }

  waits(): () => void {
    return () => {
      this.#events = [{ name: 'waited for pool', at: this.#now() }]
    }
  }

  #now(): number {
    return this.#ports.clock.monotonic() + this.#offset
  }

  get sampledId(): string {
    return this.context.traceId
  }

  attempt(target: AttemptTarget, tried: number, by: AttemptMeans): AttemptSpan | undefined {
    const { ids, add, origin } = this.#ports
    return RecordedAttempt.of(target, {
      ...{ tried, by, add, origin },
      context: childOf(this.context, ids),
      parent: this.context,
      now: () => this.#now(),
    })
  }

  over(end: RequestEnd): void {
    const { add, origin, trust } = this.#ports
    const { served, shape, parent } = this.#begun
    const { status, error } = end
    const isError = status >= 500
    const errorType = error === undefined ? isError && String(status) : shortUri(error)
    add(
      recordedSpan({
        origin,
        kind: spanKind.server,
        name: shape.name(served, end),
        context: this.context,
        parent: parent && { context: parent, isRemote: true },
        link: parent ? undefined : linkOf(served, trust),
        start: this.#start,
        end: this.#now(),
        attributes: {
          ...shape.attributes(served, end),
          ...(errorType && { 'error.type': errorType }),
          ...(this.#authid !== undefined && { 'enduser.id': this.#authid }),
        },
        ...(this.#events && { events: this.#events }),
        isError,
      }),
    )
  }
}
