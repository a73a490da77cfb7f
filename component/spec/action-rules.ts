/** The rules of actions, by type, and of lists of them. */
import { pointer } from '#component/codec/json.ts'
import { methods } from '#component/request.ts'
import { progressKeys, streamKeys } from '#component/spec/streams/stream-rules.ts'
import { checkTopic } from '#component/spec/streams/topic-rule.ts'
import { originProblem } from '#component/syntax/upstream-origin.ts'
import { isMap } from '#component/syntax/values.ts'
import { headers, uri } from './http-rules.ts'
import { attempts } from './inheritable.ts'
import type { ActionType } from './model.ts'
import {
  anything,
  dynamic,
  emptyMap,
  list,
  listOf,
  map,
  oneOf,
  type Rule,
  rule,
  type Shape,
  text,
  variants,
} from './rules.ts'
import { fixedPathProblem, queryProblem, upstreamPathProblem } from './syntax.ts'
import { trace, wampOptions } from './trace-rule.ts'

/** What calls and publications have beside their URI. */
export const wampArguments = {
  options: wampOptions,
  args: dynamic(list),
  arguments: dynamic(list),
  kwargs: dynamic(map),
  arguments_kw: dynamic(map),
  trace,
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
export const target = {
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
    keys: { procedure: uri, ...wampArguments, ...progressKeys },
    required: { procedure: 'the WAMP URI to call' },
  },
  wamp_publish: {
    keys: { topic: uri, ...wampArguments },
    required: { topic: 'the WAMP URI to publish to' },
  },
  wamp_subscribe: {
    keys: { topic: anything, options: wampArguments.options, trace, ...streamKeys, ...attempts },
    required: { topic: 'the WAMP URI to subscribe to, or a pattern with match' },
  },
}

const actionVariants = variants('an action', actions)

/** Enough for what one request may set off; more is a program, which belongs behind the gateway. */
const maxActions = 8

const singleAction: Rule = dynamic(
  rule(actionVariants.schema, (value, path, report) => {
    actionVariants(value, path, report)
    if (!isMap(value)) return
    if (value.type === 'wamp_subscribe') checkTopic(value, path, report)
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
export const action: Rule = rule(
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

/** The action under `options`. */
export const optionsAction = rule({ anyOf: [action.schema, emptyMap] }, (value, path, report) =>
  action(value, path, report),
)
