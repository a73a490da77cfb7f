/** The rule of `examples`: requests to an operation, the outcome of its action, and the answer that is expected. */
import { pointer } from '#component/codec/json.ts'
import { methods } from '#component/request.ts'
import {
  described,
  integer,
  type JsonSchema,
  listOf,
  map,
  object,
  type Rule,
  rule,
  string,
  text,
} from '#component/spec/rules.ts'
import { isMap, memberOf } from '#component/syntax/values.ts'
import { uriProblem } from '#component/syntax/wamp-uri.ts'
import { expected } from './expectations.ts'
import { expectedOfCall, invocation } from './invocation.ts'
import { outcome, outcomeOfCall } from './outcome.ts'
import { request } from './request.ts'

const maxOfOperation = 100
/** At most this many in a document. */
export const maxExamples = 10_000
/** Characters. */
const longestName = 100

const user = object('a user: {authid}', {
  keys: {
    authid: described(string, 'The name of the user, who need not exist.'),
    authroles: described(listOf(string, 'a list of roles', 0), 'The roles.', { default: [] }),
    realm_uri: described(
      text('a WAMP URI', uriProblem),
      'The realm. Default: that of the document.',
    ),
    authmethod: string,
    via: described(
      string,
      'On a path with alternatives: the name of the one by which the user passes. Default: the first.',
    ),
    claims: described(map, 'The claims of an identity provider, as `security.claims` has them.'),
    webhook_id: described(string, 'Of a path under `webhook`: the id of the message.', {
      default: 'msg_example',
    }),
    webhook_timestamp: described(
      integer(0, Number.MAX_SAFE_INTEGER),
      'Of a path under `webhook`: when it was signed; seconds since the epoch.',
      { default: 1_767_225_600 },
    ),
  },
  required: { authid: 'the name of the user' },
})

const asks: Rule = rule(
  { anyOf: [user.schema, { enum: [null, 'anonymous'] }] },
  (value, path, report) => {
    if (value === null || value === 'anonymous') return
    if (isMap(value)) user(value, path, report)
    else report.expected(path, 'a user {authid}, "anonymous", or null for no credentials', value)
  },
)

const example = object('an example: {request, as, outcome, expect}', {
  keys: {
    description: string,
    request: described(request, 'The request.'),
    as: described(
      asks,
      'Who asks. Default: the user "example" where the path is secured; null: a request without credentials.',
    ),
    outcome: described(outcome, 'The outcome of the action; of a list of actions, a list.'),
    expect: described(expected, 'What the response is, and what the action is told.'),
  },
  required: { expect: 'what the response is, such as {"status": 200}' },
})

const exampleOfCall = object('an example: {invocation, outcome, expect}', {
  keys: {
    description: string,
    invocation: described(invocation, 'The call.'),
    outcome: described(outcomeOfCall, 'The outcome of the action; of a list of actions, a list.'),
    expect: described(expectedOfCall, 'What the caller gets, and what the action is told.'),
  },
  required: { expect: 'what the caller gets, such as {"result": {"args": [7]}}' },
})

/** @param what they are of */
function byName(example: Rule, what: string): Rule {
  const schema: JsonSchema = {
    type: 'object',
    additionalProperties: example.schema,
    propertyNames: { minLength: 1, maxLength: longestName },
    maxProperties: maxOfOperation,
    description: `Examples of the ${what} by name. wamp-gateway test runs them.`,
  }
  return rule(schema, (value, path, report) => {
    if (!isMap(value)) return report.expected(path, 'a map of names to examples', value)
    const names = Object.keys(value)
    if (names.length > maxOfOperation)
      return report.issue(path, `expected at most ${maxOfOperation} examples, got ${names.length}`)
    for (const name of names) {
      const at = pointer(path, name)
      if (name === '' || name.length > longestName)
        report.issue(at, `expected a name of 1 to ${longestName} characters, got ${name.length}`)
      else example(value[name], at, report)
    }
  })
}

/** The examples of one operation; literal, so texts with braces stay as they are. */
export const examples: Rule = byName(example, 'operation')

/** The examples of one procedure. */
export const examplesOfCalls: Rule = byName(exampleOfCall, 'procedure')

const countIn = (examples: unknown): number => (isMap(examples) ? Object.keys(examples).length : 0)

/** How many examples the operations of a path have, as they are written. */
export const countExamples = (path: unknown): number =>
  methods.reduce((sum, method) => sum + countIn(memberOf(memberOf(path, method), 'examples')), 0)

/** How many examples procedures have, as they are written. */
export const countExamplesOfCalls = (procedures: readonly unknown[]): number =>
  procedures.reduce<number>((sum, one) => sum + countIn(memberOf(one, 'examples')), 0)
