/** What WAMP actions share: they are performed over the session of the request's identity, and cancelled with the request. */
import type { Clock } from '#component/clock.ts'
import type { Session, SessionSource } from '#component/wamp/session.ts'
import type { Outcome, Run } from './action.ts'
import { type Attempted, Cancellation, retry } from './retry.ts'
import { failed } from './wamp-fields.ts'

/** The parts that WAMP actions use. */
export interface WampPorts {
  readonly sessions: SessionSource
  readonly clock: Clock
  /** URIs below `wamp.` and `service.` that a request may name (`wamp.allowed_dynamic_uris`). */
  readonly allowedDynamicUris: readonly string[]
}

/**
 * Sends once, and again as the run allows; a failure is an outcome.
 * @param send makes one attempt on a session within `timeoutMs`
 * @param outcomeOf makes the outcome of the answer
 */
export function attemptOnSession<T>(
  { sessions, clock }: WampPorts,
  run: Run,
  send: (session: Session, timeoutMs: number, cancellation: Cancellation) => Promise<T>,
  outcomeOf: (answer: T) => Outcome,
): Promise<Outcome> {
  const { attempts, identity, realm_uri } = run
  const cancellation = new Cancellation((callback) => run.onCancel(callback))
  return retry(attempts, clock, cancellation, async (timeoutMs): Promise<Attempted> => {
    try {
      const found = sessions.session(realm_uri, identity, attempts.connect_timeout)
      const session = found instanceof Promise ? await cancellation.race(found) : found
      const outcome = outcomeOf(await send(session, timeoutMs, cancellation))
      return { outcome, isRetriable: false }
    } catch (failure) {
      return failed(failure, run)
    } finally {
      cancellation.current = undefined
    }
  })
}
