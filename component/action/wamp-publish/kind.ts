/** What a publication is: the row of `wamp_publish`. */
import { actionKind, anyInvocation } from '#component/action/kind.ts'
import { argumentFields, reachOf, wampArguments } from '#component/action/wamp-kind.ts'
import { uri } from '#component/spec/http-rules.ts'

/** One event. */
export const wampPublish = actionKind({
  type: 'wamp_publish',
  shape: {
    keys: { topic: uri, ...wampArguments },
    required: { topic: 'the WAMP URI to publish to' },
  },
  ofInvocations: anyInvocation,
  fields: { topic: 'value', options: 'value', ...argumentFields },
  reaches: reachOf(
    'topic',
    'gateway_wamp_publish_duration_seconds',
    'Time of an attempt at a publication',
    { isSent: true, importedFrom: 'x-wamp-topic' },
  ),
  result: ['publication_id'],
})
