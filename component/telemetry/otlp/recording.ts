/** `traces: otlp`: sampled requests and the attempts of their actions become spans. */
import { childOf, linkOf, newContext, parentOf } from '#component/telemetry/origin.ts'
import type { PropagationPorts } from '#component/telemetry/propagation.ts'
import type {
  AttemptMeans,
  AttemptSpan,
  AttemptTarget,
  RequestEnd,
  RequestTrace,
  Telemetry,
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

/** Records sampled requests; of others the context is passed on alone. */
export const recording = (ports: RecordingPorts): Telemetry => ({
  begin(request, start) {
    const { ids, isSampled, trust } = ports
    const parent = parentOf(request, trust)
    const context = parent ? childOf(parent, ids) : newContext(ids, isSampled)
    return context.isSampled
      ? new RecordedRequest(request, start, context, parent, ports)
      : new UnrecordedRequest(parent ?? context)
  },
})

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

/** The SERVER span of a request. */
class RecordedRequest implements RequestTrace {
  readonly context: TraceContext
  readonly tellUser: RequestTrace['tellUser']
  readonly #request: TracedRequest
  readonly #parent: TraceContext | undefined
  readonly #ports: RecordingPorts
  /** Milliseconds between the monotonic clock and the epoch. */
  readonly #offset: number
  readonly #start: number
  #authid: string | undefined
  #events: SpanEvent[] | undefined

  constructor(
    request: TracedRequest,
    start: number,
    context: TraceContext,
    parent: TraceContext | undefined,
    ports: RecordingPorts,
  ) {
    this.#request = request
    this.context = context
    this.#parent = parent
    this.#ports = ports
    this.#offset = ports.clock.offset()
    this.#start = start + this.#offset
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
    const request = this.#request
    const method = request.method.toUpperCase()
    add(
      recordedSpan({
        origin,
        kind: spanKind.server,
        name: `${method} ${end.served.pattern}`.trimEnd(),
        context: this.context,
        parent: this.#parent && { context: this.#parent, isRemote: true },
        link: this.#parent ? undefined : linkOf(request, trust),
        start: this.#start,
        end: this.#now(),
        attributes: attributesOf(request, method, end, this.#authid),
        ...(this.#events && { events: this.#events }),
        isError: end.status >= 500,
      }),
    )
  }
}

/** Semantic conventions for HTTP servers. Never the query, a body or a header field. */
function attributesOf(
  request: TracedRequest,
  method: string,
  { served, status, error }: RequestEnd,
  authid: string | undefined,
): SpanAttributes {
  const attributes: SpanAttributes = {
    'http.request.method': method,
    'url.path': request.path.slice(0, longestPath),
    'url.scheme': request.scheme,
    'server.address': request.host,
    'server.port': Number(request.port),
    'client.address': request.client,
    'network.protocol.version': request.version,
    'http.response.status_code': status,
  }
  if (served.pattern !== '') {
    attributes['http.route'] = served.pattern
    attributes['gateway.api'] = served.version.api
    attributes['gateway.api_version'] = served.version.label
  }
  if (error !== undefined) attributes['error.type'] = shortUri(error)
  else if (status >= 500) attributes['error.type'] = String(status)
  if (authid !== undefined) attributes['enduser.id'] = authid
  return attributes
}
