/** The rule of what the action of an example comes to: a result or an error, the events of a topic, or the pieces of a call. */
import {
  anything,
  boolean,
  described,
  integer,
  list,
  listOf,
  map,
  mapOf,
  object,
  type Rule,
  rule,
  string,
  text,
} from '#component/spec/rules.ts'
import { isMap } from '#component/syntax/values.ts'
import { uriProblem } from '#component/syntax/wamp-uri.ts'
import { either, exclusive } from './values.ts'

/** At most this many events or pieces of one outcome. */
const mostGiven = 1000

/** A list that is not too long. */
const series = (member: Rule, allowed: string): Rule => {
  const known = listOf(member, allowed, 0)
  return rule({ ...known.schema, maxItems: mostGiven }, (value, path, report) => {
    if (!Array.isArray(value) || value.length <= mostGiven) known(value, path, report)
    else report.issue(path, `expected at most ${mostGiven}, got ${value.length}`)
  })
}

const uri = text('a WAMP URI', uriProblem)

const event = object('an event: {args, kwargs}', {
  keys: {
    ...{ args: list, kwargs: map, details: map },
    topic: described(uri, 'The topic. Default: the one that is subscribed to.'),
    publication_id: described(
      integer(1, Number.MAX_SAFE_INTEGER),
      'The publication. Default: 1, 2, 3, …',
    ),
    retained: described(boolean, 'Whether the router has retained it.', { default: false }),
  },
})

const piece = object('a piece of a result: {args, kwargs}', {
  keys: { args: list, kwargs: map, details: map },
})

const resultOrError = 'an action has a result or an error: give only one of them'
const eventsAlone = 'a subscription has events: give only one of them'

/** The end of "expected …". */
export const anOutcome =
  'an outcome: {result} or {error}, {events}, or {pieces} and one of the first two'

/** An outcome of one action. @param failure of `error` */
export function outcomeOf(failure: Rule): Rule {
  const result = described(
    map,
    'What `action.result` holds. Members that an action always has are added.',
  )
  const error = described(failure, 'What `action.error` holds.')
  const snapshot = exclusive(
    'the outcome of a snapshot: {result} or {error}',
    {
      keys: { result, error },
    },
    [['result', 'error', resultOrError]],
  )
  return exclusive(
    anOutcome,
    {
      keys: {
        ...{ result, error },
        events: described(
          series(event, 'a list of events'),
          'Of wamp_subscribe: the events that are published, in order.',
        ),
        snapshot: described(snapshot, 'Of wamp_subscribe: what the call of its snapshot comes to.'),
        pieces: described(
          series(piece, 'a list of pieces'),
          'Of wamp_call: the progressive results, in order; result or error is what follows them.',
        ),
      },
    },
    [
      ['result', 'error', resultOrError],
      ['events', 'pieces', eventsAlone],
      ['events', 'result', eventsAlone],
      ['events', 'error', eventsAlone],
      ['snapshot', 'result', eventsAlone],
      ['pieces', 'snapshot', 'a subscription has a snapshot: give only one of them'],
    ],
  )
}

/** The members of an outcome. */
export const outcomeNames: readonly string[] = ['result', 'error', 'events', 'snapshot', 'pieces']

const ofFailure = {
  error_uri: uri,
  args: list,
  kwargs: map,
  details: map,
  status_code: integer(200, 599),
  headers: map,
  body: anything,
  uri: string,
}

const failure = object('an error: {error_uri, args, kwargs}', {
  keys: ofFailure,
  required: { error_uri: 'the URI of the error' },
})

/** By the names of the actions that an action performs: no outcome has such members. */
const isNamed = (value: unknown): boolean =>
  isMap(value) &&
  Object.keys(value).length > 0 &&
  !outcomeNames.some((name) => Object.hasOwn(value, name))

function anyOutcome(single: Rule): Rule {
  const ofList = either(listOf(single, 'a list of outcomes', 0), Array.isArray, single)
  const ofAction = either(mapOf(ofList, 'a map of names to outcomes'), isNamed, single)
  return either(listOf(ofAction, 'a list of outcomes'), Array.isArray, ofAction)
}

/** What the action comes to; of a list of actions, or of one for each item of a list, a list; of actions at once a map by their names. */
export const outcome = anyOutcome(outcomeOf(failure))

/** The same of a procedure, whose error URI is made of the status of an upstream. */
export const outcomeOfCall = anyOutcome(
  outcomeOf(
    object('an error: {status_code, body} or {error_uri, args, kwargs}', { keys: ofFailure }),
  ),
)
