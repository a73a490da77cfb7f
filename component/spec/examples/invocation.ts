/** The rules of an example of a procedure: a call, and what its caller gets. */
import {
  anything,
  described,
  list,
  listOf,
  map,
  must,
  object,
  type Rule,
  rule,
  string,
  text,
} from '#component/spec/rules.ts'
import { isMap } from '#component/syntax/values.ts'
import { uriProblem } from '#component/syntax/wamp-uri.ts'
import { expectAction } from './expectations.ts'

/** `caller` of a call: who calls, as a router discloses it. */
export const caller = object(
  'a caller: {authid, authroles}; {} where the router does not disclose it',
  {
    keys: {
      authid: described(string, 'The name of the caller, who need not exist.'),
      authrole: described(
        string,
        'The role that the router tells. Default: the first of authroles.',
      ),
      authroles: described(
        listOf(string, 'a list of roles', 0),
        'All roles. Default: the authrole.',
      ),
      session: described(anything, 'The session.'),
    },
  },
)

/** The call of an example. */
export const invocation = object('a call: {procedure, args, kwargs, caller}', {
  keys: {
    procedure: described(
      text('a WAMP URI', uriProblem),
      'The URI that is called. Default: that of the procedure, where "match" is exact.',
    ),
    args: described(list, 'The arguments.'),
    kwargs: described(map, 'The arguments by name.'),
    details: described(map, 'The details of the INVOCATION.'),
    caller: described(
      caller,
      'Who calls. Default: "example", who may call; {}: a caller that the router does not disclose.',
    ),
  },
})

const payload = object('a result: {args, kwargs}', { keys: { args: list, kwargs: map } })

const expectations = {
  result: described(payload, 'The result: only the members named are compared.'),
  error_uri: described(
    must('a text, or null for a result', (value) => value === null || typeof value === 'string', {
      type: ['string', 'null'],
    }),
    'The URI of the error that the caller gets; null: none.',
  ),
  action: expectAction,
}
const known = object('a map of what is expected', { keys: expectations })

/** What an example of a procedure expects. Nothing expected is no example: it could not fail. */
export const expectedOfCall: Rule = rule(
  { ...known.schema, minProperties: 1 },
  (value, path, report) => {
    known(value, path, report)
    const names = Object.keys(expectations)
    if (isMap(value) && !names.some((name) => Object.hasOwn(value, name)))
      report.issue(path, `expected at least one of ${names.join(', ')}`)
  },
)
