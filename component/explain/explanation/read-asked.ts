/** Reads what is to be explained: a request or a call, who sends it, what its actions come to, and a document. */
import { InvalidSpecError } from '#component/errors.ts'
import type { DescribedCall, DescribedRequest, GivenOutcome } from '#component/explain/asked.ts'
import { caller } from '#component/spec/examples/invocation.ts'
import { anOutcome, outcomeNames, outcomeOf } from '#component/spec/examples/outcome.ts'
import { Report } from '#component/spec/report.ts'
import {
  anything,
  listOf,
  map,
  mapOf,
  must,
  object,
  oneOf,
  type Rule,
  rule,
  string,
  text,
} from '#component/spec/rules.ts'
import { isMap, type JsonMap } from '#component/syntax/values.ts'
import { uriProblem } from '#component/syntax/wamp-uri.ts'

/** The user that a request comes from. */
export interface AskingUser {
  readonly authid: string
  /** Absent: the realm of the path. */
  readonly realm_uri?: string
  /** Absent: all roles that the user has. */
  readonly authroles?: readonly string[]
  /** Absent: the method of the path's security. */
  readonly authmethod?: string
  /** The name of one of the alternatives of the path; absent: the first one. */
  readonly via?: string
  /** What the ticket of a login at a provider carries. */
  readonly claims?: JsonMap
}

/** One outcome for all actions, or one for each action of a list. */
type AskedOutcome = GivenOutcome | readonly GivenOutcome[]

/** A call of a procedure. */
export interface AskedCall extends DescribedCall {
  /** Absent: the first realm that has the procedure. */
  readonly realm_uri?: string
}

/** What is to be explained of a request. */
export interface Asked extends Given {
  readonly request: DescribedRequest
  /** The user who asks; absent: the gateway judges the credentials of the request. */
  readonly as?: AskingUser | 'anonymous' | null
}

/** What is to be explained of a call. */
export interface AskedOfCall extends Given {
  readonly invocation: AskedCall
}

/** What the actions come to, and what is explained. */
export interface Given {
  /** One outcome, or several by name; absent: a sample. */
  readonly outcome?: AskedOutcome
  readonly outcomes?: Readonly<Record<string, AskedOutcome>>
  /** A document that is not loaded. */
  readonly api_spec?: JsonMap
}

const isField = (value: unknown): boolean => ['string', 'number', 'boolean'].includes(typeof value)

const request = object('a request', {
  keys: {
    method: oneOf(
      ['get', 'head', 'post', 'put', 'patch', 'delete', 'options'].flatMap((name) => [
        name,
        name.toUpperCase(),
      ]),
    ),
    scheme: oneOf(['http', 'https']),
    host: string,
    path: must(
      'a path that begins with "/"',
      (value) => typeof value === 'string' && value[0] === '/',
    ),
    query_string: string,
    headers: mapOf(must('a text, a number, true or false', isField), 'a map of header fields'),
    body: anything,
    peer: string,
  },
})

const user = object('a user', {
  keys: {
    authid: string,
    realm_uri: string,
    authroles: listOf(string, 'a list of roles', 0),
    authmethod: string,
    via: string,
    claims: map,
  },
  required: { authid: 'the name of a user' },
})

const as: Rule = rule(
  { anyOf: [{ enum: ['anonymous', null] }, user.schema] },
  (value, path, report) => {
    if (value === 'anonymous' || value === null) return
    if (isMap(value)) user(value, path, report)
    else report.expected(path, '"anonymous" or a user', value)
  },
)

const isOutcome = (value: unknown): boolean => {
  const keys = isMap(value) ? Object.keys(value) : []
  return keys.length > 0 && keys.every((key) => outcomeNames.includes(key))
}

const error = object('an error', {
  keys: {
    error_uri: string,
    args: must('a list', Array.isArray),
    kwargs: map,
    details: map,
    status_code: must('an HTTP status', Number.isInteger),
    headers: map,
    body: anything,
  },
})

const single = outcomeOf(error)

/** One outcome, or one for each action of a list. */
const outcome: Rule = rule({}, (value, path, report) => {
  if (Array.isArray(value)) return listOf(single, 'a list of outcomes')(value, path, report)
  if (!isOutcome(value)) return report.expected(path, anOutcome, value)
  single(value, path, report)
})

const outcomes: Rule = rule({}, (value, path, report) => {
  const isNamed = isMap(value) && !isOutcome(value) && Object.keys(value).length > 0
  if (isNamed) mapOf(outcome)(value, path, report)
  else outcome(value, path, report)
})

const invocation = object('a call', {
  keys: {
    ...{ procedure: text('a WAMP URI', uriProblem), realm_uri: string },
    ...{ args: must('a list', Array.isArray), kwargs: map, details: map, caller },
  },
  required: { procedure: 'the URI that is called' },
})

const either = {
  request: 'a request such as {"method": "get", "path": "/orders/7"}',
  invocation: 'a call such as {"procedure": "com.example.order.get", "args": [7]}',
}

const asked = object('an object of request or invocation, as, outcome and api_spec', {
  keys: { request, invocation, as, outcome: outcomes, api_spec: map },
  either,
})

/**
 * Reads what was asked for.
 * @throws InvalidSpecError with everything that is wrong; it shows no value, since values may be secrets
 */
export function readAsked(value: unknown): Asked | AskedOfCall {
  const report = new Report([], 'hidden')
  asked(value, '', report)
  if (isMap(value) && Object.hasOwn(value, 'invocation') && Object.hasOwn(value, 'as'))
    report.issue('/as', 'a call names who calls in invocation.caller')
  // an unknown key is a misspelt one: what it was to change would be explained wrongly
  const issues = [...report.issues, ...report.warnings]
  if (issues.length > 0) throw new InvalidSpecError(issues)
  const { outcome: given, ...rest } = value as JsonMap
  const isOne = isOutcome(given) || Array.isArray(given) || given === undefined
  return {
    ...rest,
    ...(isOne ? given !== undefined && { outcome: given } : { outcomes: given }),
  } as unknown as Asked | AskedOfCall
}
