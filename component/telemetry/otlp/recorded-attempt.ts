/** The span of one attempt: a call, a publication, or a request to an upstream. */
import { readOrigin } from '#component/syntax/upstream-origin.ts'
import type {
  AttemptEnd,
  AttemptMeans,
  AttemptSpan,
  AttemptTarget,
} from '#component/telemetry/telemetry.ts'
import type { TraceContext } from '#component/telemetry/trace-context.ts'
import {
  type RecordedSpan,
  recordedSpan,
  type SpanAttributes,
  type SpanEvent,
  type SpanOrigin,
  shortUri,
  spanKind,
} from './recorded-span.ts'

/** What an attempt is recorded with. */
interface AttemptParts {
  readonly context: TraceContext
  readonly parent: TraceContext
  readonly origin: SpanOrigin
  /** Attempts before this one. */
  readonly tried: number
  readonly by: AttemptMeans
  /** Milliseconds since the epoch. */
  now(): number
  add(span: RecordedSpan): void
}

/** How the attempts of one type of action look as spans: semantic conventions for RPC, messaging and HTTP clients. */
interface Shape {
  readonly kind: (typeof spanKind)[keyof typeof spanKind]
  name(target: AttemptTarget, parts: AttemptParts): string
  attributes(target: AttemptTarget, parts: AttemptParts): SpanAttributes
  /** The attribute of a failure besides `error.type`. */
  failure(end: AttemptEnd): SpanAttributes
}

/** Attempts, counted from 1. No convention names it for WAMP. */
const attempt = ({ tried }: AttemptParts): SpanAttributes => ({ 'gateway.attempt': tried + 1 })

/** Attempts of other types are no spans: nothing is reached, or a stream lasts as long as its request. */
const shapes: Partial<Record<AttemptTarget['type'], Shape>> = {
  wamp_call: {
    kind: spanKind.client,
    name: ({ text }) => text,
    attributes: ({ literal }, parts) => ({
      'rpc.system.name': 'wamp',
      'rpc.method': literal ?? '_OTHER',
      'wamp.realm': parts.by.realm_uri,
      ...attempt(parts),
    }),
    failure: ({ error }) => (error === undefined ? {} : { 'rpc.status_code': shortUri(error) }),
  },
  wamp_publish: {
    kind: spanKind.producer,
    name: ({ text }) => `publish ${text}`,
    attributes: ({ literal, text }, parts) => ({
      'messaging.system': 'wamp',
      'messaging.operation.name': 'publish',
      'messaging.operation.type': 'send',
      ...(literal === undefined
        ? { 'messaging.destination.template': text }
        : { 'messaging.destination.name': literal }),
      'wamp.realm': parts.by.realm_uri,
      ...attempt(parts),
    }),
    failure: () => ({}),
  },
  forward: {
    kind: spanKind.client,
    name: (_, parts) => methodOf(parts),
    attributes: ({ literal }, parts) => ({
      'http.request.method': methodOf(parts),
      // a host that a request has chosen is data of the request
      ...(literal !== undefined && addressOf(literal)),
      ...(parts.tried > 0 && { 'http.request.resend_count': parts.tried }),
    }),
    failure: () => ({}),
  },
}

const methodOf = ({ by }: AttemptParts): string => by.method?.toUpperCase() ?? '_OTHER'

function addressOf(host: string): SpanAttributes {
  const origin = readOrigin(host)
  if ('problem' in origin) return {}
  return { 'server.address': origin.hostname, 'server.port': origin.port }
}

/** A session that is there within this time was there already; milliseconds. */
const noWait = 1

/** The span while it lasts. */
export class RecordedAttempt implements AttemptSpan {
  readonly context: TraceContext
  readonly #target: AttemptTarget
  readonly #shape: Shape
  readonly #parts: AttemptParts
  readonly #start: number
  #events: SpanEvent[] | undefined

  private constructor(target: AttemptTarget, shape: Shape, parts: AttemptParts) {
    this.context = parts.context
    this.#target = target
    this.#shape = shape
    this.#parts = parts
    this.#start = parts.now()
  }

  /** Undefined for the types of actions that have no span. */
  static of(target: AttemptTarget, parts: AttemptParts): RecordedAttempt | undefined {
    const shape = shapes[target.type]
    return shape && new RecordedAttempt(target, shape, parts)
  }

  ready(): void {
    const at = this.#parts.now()
    if (at - this.#start >= noWait) this.#events = [{ name: 'session joined', at }]
  }

  over(end: AttemptEnd): void {
    const { status, error } = end
    const { origin, parent, now, add } = this.#parts
    const shape = this.#shape
    const target = this.#target
    const isError = status === undefined ? error !== undefined : status >= 400
    // an upstream's status says more than the error that stands for it
    const errorType = isError && (status === undefined ? shortUri(error ?? '') : String(status))
    const attributes = {
      ...shape.attributes(target, this.#parts),
      'gateway.api': target.api,
      'gateway.api_version': target.version,
      ...(status !== undefined && { 'http.response.status_code': status }),
      ...(errorType && { 'error.type': errorType }),
      ...shape.failure(end),
    }
    add(
      recordedSpan({
        ...{ origin, attributes, isError },
        kind: shape.kind,
        name: shape.name(target, this.#parts),
        context: this.context,
        parent: { context: parent, isRemote: false },
        start: this.#start,
        end: now(),
        ...(this.#events && { events: this.#events }),
      }),
    )
  }
}
