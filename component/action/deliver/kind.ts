/** What an event for a delivery of the document is: the row of `deliver`. */
import { actionKind, anyInvocation } from '#component/action/kind.ts'
import { uri } from '#component/spec/http-rules.ts'
import { anything, described, dynamic, list, map, string } from '#component/spec/rules.ts'

/** One event, acknowledged once it is on disk. */
export const deliver = actionKind({
  type: 'deliver',
  shape: {
    keys: {
      delivery: described(string, 'A delivery of the document, by its name.'),
      topic: uri,
      args: dynamic(list),
      kwargs: dynamic(map),
      id: described(anything, 'A text or number that makes repeats one: equal ids are one event.'),
    },
    required: {
      delivery: 'the name of a delivery of the document',
      topic: 'the topic of the event',
    },
  },
  ofInvocations: anyInvocation,
  fields: { delivery: 'known', topic: 'value', args: 'value', kwargs: 'value', id: 'value' },
  handsTo: 'delivery',
  result: ['webhook_id', 'is_repeat'],
  errorsOf: () => ['service.error.payload_too_large', 'service.error.unavailable'],
})
