/** `wamp_publish`: an event published for a request, over the session of its identity. */
import type { Action } from './action.ts'
import { passOptions, publishOptions } from './options.ts'
import { attemptOnSession, type WampPorts } from './wamp-attempts.ts'
import { disclosed, readPayload, readUri } from './wamp-fields.ts'

/** Acknowledged unless the option says otherwise; its result is `{publication_id}`, or `{}` without acknowledgement (behaviour §4). */
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
