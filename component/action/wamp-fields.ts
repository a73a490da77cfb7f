/** The fields of wamp_call and wamp_publish, and the outcome of a failure. */
import { ServiceError } from '#component/errors.ts'
import { isIdempotent } from '#component/request.ts'
import { isMap } from '#component/syntax/values.ts'
import { isReservedUri, isUri, type Match } from '#component/syntax/wamp-uri.ts'
import { failure as localFailure } from '#component/wamp/failure.ts'
import { type Payload, WampError } from '#component/wamp/session.ts'
import { type ActionFields, errorOf, type Outcome, type Run } from './action.ts'
import type { Attempted } from './retry.ts'

/** Errors after which a call was certainly not executed. */
const notExecuted = new Set(['wamp.error.no_eligible_callee', 'wamp.error.no_such_procedure'])

/** Whether the URI is in the list; an entry that ends with a dot stands for all URIs below it. */
const isListed = (uri: string, list: readonly string[]): boolean =>
  list.some((entry) => (entry.endsWith('.') ? uri.startsWith(entry) : uri === entry))

/**
 * The URI in a field. ServiceError: `wamp.error.invalid_uri`; `wamp.error.not_authorized` for a reserved one that the
 * request has named.
 * @param allowed reserved URIs that requests may name (`wamp.allowed_dynamic_uris`)
 */
export function readUri(
  fields: ActionFields,
  name: 'procedure' | 'topic',
  run: Pick<Run, 'computed'>,
  allowed: readonly string[],
  match: Match = 'exact',
): string {
  const uri = fields[name]
  if (typeof uri !== 'string' || !isUri(uri, match)) {
    throw new ServiceError('wamp.error.invalid_uri', `${name}: expected a WAMP URI`)
  }
  if (run.computed.has(name) && isReservedUri(uri)) {
    if (!isListed(uri, allowed)) {
      throw new ServiceError(
        'wamp.error.not_authorized',
        `${name}: a request may not name a URI that begins with wamp. or service.`,
      )
    }
  }
  return uri
}

type Options = Readonly<Record<string, unknown>>

/** Options with `disclose_me` for a logged-in user, unless the document sets it. */
export const disclosed = (options: Options, { identity }: Run): Options =>
  identity.authmethod === 'anonymous' ? options : { disclose_me: true, ...options }

const isNothing = (value: unknown): boolean => value === undefined || value === null || value === ''

/** The fields args and kwargs, or arguments and arguments_kw; absent, null and `""` are empty. */
export function readPayload(fields: ActionFields): Payload {
  const args = fields.args ?? fields.arguments
  const kwargs = fields.kwargs ?? fields.arguments_kw
  if (!isNothing(args) && !Array.isArray(args)) {
    throw new ServiceError('wamp.error.invalid_argument', 'args: expected a list')
  }
  if (!isNothing(kwargs) && !isMap(kwargs)) {
    throw new ServiceError('wamp.error.invalid_argument', 'kwargs: expected a map')
  }
  return {
    args: isNothing(args) ? [] : (args as readonly unknown[]),
    kwargs: isNothing(kwargs) ? {} : (kwargs as Record<string, unknown>),
  }
}

/** Adds the old names of args and kwargs, for look-ups only (behaviour §1). */
export function withAliases<T extends Payload>(map: T): T & Readonly<Record<string, unknown>> {
  // one by one: Object.defineProperties takes twice as long
  Object.defineProperty(map, 'arguments', { value: map.args })
  Object.defineProperty(map, 'arguments_kw', { value: map.kwargs })
  return map as T & Readonly<Record<string, unknown>>
}

/**
 * Whether Crossbar.io could not reach a gateway to authorize the user, because it is gone or none is connected. The rest of
 * the text is a Python error. A callee could return the same error only by copying the text.
 */
const isUnasked = ({ error_uri, args: [text] }: WampError): boolean =>
  error_uri === 'wamp.error.authorization_failed' &&
  typeof text === 'string' &&
  text.startsWith('failed to authorize session for ')

const notAuthorizedYet = (): WampError =>
  localFailure(
    'wamp.error.net_failure',
    'the router could not check the authorization of the user; nothing was executed',
    false,
  )

/** Errors, of the gateway or the router, that leave open whether a call was executed. */
const maybeExecuted = new Set([
  'service.error.timeout',
  'wamp.error.canceled',
  'wamp.error.net_failure',
  'wamp.error.timeout',
])

/** A failure that the gateway itself makes, as an outcome: a request that is canceled may have been sent. */
export const ownFailure = ({ uri, message: reason }: ServiceError): Outcome => ({
  error: withAliases(errorOf(uri, reason)),
  reason,
  effect: maybeExecuted.has(uri) ? 'unknown' : 'none',
})

/** What is known of a call that has failed; undefined: its callee has answered. */
function effectOf({ error_uri, wasSent, reason }: WampError): Outcome['effect'] {
  if (!wasSent || notExecuted.has(error_uri)) return 'none'
  return reason !== undefined || maybeExecuted.has(error_uri) ? 'unknown' : undefined
}

/**
 * A failure of a WAMP operation as an outcome; other errors are thrown on.
 * Retriable (behaviour §4): it was certainly not executed, or the connection failed and repeating does no harm.
 */
export function failed(failure: unknown, run: Run): Attempted {
  if (failure instanceof ServiceError) {
    // a limit of the gateway is no outcome of the action: the client is told when to come back
    if (failure.uri === 'service.error.unavailable') throw failure
    return { outcome: ownFailure(failure), isRetriable: false }
  }
  if (!(failure instanceof WampError)) throw failure
  const known = isUnasked(failure) ? notAuthorizedYet() : failure
  const { error_uri, args, kwargs, details, reason, wasSent } = known
  const isLost = error_uri === 'wamp.error.net_failure'
  const effect = effectOf(known)
  return {
    outcome: {
      error: withAliases({ error_uri, args, kwargs, details }),
      ...(reason !== undefined && { reason }),
      ...(effect && { effect }),
    },
    isRetriable: notExecuted.has(error_uri) || (isLost && (!wasSent || isIdempotent(run.method))),
  }
}
