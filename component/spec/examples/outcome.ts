/** The rule of what the action of an example comes to. */
import {
  anything,
  described,
  integer,
  list,
  listOf,
  map,
  object,
  string,
  text,
} from '#component/spec/rules.ts'
import { uriProblem } from '#component/syntax/wamp-uri.ts'
import { either, exclusive } from './values.ts'

const failure = object('an error: {error_uri, args, kwargs}', {
  keys: {
    error_uri: text('a WAMP URI', uriProblem),
    args: list,
    kwargs: map,
    details: map,
    status_code: integer(200, 599),
    headers: map,
    body: anything,
    uri: string,
  },
  required: { error_uri: 'the URI of the error' },
})

const single = exclusive(
  'an outcome: {result} or {error}',
  {
    keys: {
      result: described(
        map,
        'What `action.result` holds. Members that an action always has are added.',
      ),
      error: described(failure, 'What `action.error` holds.'),
    },
  },
  [['result', 'error', 'an action has a result or an error: give only one of them']],
)
/** What the action comes to; of a list of actions, a list. */
export const outcome = either(listOf(single, 'a list of outcomes'), Array.isArray, single)
