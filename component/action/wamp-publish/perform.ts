/** `wamp_publish`: one event, over the session of the request's identity. */
import type { Action } from '#component/action/action.ts'
import { passOptions, publishOptions } from '#component/action/options.ts'
import {
  attemptOnSession,
  type WampPorts,
  withTraceContext,
} from '#component/action/wamp-attempt.ts'
import { disclosed, readPayload, readUri } from '#component/action/wamp-fields.ts'

/**
 * Publishes an event, acknowledged unless the option says otherwise. Its result is `{publication_id}`, or `{}` without
 * acknowledgement (behaviour §4).
 */
export const wampPublishAction = (ports: WampPorts): Action => ({
  async perform(fields, run) {
    const topic = readUri(fields, 'topic', run, ports.allowedDynamicUris)
    const passed = passOptions(fields.options, publishOptions)
    const message = {
      options: { acknowledge: true, ...disclosed(passed, run) },
      payload: readPayload(fields),
    }
    return await attemptOnSession(
      ports,
      run,
      (session, timeoutMs, cancellation, context, notify) => {
        const { payload, options } = withTraceContext(message, session, run, context)
        notify?.({ topic, ...payload, options })
        return cancellation.race(session.publish(topic, payload, options, timeoutMs))
      },
      (publication) => ({ result: { ...publication } }),
      topic,
    )
  },
})
