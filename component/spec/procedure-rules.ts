/** The rules of `procedures`: what WAMP callers may call, and how HTTP services answer. */
import { kindOf } from '#component/action/kinds.ts'
import { entriesAt, pointer } from '#component/codec/json.ts'
import { invocationPolicyKinds } from '#component/policies/kinds.ts'
import { invocationPolicies } from '#component/routes/procedure-place.ts'
import { isMap, type JsonMap } from '#component/syntax/values.ts'
import {
  isMatch,
  type Match,
  matches,
  reservedPrefixes,
  uriProblem,
} from '#component/syntax/wamp-uri.ts'
import { action } from './action-rules.ts'
import { closedMap } from './closed-map.ts'
import { countExamplesOfCalls, examplesOfCalls, maxExamples } from './examples/examples.ts'
import { attempts, uri } from './http-rules.ts'
import type { Report } from './report.ts'
import { schema, validationMode } from './request-rules.ts'
import {
  boolean,
  described,
  dynamic,
  integer,
  isExpression,
  list,
  listOf,
  map,
  mapOf,
  oneOf,
  type Rule,
  rule,
  string,
  text,
} from './rules.ts'
import { trace } from './trace-rule.ts'

/** Of one document. */
const maxProcedures = 1_000

const payload = { args: dynamic(list), kwargs: dynamic(map) }

/** `on_result` of a procedure: YIELD. */
const yielded = dynamic(closedMap('a map {args, kwargs}', payload))
/** `on_error` of a procedure: ERROR. */
const refused = dynamic(
  closedMap('a map {error_uri, args, kwargs}', { error_uri: uri, ...payload }),
)

/** `response` of a procedure. */
const procedureResponse = dynamic(
  closedMap('a map {on_result, on_error, on_progress}', {
    on_result: yielded,
    on_error: refused,
    on_progress: yielded,
  }),
)

const names = (what: string) =>
  listOf(
    text(what, (name) => (name === '' ? 'it is empty' : undefined)),
    `a list, each ${what}`,
  )

const input = described(
  closedMap('a map {args, kwargs}; it is no expression', { args: schema, kwargs: schema }),
  'JSON Schemas of the arguments.',
)

const callers = described(
  closedMap('a map {roles, authids}; it is no expression', {
    roles: names('the name of a role'),
    authids: names('an authid'),
  }),
  'Who may call, of callers that the router discloses: those with one of the roles, or one of the authids. {}: every disclosed caller.',
)

/** `action` of a procedure: an action as everywhere, which there is no request for. */
const procedureAction: Rule = rule(action.schema, (value, path, report) => {
  action(value, path, report)
  if (Array.isArray(value)) {
    value.forEach((one, index) => {
      checkAction(one, pointer(path, index), report)
    })
  } else checkAction(value, path, report)
})

function checkAction(value: unknown, path: string, report: Report): void {
  const kind = isMap(value) ? kindOf(value.type) : undefined
  if (kind === undefined) return
  if (kind.ofInvocations === undefined) {
    report.issue(pointer(path, 'type'), `${kind.type} cannot handle a call`)
    return
  }
  for (const [key, why] of Object.entries(kind.ofInvocations.required)) {
    if (Object.hasOwn(value as JsonMap, key)) continue
    report.issue(pointer(path, key), `${key} is missing: ${why}`)
  }
  for (const [key, why] of Object.entries(kind.ofInvocations.refused)) {
    if (Object.hasOwn(value as JsonMap, key)) report.issue(pointer(path, key), why)
  }
}

/** One procedure. */
export const procedure = closedMap(
  'a procedure: a map with an action',
  {
    action: procedureAction,
    response: procedureResponse,
    input,
    callers,
    match: oneOf(matches),
    invoke: oneOf(invocationPolicies),
    pool_size: integer(1, Number.MAX_SAFE_INTEGER),
    is_active: boolean,
    summary: string,
    description: string,
    examples: examplesOfCalls,
    variables: map,
    ...attempts,
    trace,
    validate_requests: validationMode,
    ...Object.fromEntries(invocationPolicyKinds.map(({ key, rule }) => [key, rule])),
  },
  { action: 'an action: what the procedure does' },
)

/** `match` of a procedure; `exact` where it is none. */
export const procedureMatch = ({ match }: JsonMap): Match => (isMatch(match) ? match : 'exact')

/** Whether a pattern could match a URI of the gateway or of the router. */
function isReserved(uri: string, match: Match): boolean {
  if (match === 'wildcard') {
    const [first = ''] = uri.split('.')
    return first === '' || reservedPrefixes.includes(`${first}.` as never)
  }
  return reservedPrefixes.some(
    (prefix) =>
      uri.startsWith(prefix) ||
      (match === 'prefix' ? prefix.startsWith(uri) : prefix === `${uri}.`),
  )
}

/** `procedures` of a document. */
export const procedures: Rule = described(
  rule(
    { type: 'object', additionalProperties: procedure.schema, maxProperties: maxProcedures },
    (value, path, report) => {
      if (!isMap(value)) return report.expected(path, 'a map of URIs to procedures', value)
      const all = entriesAt(value, path)
      if (all.length > maxProcedures) {
        return report.issue(path, `expected at most ${maxProcedures} procedures, got ${all.length}`)
      }
      if (countExamplesOfCalls(Object.values(value)) > maxExamples)
        return report.issue(
          path,
          `expected at most ${maxExamples} examples of procedures, got more`,
        )
      for (const [uri, item, at] of all) {
        const match = isMap(item) ? procedureMatch(item) : 'exact'
        const problem = uriProblem(uri, match)
        if (problem !== undefined) {
          report.issue(
            at,
            `expected a WAMP URI${match === 'exact' ? '' : ` (${match})`}: ${problem}`,
          )
        } else if (isReserved(uri, match)) {
          report.issue(at, 'a document may not register URIs under "wamp." and "service."')
        } else procedure(item, at, report)
      }
    },
  ),
  'What the gateway registers on the realm, by URI: actions handle the calls.',
)

const statusPattern = /^[45](?:\d\d|XX)$/

/** `error_uris` of a document. */
export const errorUris: Rule = described(
  mapOf(
    rule(uri.schema, (value, path, report) => {
      if (isExpression(value)) report.issue(path, 'expected a WAMP URI, got an expression')
      else uri(value, path, report)
    }),
    'a map of HTTP statuses to error URIs',
    (status) =>
      statusPattern.test(status)
        ? undefined
        : 'expected a status from 400 to 599, or "4XX" or "5XX"',
    { pattern: statusPattern.source },
  ),
  'The error URIs that callers of procedures get for the statuses of upstreams, such as "404" or "5XX".',
)
