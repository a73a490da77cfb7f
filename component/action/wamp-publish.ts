/** `wamp_publish`: an event published for a request, over the session of its identity. */
import type { Action } from './action.ts'
import { passOptions, publishOptions } from './options.ts'
import { type Attempted, Cancellation, retry } from './retry.ts'
import type { WampPorts } from './wamp-call.ts'
import { failed, readPayload, readUri } from './wamp-fields.ts'

/** Acknowledged unless the option says otherwise; its result is `{publication_id}` (behaviour §4). */
export const wampPublishAction = ({ sessions, clock, allowedDynamicUris }: WampPorts): Action => ({
  async perform(fields, run) {
    const topic = readUri(fields, 'topic', run, allowedDynamicUris)
    const options = { acknowledge: true, ...passOptions(fields.options, publishOptions) }
    const payload = readPayload(fields)
    const { attempts } = run
    const cancellation = new Cancellation((callback) => run.onCancel(callback))
    return retry(attempts, clock, cancellation, async (timeoutMs): Promise<Attempted> => {
      try {
        const found = sessions.session(run.realm_uri, run.identity, attempts.connect_timeout)
        const session = found instanceof Promise ? await cancellation.race(found) : found
        const published = session.publish(topic, payload, options, timeoutMs)
        const { publication_id } = await cancellation.race(published)
        return { outcome: { result: { publication_id } }, isRetriable: false }
      } catch (failure) {
        return failed(failure, run)
      } finally {
        cancellation.current = undefined
      }
    })
  },
})
