/** What a forward is: the row of `forward`. */
import { actionKind } from '#component/action/kind.ts'
import type { AttemptEnd } from '#component/action/watching/attempt-end.ts'
import { pointer } from '#component/codec/json.ts'
import { methods } from '#component/request.ts'
import { attempts, headers } from '#component/spec/http-rules.ts'
import { anything, dynamic, oneOf, type Rule, rule, string, text } from '#component/spec/rules.ts'
import { fixedPathProblem, queryProblem, upstreamPathProblem } from '#component/spec/syntax.ts'
import { originProblem, readOrigin } from '#component/syntax/upstream-origin.ts'
import { upstreamName } from '#component/upstreams/settings.ts'
import { socketTerms, websocketRule } from './websocket.ts'

const origin = '[scheme://]host[:port]'
const shownOrigin = text(origin, originProblem)
const hiddenOrigin = text(origin, originProblem, 'hidden')

const upstreamNameProblem = (name: string): string | undefined =>
  upstreamName.test(name) ? undefined : 'it has 1 to 64 letters, digits, "-", "_" and "."'

const upstreamHost: Rule = dynamic(
  rule(shownOrigin.schema, (value, path, report) => {
    // the text before an @ may be a password
    const hasUser = typeof value === 'string' && value.includes('@')
    const check = hasUser ? hiddenOrigin : shownOrigin
    check(value, path, report)
  }),
)

/** The parts of a forwarded request. */
export const target = {
  http_method: dynamic(oneOf(methods)),
  host: upstreamHost,
  upstream: dynamic(text('the name of an upstream of the realm', upstreamNameProblem)),
  path: dynamic(text('a path that begins with "/"', upstreamPathProblem)),
  strip_prefix: dynamic(text('a path without bindings and brackets', fixedPathProblem)),
  query_string: dynamic(text('a query string', queryProblem)),
}

/** The failures of an upstream; others are those of the client and its body. */
const upstreamFailures: Readonly<Record<string, string>> = {
  'service.error.timeout': 'timeout',
  'service.error.bad_gateway': 'failed',
  // an address that may not be connected to
  'wamp.error.not_authorized': 'failed',
  'service.error.internal': 'failed',
}

const classes = ['', '1xx', '2xx', '3xx', '4xx', '5xx']

function outcomeOf({ answer, error }: AttemptEnd): string {
  if (answer) return classes[Math.floor(answer.status_code / 100)] ?? 'failed'
  return upstreamFailures[error?.error_uri ?? ''] ?? 'canceled'
}

/** What an answer of an upstream has. */
const ofAnswer = ['status_code', 'headers', 'body', 'uri']

/** The same origin has one name, however documents write it. */
function originOf(host: string): string | undefined {
  const read = readOrigin(host)
  return 'problem' in read ? undefined : read.text
}

/** A request to an upstream over HTTP, whose answer is passed on. */
export const forward = actionKind({
  type: 'forward',
  shape: {
    keys: {
      ...target,
      hash: dynamic(string),
      group: dynamic(string),
      headers,
      body: anything,
      websocket: dynamic(websocketRule),
      ...attempts,
    },
    either: {
      host: '[scheme://]host[:port] of the upstream',
      upstream: 'the name of an upstream of the realm',
    },
  },
  fields: {
    http_method: 'value',
    host: 'value',
    upstream: 'known',
    hash: 'value',
    group: 'value',
    path: 'path',
    query_string: 'query',
    headers: 'upstream_headers',
    body: 'value',
    strip_prefix: 'strip_prefix',
    websocket: 'known',
  },
  ofInvocations: {
    required: {
      http_method: 'there is no request whose method could be sent',
      path: 'there is no request whose path could be sent',
    },
    refused: { websocket: 'a call opens no WebSocket' },
    fields: { query_string: '', headers: {}, body: '' },
  },
  reaches: {
    by: 'http',
    field: 'host',
    named: {
      field: 'upstream',
      errors: [
        'service.error.no_upstream_target',
        'service.error.no_upstream_token',
        'service.error.upstream_unauthorized',
      ],
    },
    label: 'upstream',
    nameOf: originOf,
    isSent: false,
    isGuarded: true,
    metric: {
      name: 'gateway_upstream_request_duration_seconds',
      help: 'Time from an attempt at a request to the head of its response, by API, version, upstream and outcome: the class of the status, timeout, canceled, failed.',
      outcomeOf,
    },
    importedFrom: undefined,
  },
  check(action, path, report) {
    if (Object.hasOwn(action, 'upstream')) return
    for (const key of ['hash', 'group']) {
      if (Object.hasOwn(action, key))
        report.issue(pointer(path, key), `${key} is of an upstream: a host has one target`)
    }
  },
  passesOn: true,
  socketKey: 'websocket',
  socketTerms: ({ websocket }) => socketTerms(websocket),
  result: ofAnswer,
  error: ofAnswer,
  tokenFields: ['headers'],
})
