/** The port by which actions tell of their attempts. */
import type { RequestTrace } from '#component/telemetry/telemetry.ts'
import type { TraceContext } from '#component/telemetry/trace-context.ts'
import type { ActionTarget } from './action-target.ts'
import type { AttemptEnd } from './attempt-end.ts'

/** What a watch knows of the run of an action. */
export interface WatchedRun {
  readonly target: ActionTarget
  /** Of the session of a WAMP action. */
  readonly realm_uri: string
  /** The distributed trace of the request; undefined: none is passed on or recorded. */
  readonly trace?: RequestTrace | undefined
}

/** One attempt under way. */
export interface WatchedAttempt {
  /** The context that is passed on to the callee or upstream; undefined: none. */
  readonly context: TraceContext | undefined
  /** The session of the attempt is there. */
  ready(): void
  /** The attempt is over: called once. A call with progressive results is over with its last one, a forward with the head of its answer. */
  over(end: AttemptEnd): void
}

/** Is told of attempts. */
export interface AttemptWatch {
  /**
   * An attempt begins.
   * @param tried attempts before it
   * @param method of the request to an upstream
   */
  begin(run: WatchedRun, tried: number, method?: string): WatchedAttempt
}
