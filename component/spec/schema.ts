/** The rules of every object of a specification, key by key (specification: Resources and their fields). */
import { pointer } from '#component/codec/json.ts'
import { methods } from '#component/request.ts'
import { fieldValueProblem, readStatus } from '#component/syntax/http-field.ts'
import { originProblem } from '#component/syntax/upstream-origin.ts'
import { isMap } from '#component/syntax/values.ts'
import { uriProblem } from '#component/syntax/wamp-uri.ts'
import type { ActionType } from './model.ts'
import { describe } from './report.ts'
import {
  anything,
  dynamic,
  integer,
  listOf,
  mapOf,
  must,
  object,
  oneOf,
  type Rule,
  type Shape,
  text,
  variants,
} from './rules.ts'
import { fixedPathProblem, headerNameProblem, queryProblem, upstreamPathProblem } from './syntax.ts'

/** Behaviour: Limits. One hour. */
const maxMilliseconds = 3_600_000
const maxInteger = Number.MAX_SAFE_INTEGER

const types = ['application/json', 'application/msgpack'].flatMap((type) => [
  type,
  `${type}; charset=utf-8`,
])

export const map: Rule = must('a map', isMap)
export const string: Rule = must('a string', (value) => typeof value === 'string')
export const boolean: Rule = must('true or false', (value) => typeof value === 'boolean')
const list: Rule = must('a list', Array.isArray)
const milliseconds = dynamic(integer(1, maxMilliseconds, ' of milliseconds'))
const schemes = dynamic(listOf(dynamic(oneOf(['http', 'https'])), 'a list of http and https'))
const uri = dynamic(text('a WAMP URI', uriProblem))

/** 200–599, also as text (behaviour: Actions and answers). */
const statusCode: Rule = dynamic(
  must('an HTTP status from 200 to 599', (value) => readStatus(value) !== undefined),
)

// the value is not shown: it may be a credential
const headerText = text('a header value', fieldValueProblem, 'hidden')

const headerValue: Rule = dynamic((value, path, report) => {
  const isPlain = typeof value === 'number' || typeof value === 'boolean'
  if (!isPlain) headerText(value, path, report)
})

const headers: Rule = dynamic((value, path, report) => {
  if (!isMap(value)) return report.issue(path, 'expected a map of header names to values')
  const names = new Set<string>()
  for (const [name, item] of Object.entries(value)) {
    const at = pointer(path, name)
    const isTwice = names.has(name.toLowerCase())
    const problem =
      headerNameProblem(name) ?? (isTwice ? 'the header is declared twice' : undefined)
    names.add(name.toLowerCase())
    if (problem === undefined) headerValue(item, at, report)
    else report.issue(at, problem)
  }
})

const securityShared = { schemes, description: string }
const fixedPath = dynamic(text('a fixed path', fixedPathProblem))

/** Accepted, because real documents may have them, but no grant is served for them (behaviour: OAuth2). */
const unservedFlows: readonly unknown[] = ['implicit', 'authorization_code']
const flowName = oneOf([
  'implicit',
  'authorization_code',
  'client_credentials',
  'resource_owner_password_credentials',
])

const flow: Rule = dynamic((value, path, report) => {
  flowName(value, path, report)
  if (unservedFlows.includes(value))
    report.warn(path, `no grant is served for the flow ${describe(value)}`)
})

const securityVariants = variants('a security object', {
  basic: { keys: securityShared },
  api_key: {
    keys: {
      ...securityShared,
      header_name: dynamic(text('the name of a header', headerNameProblem)),
    },
  },
  oauth2: {
    keys: {
      ...securityShared,
      flow,
      token_path: fixedPath,
      revoke_token_path: fixedPath,
    },
    required: { flow: 'the OAuth2 flow that the token endpoint serves' },
  },
  oidc: { keys: { ...securityShared, provider: string } },
})

/** `{}` is open; any other value must name its type, so that a mistake never leaves a path open. */
const security: Rule = dynamic((value, path, report) => {
  if (!isMap(value) || Object.keys(value).length > 0) securityVariants(value, path, report)
})

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

const defaultsObject = object('a map of defaults', { keys: { ...inheritable, headers } })

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

const upstreamHost: Rule = dynamic((value, path, report) => {
  // the text before an @ may be a password
  const display = typeof value === 'string' && value.includes('@') ? 'hidden' : 'shown'
  text('[scheme://]host[:port]', originProblem, display)(value, path, report)
})

/** The parts of a forwarded request. */
const target = {
  http_method: dynamic(oneOf(methods)),
  host: upstreamHost,
  path: dynamic(text('a path that begins with "/"', upstreamPathProblem)),
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

/** `{}` is allowed under `options` only, where it answers 200 (behaviour: OPTIONS). */
const action: Rule = dynamic((value, path, report) => {
  const isEmpty = isMap(value) && Object.keys(value).length === 0
  if (isEmpty && path.endsWith('/options/action')) return
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
})

const declared = {
  status_code: statusCode,
  headers,
  body: anything,
  uri: dynamic(text('a URI reference', fieldValueProblem)),
}
const onResult = dynamic(object('a response declaration', { keys: declared }))

const response = dynamic(
  object('a response', { keys: { on_result: onResult, on_error: onResult } }),
)

const operation = dynamic(
  object('an operation', {
    keys: {
      action,
      response,
      info: must('a text or a map', (value) => typeof value === 'string' || isMap(value)),
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

const pathShape: Shape = {
  keys: {
    summary: string,
    description: string,
    is_collection: boolean,
    headers,
    ...inheritable,
    ...scopes,
    ...Object.fromEntries(methods.map((method) => [method, operation])),
  },
}

/** A Path object; it is never an expression as a whole. */
export const path: Rule = object('a path: a map with an operation for each method', pathShape)

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
