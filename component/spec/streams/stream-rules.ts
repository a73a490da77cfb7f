/** The rules of streams: the keys of `wamp_subscribe` beside its topic, and how its events, and the pieces of a call, are told. */
import { maxMilliseconds, uri } from '#component/spec/http-rules.ts'
import { level } from '#component/spec/levels.ts'
import {
  anything,
  boolean,
  described,
  dynamic,
  integer,
  list,
  map,
  object,
  oneOf,
  type Rule,
  string,
  text,
} from '#component/spec/rules.ts'
import { wampOptions } from '#component/spec/trace-rule.ts'
import { eventNameProblem } from '#component/syntax/event-stream.ts'
import { matches } from '#component/syntax/wamp-uri.ts'

/** A day; milliseconds. */
const longest = 86_400_000

const maxDuration = described(
  dynamic(integer(0, longest, ' of milliseconds')),
  'How long the stream lasts; milliseconds.',
)

const snapshot = described(
  dynamic(
    object('a map with procedure, options, args and kwargs', {
      keys: {
        procedure: uri,
        options: wampOptions,
        args: dynamic(list),
        arguments: dynamic(list),
        kwargs: dynamic(map),
        arguments_kw: dynamic(map),
      },
      required: { procedure: 'the WAMP URI to call' },
    }),
  ),
  'A call whose result is sent before the events that come after it.',
)

/** Keys of `wamp_subscribe` beside `topic`, `options` and the times of an attempt. */
export const streamKeys = {
  match: described(dynamic(oneOf(matches)), 'How the topic is compared with those of events.', {
    default: 'exact',
  }),
  as: described(
    dynamic(oneOf(['user', 'gateway'])),
    "Whose session subscribes: the user's, so that the grants of the router decide, or that of the gateway, which all streams share.",
    { default: 'user' },
  ),
  filter: described(dynamic(boolean), 'Whether an event is sent; evaluated for each event.', {
    default: true,
  }),
  resume_from: described(
    dynamic(string),
    'The id of an event, for a request without Last-Event-ID: the stream begins after it.',
    { default: '' },
  ),
  replay_events: described(
    dynamic(integer(0, 10_000)),
    'How many events are kept for streams that come back.',
    { default: 100 },
  ),
  replay_timeout: described(
    dynamic(integer(0, maxMilliseconds, ' of milliseconds')),
    'How long events are kept, and how long a subscription outlives its last stream; milliseconds.',
    { default: 60_000 },
  ),
  max_events: described(
    dynamic(integer(0, 1_000_000)),
    'After how many events the stream ends. 0: it does not.',
    { default: 0 },
  ),
  max_duration: described(maxDuration, 'After how long the stream ends; milliseconds. 0: never.', {
    default: 0,
  }),
  heartbeat: described(
    dynamic(integer(1_000, 120_000, ' of milliseconds')),
    'After how long without an event an empty comment is sent; milliseconds.',
    { default: 15_000 },
  ),
  retry: described(
    dynamic(integer(100, 600_000, ' of milliseconds')),
    'When a client may come back: it is told a time from this to twice this; milliseconds.',
    { default: 2_000 },
  ),
  overflow: described(
    dynamic(oneOf(['close', 'drop'])),
    'What becomes of a stream whose client reads too slowly: it is closed, or events are passed over.',
    { default: 'close' },
  ),
  max_streams: described(
    dynamic(integer(1, Number.MAX_SAFE_INTEGER)),
    'How many streams of the operation there are at once, in each process.',
  ),
  snapshot,
}

/** Keys of a `wamp_call` whose progressive results are passed on. */
export const progressKeys = {
  progress_timeout: described(
    dynamic(integer(1, maxMilliseconds, ' of milliseconds')),
    'How long a call may take from one progressive result to the next, and to its response; milliseconds. Default: timeout.',
  ),
  max_duration: described(
    maxDuration,
    'How long a call with progressive results may take; milliseconds. 0: any time.',
    { default: 3_600_000 },
  ),
}

const eventName = text('the name of an event', eventNameProblem)

const viewOf = (name: string, event: Rule, description: string): Rule =>
  described(dynamic(level(name, { keys: { event, body: anything } })), description)

/** Keys of a response that say how the parts of a stream are told. */
export const views = {
  on_event: viewOf('on_event', dynamic(eventName), 'How an event is told: its name and its data.'),
  on_progress: viewOf(
    'on_progress',
    dynamic(eventName),
    'How a progressive result is told: its name and its data.',
  ),
  on_snapshot: viewOf(
    'on_snapshot',
    dynamic(
      text('the name of an event', (name) =>
        name === 'snapshot' ? undefined : eventNameProblem(name),
      ),
    ),
    'How the snapshot is told: its name and its data.',
  ),
}
