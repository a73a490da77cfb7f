/** `wamp_call` and `wamp_publish`: sent over the session of the request's identity, and cancelled with the request. */
import type { Clock } from '#component/clock.ts'
import type { CallResult, Session, SessionSource } from '#component/wamp/session.ts'
import type { Action, Outcome, Run } from './action.ts'
import { callOptions, passOptions, publishOptions } from './options.ts'
import { type Attempted, Cancellation, retry } from './retry.ts'
import { disclosed, failed, readPayload, readUri, withAliases } from './wamp-fields.ts'

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
 * @param resultOf makes `action.result` of the answer
 */
function attemptOnSession<T>(
  { sessions, clock }: WampPorts,
  run: Run,
  send: (session: Session, timeoutMs: number, cancellation: Cancellation) => Promise<T>,
  resultOf: (answer: T) => Readonly<Record<string, unknown>>,
): Promise<Outcome> {
  const { attempts, identity, realm_uri } = run
  const cancellation = new Cancellation((callback) => run.onCancel(callback))
  return retry(attempts, clock, cancellation, async (timeoutMs): Promise<Attempted> => {
    try {
      const found = sessions.session(realm_uri, identity, attempts.connect_timeout)
      const session = found instanceof Promise ? await cancellation.race(found) : found
      const result = resultOf(await send(session, timeoutMs, cancellation))
      return { outcome: { result }, isRetriable: false }
    } catch (failure) {
      return failed(failure, run)
    } finally {
      cancellation.current = undefined
    }
  })
}

/** Calls a procedure. Its result is `{request_id, details, args, kwargs}` (behaviour §4). */
export const wampCallAction = (ports: WampPorts): Action => ({
  async perform(fields, run) {
    const procedure = readUri(fields, 'procedure', run, ports.allowedDynamicUris)
    const options = disclosed(passOptions(fields.options, callOptions), run)
    const payload = readPayload(fields)
    return await attemptOnSession(
      ports,
      run,
      (session, timeoutMs, cancellation) => {
        const call = session.call(procedure, payload, options, timeoutMs)
        cancellation.current = call
        return call.result
      },
      withAliases<CallResult>,
    )
  },
})

/**
 * Publishes an event, acknowledged unless the option says otherwise. Its result is `{publication_id}`, or `{}` without
 * acknowledgement (behaviour §4).
 */
export const wampPublishAction = (ports: WampPorts): Action => ({
  async perform(fields, run) {
    const topic = readUri(fields, 'topic', run, ports.allowedDynamicUris)
    const passed = passOptions(fields.options, publishOptions)
    const options = { acknowledge: true, ...disclosed(passed, run) }
    const payload = readPayload(fields)
    return await attemptOnSession(
      ports,
      run,
      (session, timeoutMs, cancellation) =>
        cancellation.race(session.publish(topic, payload, options, timeoutMs)),
      (publication) => ({ ...publication }),
    )
  },
})
