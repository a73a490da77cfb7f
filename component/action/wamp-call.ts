/** `wamp_call`. */
import type { CallResult } from '#component/wamp/session.ts'
import type { Action } from './action.ts'
import { callOptions, passOptions } from './options.ts'
import { attemptOnSession, type WampPorts } from './wamp-attempt.ts'
import { disclosed, readPayload, readUri, withAliases } from './wamp-fields.ts'

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
      (answer: CallResult) => ({ result: withAliases(answer) }),
    )
  },
})
