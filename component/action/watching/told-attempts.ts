/** Tells the subscribers of `wamp-gateway:call` of each attempt; without any, attempts go past. */
import { calls } from '#component/telemetry/channels.ts'
import type { TraceContext } from '#component/telemetry/trace-context.ts'
import type { AttemptEnd } from './attempt-end.ts'
import type { AttemptWatch, WatchedAttempt, WatchedRun } from './attempt-watch.ts'

/**
 * @param watch told of each attempt, too
 * @param now milliseconds of a clock that never goes back
 */
export const toldAttempts = (watch: AttemptWatch, now: () => number): AttemptWatch => ({
  begin(run, tried, method) {
    const watched = watch.begin(run, tried, method)
    return calls.hasSubscribers ? new ToldAttempt(watched, { run, tried, method, now }) : watched
  },
})

/** What is told of an attempt, but for its end. */
interface Told {
  readonly run: WatchedRun
  readonly tried: number
  readonly method: string | undefined
  now(): number
}

class ToldAttempt implements WatchedAttempt {
  readonly #watched: WatchedAttempt
  readonly #told: Told
  readonly #start: number

  constructor(watched: WatchedAttempt, told: Told) {
    this.#watched = watched
    this.#told = told
    this.#start = told.now()
  }

  get context(): TraceContext | undefined {
    return this.#watched.context
  }

  ready(): void {
    this.#watched.ready()
  }

  over(end: AttemptEnd): void {
    this.#watched.over(end)
    const { run, tried, method, now } = this.#told
    const { type, text, literal, api, version, route } = run.target
    const { context } = this
    calls.publish({
      ...{ type, target: text, is_computed: literal === undefined },
      ...{ api_spec: api, version, route, attempt: tried + 1 },
      ...(method === undefined ? { realm_uri: run.realm_uri } : { method }),
      ...(end.answer && { status: end.answer.status_code }),
      error: end.error?.error_uri,
      duration: now() - this.#start,
      ...(context && { trace_id: context.traceId, span_id: context.spanId }),
    })
  }
}
