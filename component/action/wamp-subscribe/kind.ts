/** What a subscription is: the row of `wamp_subscribe`. */
import { actionKind } from '#component/action/kind.ts'
import { reachOf, wampArguments } from '#component/action/wamp-kind.ts'
import { attempts } from '#component/spec/http-rules.ts'
import { anything } from '#component/spec/rules.ts'
import { streamKeys } from '#component/spec/streams/stream-rules.ts'
import { checkTopic } from '#component/spec/streams/topic-rule.ts'
import { trace } from '#component/spec/trace-rule.ts'

/** A stream of the events of a topic. */
export const wampSubscribe = actionKind({
  type: 'wamp_subscribe',
  shape: {
    keys: { topic: anything, options: wampArguments.options, trace, ...streamKeys, ...attempts },
    required: { topic: 'the WAMP URI to subscribe to, or a pattern with match' },
  },
  check: checkTopic,
  fields: {
    topic: 'topic',
    match: 'known',
    options: 'value',
    as: 'known',
    snapshot: 'value',
    resume_from: 'text',
    replay_events: 'known',
    replay_timeout: 'known',
    max_events: 'number',
    max_duration: 'number',
    heartbeat: 'known',
    retry: 'known',
    overflow: 'known',
    max_streams: 'known',
  },
  reaches: reachOf(
    'topic',
    'gateway_wamp_subscribe_duration_seconds',
    'Time until a stream has its subscription and its snapshot, of one attempt',
    { isSent: false },
  ),
  begins: 'events',
  views: ['on_event', 'on_snapshot'],
  result: [],
})
