/** The rules of every object of a specification, key by key (specification: Resources and their fields). */
import { pointer } from '#component/codec/json.ts'
import { methods } from '#component/request.ts'
import { fieldValueProblem, readStatus } from '#component/syntax/http-field.ts'
import { referenceProblem } from '#component/syntax/percent-encoding.ts'
import { originProblem } from '#component/syntax/upstream-origin.ts'
import { isMap } from '#component/syntax/values.ts'
import { uriProblem } from '#component/syntax/wamp-uri.ts'
import { level } from './levels.ts'
import type { ActionType } from './model.ts'
import {
  anything,
  boolean,
  dynamic,
  emptyMap,
  integer,
  list,
  listOf,
  map,
  mapOf,
  must,
  object,
  oneOf,
  type Rule,
  rule,
  type Shape,
  string,
  text,
  variants,
} from './rules.ts'
import { schemes, security } from './security-rules.ts'
import { fixedPathProblem, headerNameProblem, queryProblem, upstreamPathProblem } from './syntax.ts'

/** Behaviour: Limits. One hour. */
const maxMilliseconds = 3_600_000
const maxInteger = Number.MAX_SAFE_INTEGER

const types = ['application/json', 'application/msgpack'].flatMap((type) => [
  type,
  `${type}; charset=utf-8`,
])

const milliseconds = dynamic(integer(1, maxMilliseconds, ' of milliseconds'))
const uri = dynamic(text('a WAMP URI', uriProblem))

/** 200–599, also as text (behaviour: Actions and answers). */
const statusCode: Rule = dynamic(
  must('an HTTP status from 200 to 599', (value) => readStatus(value) !== undefined, {
    anyOf: [
      { type: 'integer', minimum: 200, maximum: 599 },
      { type: 'string', pattern: '^[2-5][0-9][0-9]$' },
    ],
  }),
)

// the value is not shown: it may be a credential
const headerText = text('a header value', fieldValueProblem, 'hidden')

const headerValueOf = (text: Rule): Rule =>
  dynamic(
    rule({ type: ['string', 'number', 'boolean'] }, (value, path, report) => {
      const isPlain = typeof value === 'number' || typeof value === 'boolean'
      if (!isPlain) text(value, path, report)
    }),
  )

const headerValue = headerValueOf(headerText)
const reference = text('a URI reference', referenceProblem)
const locationValue = headerValueOf(reference)

const headers: Rule = dynamic(
  rule({ type: 'object', additionalProperties: headerValue.schema }, (value, path, report) => {
    if (!isMap(value)) return report.issue(path, 'expected a map of header names to values')
    const names = new Set<string>()
    for (const [name, item] of Object.entries(value)) {
      const at = pointer(path, name)
      const isTwice = names.has(name.toLowerCase())
      const problem =
        headerNameProblem(name) ?? (isTwice ? 'the header is declared twice' : undefined)
      names.add(name.toLowerCase())
      const rule = name.toLowerCase() === 'location' ? locationValue : headerValue
      if (problem === undefined) rule(item, at, report)
      else report.issue(at, problem)
    }
  }),
)

const attempts = {
  timeout: milliseconds,
  connect_timeout: milliseconds,
  retries: dynamic(integer(0, maxInteger)),
  retry_timeout: dynamic(integer(0, maxMilliseconds, ' of milliseconds')),
}

/** Keys of operations, paths and `defaults` (behaviour: Priority of a value). */
const inheritable = {
  ...attempts,
  schemes,
  accepts: dynamic(
    listOf(
      dynamic(oneOf([...types, 'application/x-www-form-urlencoded'])),
      'a list of media types',
    ),
  ),
  provides: dynamic(listOf(dynamic(oneOf(types)), 'a list of media types')),
  security,
  body_max_bytes: dynamic(integer(0, maxInteger, ' of bytes')),
  body_read_bytes: dynamic(integer(1, maxInteger, ' of bytes')),
  body_read_seconds: milliseconds,
}

const defaultsObject = level('defaults', { keys: { ...inheritable, headers } }, 'a map of defaults')

/** The maps that merge from API to version, path and operation; `defaults` may be computed as a whole. */
export const scopes = {
  variables: map,
  defaults: dynamic(defaultsObject),
  status_codes: mapOf(statusCode, 'a map of error URIs to HTTP statuses'),
}

const wampArguments = {
  options: dynamic(map),
  args: dynamic(list),
  arguments: dynamic(list),
  kwargs: dynamic(map),
  arguments_kw: dynamic(map),
  ...attempts,
}

const origin = '[scheme://]host[:port]'
const shownOrigin = text(origin, originProblem)
const hiddenOrigin = text(origin, originProblem, 'hidden')

const upstreamHost: Rule = dynamic(
  rule(shownOrigin.schema, (value, path, report) => {
    // the text before an @ may be a password
    const hasUser = typeof value === 'string' && value.includes('@')
    const check = hasUser ? hiddenOrigin : shownOrigin
    check(value, path, report)
  }),
)

/** The parts of a forwarded request. */
const target = {
  http_method: dynamic(oneOf(methods)),
  host: upstreamHost,
  path: dynamic(text('a path that begins with "/"', upstreamPathProblem)),
  strip_prefix: dynamic(text('a path without bindings and brackets', fixedPathProblem)),
  query_string: dynamic(text('a query string', queryProblem)),
}

const actions: Readonly<Record<ActionType, Shape>> = {
  static: { keys: { headers, body: anything } },
  forward: {
    keys: { ...target, headers, body: anything, ...attempts },
    required: { host: '[scheme://]host[:port] of the upstream' },
  },
  wamp_call: {
    keys: { procedure: uri, ...wampArguments },
    required: { procedure: 'the WAMP URI to call' },
  },
  wamp_publish: {
    keys: { topic: uri, ...wampArguments },
    required: { topic: 'the WAMP URI to publish to' },
  },
}

const actionVariants = variants('an action', actions)

/** Enough for what one request may set off; more is a program, which belongs behind the gateway. */
const maxActions = 8

const singleAction: Rule = dynamic(
  rule(actionVariants.schema, (value, path, report) => {
    actionVariants(value, path, report)
    if (!isMap(value)) return
    for (const [name, alias] of [
      ['args', 'arguments'],
      ['kwargs', 'arguments_kw'],
    ] as const) {
      if (Object.hasOwn(value, name) && Object.hasOwn(value, alias)) {
        report.issue(
          pointer(path, alias),
          `${alias} is another name for ${name}: give only one of them`,
        )
      }
    }
  }),
)

const actionList = listOf(singleAction, 'a list of actions')

/** `{}` is allowed under `options` only, where it answers 200 (behaviour: OPTIONS). */
const action: Rule = rule(
  { anyOf: [singleAction.schema, { ...actionList.schema, maxItems: maxActions }] },
  (value, path, report) => {
    const isEmpty = isMap(value) && Object.keys(value).length === 0
    if (isEmpty && path.endsWith('/options/action')) return
    const isList = Array.isArray(value)
    if (isList && value.length > maxActions) {
      report.issue(path, `expected at most ${maxActions} actions, got ${value.length}`)
    } else if (isList) actionList(value, path, report)
    else singleAction(value, path, report)
  },
)

const optionsAction = rule({ anyOf: [action.schema, emptyMap] }, (value, path, report) =>
  action(value, path, report),
)

const declared = {
  status_code: statusCode,
  headers,
  body: anything,
  uri: dynamic(reference),
}
const onResult = dynamic(
  level('on_result or on_error', { keys: declared }, 'a response declaration'),
)

const response = dynamic(level('a response', { keys: { on_result: onResult, on_error: onResult } }))

const operationOf = (action: Rule): Rule =>
  dynamic(
    level('an operation', {
      keys: {
        action,
        response,
        info: must('a text or a map', (value) => typeof value === 'string' || isMap(value), {
          type: ['string', 'object'],
        }),
        summary: string,
        description: string,
        ...inheritable,
        ...scopes,
        // without headers: an operation has none of its own
        defaults: dynamic(object('a map of defaults', { keys: inheritable })),
      },
      required: {
        action: 'an action: what the operation does',
        response: 'a response: {on_result, on_error}',
      },
    }),
  )

const operation = operationOf(action)
const optionsOperation = operationOf(optionsAction)

const pathShape: Shape = {
  keys: {
    summary: string,
    description: string,
    is_collection: boolean,
    headers,
    ...inheritable,
    ...scopes,
    ...Object.fromEntries(
      methods.map((method) => [method, method === 'options' ? optionsOperation : operation]),
    ),
  },
}

/** A Path object; it is never an expression as a whole. */
export const path: Rule = level(
  'a path',
  pathShape,
  'a path: a map with an operation for each method',
)

/** The rules of single fields, by name (see fields.ts). */
export const fieldRules = {
  ...inheritable,
  ...declared,
  headers,
  defaults: scopes.defaults,
  options: wampArguments.options,
  args: wampArguments.args,
  kwargs: wampArguments.kwargs,
  procedure: uri,
  topic: uri,
  ...target,
  operation,
  action,
  response,
  on_result: onResult,
  on_error: onResult,
} satisfies Readonly<Record<string, Rule>>
