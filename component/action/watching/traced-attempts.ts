/** The watch of attempts where distributed traces are on: says which context an attempt passes on, and ends its span. */
import type { AttemptSpan, RequestTrace } from '#component/telemetry/telemetry.ts'
import type { TraceContext } from '#component/telemetry/trace-context.ts'
import type { AttemptEnd } from './attempt-end.ts'
import type { AttemptWatch, WatchedAttempt } from './attempt-watch.ts'

/** @param others told of each attempt, too */
export const tracedAttempts = (others: AttemptWatch | undefined): AttemptWatch => ({
  begin(run, tried, method) {
    const watched = others?.begin(run, tried, method)
    const { trace, target, realm_uri } = run
    return new TracedAttempt(trace, trace?.attempt(target, tried, { realm_uri, method }), watched)
  },
})

class TracedAttempt implements WatchedAttempt {
  readonly #trace: RequestTrace | undefined
  readonly #span: AttemptSpan | undefined
  readonly #watched: WatchedAttempt | undefined

  constructor(
    trace: RequestTrace | undefined,
    span: AttemptSpan | undefined,
    watched: WatchedAttempt | undefined,
  ) {
    this.#trace = trace
    this.#span = span
    this.#watched = watched
  }

  /** Without a span of the attempt the peer stands below the request. */
  get context(): TraceContext | undefined {
    return this.#span?.context ?? this.#trace?.context
  }

  ready(): void {
    this.#watched?.ready()
    this.#span?.ready()
  }

  over(end: AttemptEnd): void {
    this.#watched?.over(end)
    this.#span?.over({ status: end.answer?.status_code, error: end.error?.error_uri })
  }
}
