/** What WAMP actions share: they are performed over the session of the request's identity, and cancelled with the request. */
import type { Clock } from '#component/clock.ts'
import type { TraceContext } from '#component/telemetry/trace-context.ts'
import { withTraceArgument, withTraceAttributes } from '#component/telemetry/wamp-context.ts'
import type { Payload, Session, SessionSource } from '#component/wamp/session.ts'
import type { Outcome, Run } from './action.ts'
import { type Attempted, Cancellation, retry } from './retry.ts'
import type { SentMessage } from './sent.ts'
import { failed } from './wamp-fields.ts'
import { endOf } from './watching/attempt-end.ts'
import type { AttemptWatch, WatchedAttempt } from './watching/attempt-watch.ts'

/** The parts that WAMP actions use. */
export interface WampPorts {
  readonly sessions: SessionSource
  readonly clock: Clock
  /** URIs below `wamp.` and `service.` that a request may name (`wamp.allowed_dynamic_uris`). */
  readonly allowedDynamicUris: readonly string[]
  /** Receives each attempt, for metrics and spans. Explanations and tests of examples have none. */
  readonly watch?: AttemptWatch | undefined
}

/** Payload and options of a CALL or PUBLISH. */
interface Message {
  readonly payload: Payload
  readonly options: Readonly<Record<string, unknown>>
}

/**
 * The message as it leaves in one attempt, with the trace context: in its options where the router passes them on, and as the argument that
 * the document names. The same message where neither applies.
 */
export function withTraceContext(
  message: Message,
  { passesTraceContext }: Session,
  { traceKwargs }: Pick<Run, 'traceKwargs'>,
  context: TraceContext | undefined,
): Message {
  if (context === undefined && traceKwargs === undefined) return message
  const { args, kwargs } = message.payload
  return {
    payload:
      traceKwargs === undefined
        ? message.payload
        : { args, kwargs: withTraceArgument(kwargs, traceKwargs, context) },
    options:
      context && passesTraceContext
        ? withTraceAttributes(message.options, context)
        : message.options,
  }
}

/**
 * Makes one attempt on a session.
 * @param context what the attempt passes on of its distributed trace
 * @param notify receives each message before the session sends it; undefined: the request has no listener
 */
export type Send<T> = (
  session: Session,
  timeoutMs: number,
  cancellation: Cancellation,
  context: TraceContext | undefined,
  notify: Notify | undefined,
) => Promise<T>

type Notify = (message: SentMessage, kind?: 'message' | 'snapshot') => void

/**
 * Sends once, and again as the run allows; a failure is an outcome.
 * @param outcomeOf makes the outcome of the answer
 * @param uri what is called, or published to; absent: a subscription
 */
export function attemptOnSession<T>(
  { sessions, clock, watch }: WampPorts,
  run: Run,
  send: Send<T>,
  outcomeOf: (answer: T) => Outcome,
  uri?: string,
): Promise<Outcome> {
  const { attempts, identity, realm_uri, onSent } = run
  const notify: Notify | undefined =
    onSent && ((message, kind = 'message') => onSent({ kind, realm_uri, identity, uri, message }))
  const cancellation = new Cancellation((callback) => run.onCancel(callback))
  return retry(attempts, clock, cancellation, async (timeoutMs, tried): Promise<Attempted> => {
    const watched = watch?.begin(run, tried)
    try {
      const found = sessions.session(realm_uri, identity, attempts.connect_timeout, uri)
      const session = found instanceof Promise ? await cancellation.race(found) : found
      watched?.ready()
      const context = watched?.context
      const outcome = outcomeOf(await send(session, timeoutMs, cancellation, context, notify))
      if (watched) tellEnd(watched, outcome)
      return { outcome, isRetriable: false }
    } catch (failure) {
      watched?.over(endOf(failure))
      return failed(failure, run)
    } finally {
      cancellation.current = undefined
    }
  })
}

/** Tells how an attempt ended: a call with progressive results when its last one is there. */
function tellEnd(watched: WatchedAttempt, outcome: Outcome): void {
  if (outcome.stream?.kind === 'call') outcome.stream.onSettled((last) => watched.over(last))
  else watched.over(outcome)
}
