/** `wamp_call`: a procedure called for a request, over the session of its identity. */
import type { Clock } from '#component/clock.ts'
import type { SessionSource } from '#component/wamp/session.ts'
import type { Action } from './action.ts'
import { callOptions, passOptions } from './options.ts'
import { type Attempted, Cancellation, retry } from './retry.ts'
import { failed, readPayload, readUri, withAliases } from './wamp-fields.ts'

/** What the WAMP actions need. */
export interface WampPorts {
  readonly sessions: SessionSource
  readonly clock: Clock
  /** URIs below `wamp.` and `service.` that a request may name (`wamp.allowed_dynamic_uris`). */
  readonly allowedDynamicUris: readonly string[]
}

/** Its result is `{request_id, details, args, kwargs}` (behaviour §4). */
export const wampCallAction = ({ sessions, clock, allowedDynamicUris }: WampPorts): Action => ({
  async perform(fields, run) {
    const procedure = readUri(fields, 'procedure', run, allowedDynamicUris)
    const options = passOptions(fields.options, callOptions)
    const payload = readPayload(fields)
    const { attempts } = run
    const cancellation = new Cancellation((callback) => run.onCancel(callback))
    return retry(attempts, clock, cancellation, async (timeoutMs): Promise<Attempted> => {
      try {
        const found = sessions.session(run.realm_uri, run.identity, attempts.connect_timeout)
        const session = found instanceof Promise ? await cancellation.race(found) : found
        const call = session.call(procedure, payload, options, timeoutMs)
        cancellation.current = () => call.cancel()
        const { request_id, details, args, kwargs } = await call.result
        const result = withAliases({ request_id, details, args: args ?? [], kwargs: kwargs ?? {} })
        return { outcome: { result }, isRetriable: false }
      } catch (failure) {
        return failed(failure, run)
      } finally {
        cancellation.current = undefined
      }
    })
  },
})
