/** The rule of `examples`: requests to an operation, the outcome of its action, and the answer that is expected. */
import { pointer } from '#component/codec/json.ts'
import { methods } from '#component/request.ts'
import { fieldValueProblem, isToken } from '#component/syntax/http-field.ts'
import { pathProblem, queryProblem } from '#component/syntax/request-target.ts'
import { isMap } from '#component/syntax/values.ts'
import { uriProblem } from '#component/syntax/wamp-uri.ts'
import {
  anything,
  described,
  integer,
  type JsonSchema,
  list,
  listOf,
  map,
  mapOf,
  mapOrEmpty,
  must,
  object,
  oneOf,
  type Rule,
  rule,
  type Shape,
  string,
  text,
} from './rules.ts'

const maxOfOperation = 100
/** At most this many in a document. */
export const maxExamples = 10_000
/** Characters. */
const longestName = 100

const scalarTypes = ['string', 'number', 'bigint', 'boolean']
const isScalar = (value: unknown): boolean => scalarTypes.includes(typeof value)

const scalar = must('a text, a number, true or false', isScalar, {
  type: ['string', 'number', 'boolean'],
})

/** A rule for values that another rule may stand for, by their type. */
const either = (first: Rule, isFirst: (value: unknown) => boolean, other: Rule): Rule =>
  rule({ anyOf: [first.schema, other.schema] }, (value, path, report) =>
    (isFirst(value) ? first : other)(value, path, report),
  )

const lists = listOf(scalar, 'a list of values')
const queryValue = either(lists, Array.isArray, scalar)

const texts = mapOf(scalar, 'a map of names to values')

/** A map of header fields: their names are tokens, in any case. */
const fields = (value: Rule): Rule =>
  rule({ type: 'object', additionalProperties: value.schema }, (found, path, report) => {
    if (!isMap(found)) return report.expected(path, 'a map of header names to values', found)
    for (const [name, item] of Object.entries(found)) {
      const at = pointer(path, name)
      if (isToken(name)) value(item, at, report)
      else report.issue(at, 'the name of a header may hold only letters, digits, "-" and the like')
    }
  })

const sentValue: Rule = rule(scalar.schema, (value, path, report) => {
  const problem = typeof value === 'string' ? fieldValueProblem(value) : undefined
  if (problem === undefined) scalar(value, path, report)
  else report.issue(path, `expected a header value: ${problem}`)
})

const foundValue = either(
  listOf(string, 'a list of texts'),
  Array.isArray,
  must(
    'a text, a number, a list of texts, or null for an absent header',
    (value) => {
      return value === null || isScalar(value)
    },
    { type: ['string', 'number', 'boolean', 'null'] },
  ),
)

/** A request target in origin form (RFC 9112, 3.2.1). */
function targetProblem(target: string): string | undefined {
  const mark = target.indexOf('?')
  if (mark < 0) return pathProblem(target)
  return pathProblem(target.slice(0, mark)) ?? queryProblem(target.slice(mark + 1))
}

/** A map that has at most one of two keys. */
const exclusive = (
  allowed: string,
  shape: Shape,
  pairs: readonly (readonly [key: string, other: string, why: string])[],
): Rule => {
  const known = object(allowed, shape)
  return rule(known.schema, (value, path, report) => {
    known(value, path, report)
    for (const [key, other, why] of pairs) {
      const map = mapOrEmpty(value)
      const hasBoth = Object.hasOwn(map, key) && Object.hasOwn(map, other)
      if (hasBoth) report.issue(pointer(path, other), why)
    }
  })
}

const inPath = 'path holds it: give only one of them'

const request = exclusive(
  'a request: a map',
  {
    keys: {
      bindings: described(texts, 'The values of the bindings. The path is made of them.'),
      query_params: described(
        mapOf(queryValue, 'a map of names to values'),
        'Query parameters: a list repeats the name, and true writes the name alone.',
      ),
      path: described(
        text('a path that begins with "/", and its query', targetProblem),
        'The path and its query as they are sent, in place of bindings and query_params.',
      ),
      headers: described(fields(sentValue), 'Header fields.'),
      body: described(
        anything,
        'The body: a value, or a text of the type that content-type names.',
      ),
      scheme: described(oneOf(['http', 'https']), 'The scheme.', { default: 'https' }),
      host: described(
        string,
        'The host. Default: one that the host pattern of the document matches.',
      ),
    },
  },
  [
    ['path', 'bindings', inPath],
    ['path', 'query_params', inPath],
  ],
)

const user = object('a user: {authid}', {
  keys: {
    authid: described(string, 'The name of the user, who need not exist.'),
    authroles: described(listOf(string, 'a list of roles', 0), 'The roles.', { default: [] }),
    realm_uri: described(
      text('a WAMP URI', uriProblem),
      'The realm. Default: that of the document.',
    ),
    authmethod: string,
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
const outcome = either(listOf(single, 'a list of outcomes'), Array.isArray, single)

const told: Rule = rule({ type: ['object', 'array', 'null'] }, (value, path, report) => {
  const isKnown = value === null || isMap(value) || (Array.isArray(value) && value.every(isMap))
  if (isKnown) return
  const allowed =
    'a map of what the action is told, a list of them, or null for an action that is not reached'
  report.expected(path, allowed, value)
})

const schema = must('a JSON Schema', (value) => isMap(value) || typeof value === 'boolean', {
  type: ['object', 'boolean'],
})

const expectations = {
  status: described(integer(200, 599), 'The HTTP status.'),
  headers: described(
    fields(foundValue),
    'Header fields that the answer has; null: it has no such field.',
  ),
  body: described(anything, 'The decoded body, equal as JSON; "" for none.'),
  body_matches: described(schema, 'A JSON Schema that the decoded body fits.'),
  action: described(
    told,
    'What the action is told: only the members named are compared. A list for a list of actions; null: it is not reached.',
  ),
  error_code: described(string, 'The code of the error that the answer tells of.'),
}
const expectationNames = Object.keys(expectations)
const known = object('a map of what is expected', { keys: expectations })

/** Nothing expected is no example: it could not fail. */
const expected: Rule = rule({ ...known.schema, minProperties: 1 }, (value, path, report) => {
  known(value, path, report)
  if (isMap(value) && !expectationNames.some((name) => Object.hasOwn(value, name)))
    report.issue(path, `expected at least one of ${expectationNames.join(', ')}`)
})

const example = object('an example: {request, as, outcome, expect}', {
  keys: {
    description: string,
    request: described(request, 'The request.'),
    as: described(
      asks,
      'Who asks. Default: the user "example" where the path is secured; null: a request without credentials.',
    ),
    outcome: described(outcome, 'What the action comes to; of a list of actions, a list.'),
    expect: described(expected, 'What the answer is, and what the action is told.'),
  },
  required: { expect: 'what the answer is, such as {"status": 200}' },
})

const schemaOfExamples: JsonSchema = {
  type: 'object',
  additionalProperties: example.schema,
  propertyNames: { minLength: 1, maxLength: longestName },
  maxProperties: maxOfOperation,
  description: 'Examples of the operation by name. wamp-gateway test runs them.',
}

/** The examples of one operation; literal, so texts with braces stay as they are. */
export const examples: Rule = rule(schemaOfExamples, (value, path, report) => {
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

/** How many examples the operations of a path have, as they are written. */
export const countExamples = (path: unknown): number =>
  methods.reduce((sum, method) => {
    const { examples } = mapOrEmpty(mapOrEmpty(path)[method])
    return sum + Object.keys(mapOrEmpty(examples)).length
  }, 0)
