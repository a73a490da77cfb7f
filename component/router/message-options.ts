/** CALL.Options and PUBLISH.Options: the timeout of a call and the details of its invocation, the recipients and details of an event. */
import { isMap } from '#component/syntax/values.ts'
import { addTraceDetails } from '#component/telemetry/wamp-context.ts'
import { code } from '#component/wamp/messages.ts'
import type { Denial } from './authorize.ts'
import { isId, type Options } from './messages.ts'
import type { Session } from './session.ts'

/** HELLO.Details.authmethods, those that are text; `anonymous` where there is no list, or an empty one: autobahn-cpp sends such. */
export function offeredMethods({ authmethods }: Options): readonly string[] {
  if (!Array.isArray(authmethods)) return (authmethods ?? null) === null ? ['anonymous'] : []
  if (authmethods.length === 0) return ['anonymous']
  return authmethods.filter((method) => typeof method === 'string')
}

/** In options an id beyond 2^53 - 1 is read as BigInt. */
const isSessionId = (value: unknown): boolean => value === 2n ** 53n || isId(value)

const isListOfTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string')

const isBoolean = (value: unknown): boolean => typeof value === 'boolean'

/** What an option may be, in words and as a test. */
const kinds = {
  flag: ['true or false', isBoolean],
  text: ['a text', (value: unknown) => typeof value === 'string'],
  ids: ['a list of ids', (value: unknown) => Array.isArray(value) && value.every(isSessionId)],
  texts: ['a list of texts', isListOfTexts],
} as const

type Kind = keyof typeof kinds

/** The options that have a type, by message code; `timeout`, `match`, `invoke` and `mode` are judged where they are used. */
const optionKinds: Readonly<Record<number, ReadonlyMap<string, Kind>>> = {
  [code.call]: new Map<string, Kind>([
    ['disclose_me', 'flag'],
    ['progress', 'flag'],
    ['receive_progress', 'flag'],
  ]),
  [code.yield]: new Map([['progress', 'flag']]),
  [code.register]: new Map([['forward_timeout', 'flag']]),
  [code.subscribe]: new Map([['get_retained', 'flag']]),
  [code.publish]: new Map<string, Kind>([
    ['acknowledge', 'flag'],
    ['disclose_me', 'flag'],
    ['exclude_me', 'flag'],
    ['retain', 'flag'],
    ['transaction_hash', 'text'],
    ['exclude', 'ids'],
    ['eligible', 'ids'],
    ...['exclude_authid', 'exclude_authrole', 'eligible_authid', 'eligible_authrole'].map(
      (name) => [name, 'texts'] as const,
    ),
  ]),
}

/** The first option of a message that is of the wrong type; `null` is none. */
export function describeOption(type: number, options: Options): string | undefined {
  const known = optionKinds[type]
  if (known === undefined) return undefined
  for (const name in options) {
    const kind = known.get(name)
    const value = options[name]
    if (kind === undefined || value === null || value === undefined) continue
    const [words, fits] = kinds[kind]
    if (!fits(value)) return `the option ${name} is not ${words}`
  }
  return undefined
}

/** The longest that a timer of Node can wait, in milliseconds. */
export const maxTimeoutMs = 2 ** 31 - 1

/** WAMP: Call Timeouts. Milliseconds, 0 for none; undefined when the option is no such number. */
export function timeoutOf(options: Options): number | undefined {
  const timeout = options.timeout ?? 0
  return typeof timeout === 'number' && timeout >= 0 && timeout <= maxTimeoutMs
    ? timeout
    : undefined
}

/** The caller or publisher that is disclosed. */
export type Sender = Pick<Session, 'id' | 'authid' | 'authrole' | 'authroles'>

const notForwarded: Denial = {
  uri: 'wamp.error.option_not_allowed',
  message: 'forward_for is not a list that begins with {session, authid, authrole}',
}

/** The user that a session passes a message on for: the first in `forward_for`; all its roles, where `authroles` has them. */
export function forwardedSender({ forward_for }: Options): Sender | Denial {
  const first: unknown = Array.isArray(forward_for) ? forward_for[0] : undefined
  if (!isMap(first)) return notForwarded
  const { session: id, authid, authrole, authroles = [authrole] } = first
  if (typeof id !== 'number' || typeof authid !== 'string') return notForwarded
  if (typeof authrole !== 'string' || !isListOfTexts(authroles)) return notForwarded
  return { id, authid, authrole, authroles }
}

/** The properties of the callee and its registration that INVOCATION.Details depend on. */
interface CalleeNeeds {
  /** The name that was called, where the callee has registered a pattern. */
  readonly procedure: string | undefined
  /** The callee always sees the caller, with all its roles: `_caller_authroles`. */
  readonly isSeen: boolean
  /** The callee ends calls after their timeout itself. */
  readonly timesItself: boolean
  /** The callee is to send progressive results. */
  readonly isProgressive: boolean
  /** Further invocations of the same request follow. */
  readonly hasMore: boolean
}

/** INVOCATION.Details. WAMP: Caller Identification, Pattern-based Registrations, Progressive Call Results, Progressive Call Invocations, Call Timeouts; the trace context of the call. */
export function invocationDetails(
  caller: Sender,
  options: Options,
  { procedure, isSeen, timesItself, isProgressive, hasMore }: CalleeNeeds,
): Options {
  const details: Record<string, unknown> = {}
  if (procedure !== undefined) details.procedure = procedure
  if (isProgressive) details.receive_progress = true
  if (hasMore) details.progress = true
  if (timesItself && typeof options.timeout === 'number') details.timeout = options.timeout
  if (options.disclose_me === true || isSeen) {
    details.caller = caller.id
    details.caller_authid = caller.authid
    details.caller_authrole = caller.authrole
  }
  if (isSeen) details._caller_authroles = caller.authroles
  // of gateways: how many procedures of documents the call has gone through
  if (typeof options._hops === 'number') details._hops = options._hops
  addTraceDetails(details, options)
  return details
}

/** WAMP: Publisher Identification. */
export function publisherDetails(publisher: Sender, options: Options): Options {
  if (options.disclose_me !== true) return {}
  return {
    publisher: publisher.id,
    publisher_authid: publisher.authid,
    publisher_authrole: publisher.authrole,
  }
}

/** EVENT.Details for subscribers of now: the trace context of the publication is not kept with a retained event. */
export function liveDetails(kept: Options, options: Options): Options {
  if (options._traceparent === undefined) return kept
  const details = { ...kept }
  addTraceDetails(details, options)
  return details
}

/** A test for subscribers. */
export type Recipients = (session: Session) => boolean

/** By suffix of `exclude` and `eligible`. */
const attributes: readonly (readonly [
  suffix: string,
  has: (session: Session, values: ReadonlySet<unknown>) => boolean,
])[] = [
  ['', (session, values) => values.has(session.id)],
  ['_authid', (session, values) => values.has(session.authid)],
  ['_authrole', (session, values) => session.authroles.some((role) => values.has(role))],
]

const everybody: Recipients = () => true

/** WAMP: Subscriber Black- and Whitelisting. */
export function recipientsOf(options: Options): Recipients {
  const tests: Recipients[] = []
  for (const [suffix, has] of attributes) {
    for (const kind of ['exclude', 'eligible'] as const) {
      const list = options[kind + suffix]
      if (!Array.isArray(list)) continue
      const values = new Set<unknown>(list)
      tests.push((session) => has(session, values) === (kind === 'eligible'))
    }
  }
  if (tests.length === 0) return everybody
  return (session) => tests.every((test) => test(session))
}
