/** Failures that the gateway makes itself, in the form of every action.error. */
import { describeError, type ErrorUri, ServiceError } from '#component/errors.ts'
import { isUri } from '#component/syntax/wamp-uri.ts'
import type { WampMessage } from './link.ts'
import { code } from './messages.ts'
import { WampError } from './session.ts'

const body = (uri: ErrorUri, message: string) => ({
  code: uri,
  message,
  description: describeError(uri),
})

/**
 * A WampError of our own making: args `[message]`, kwargs `{code, message, description}`.
 * @param wasSent false only when the message certainly never left this process
 */
export const failure = (uri: ErrorUri, message: string, wasSent: boolean): WampError =>
  new WampError(uri, { args: [message], kwargs: body(uri, message), wasSent, reason: message })

/** The session is not joined: nothing was sent. */
export const notJoined = (): WampError =>
  failure('wamp.error.net_failure', 'the session with the router is not joined', false)

/** The session was left: it does not join again. */
export const sessionLeft = (): WampError =>
  failure('wamp.error.net_failure', 'the session with the router was left', false)

/** The router does not announce Progressive Call Invocations: it would end the session over a second piece. */
export const noPieces = (): WampError =>
  failure(
    'wamp.error.feature_not_supported',
    'the router does not take calls in pieces (progressive call invocations)',
    false,
  )

/** No URI that every router can read. */
export const refuseUri = (): WampError =>
  failure('wamp.error.invalid_uri', 'the text is not a WAMP URI (components joined by dots)', false)

/** The router has closed the session over the message, which no callee has seen. */
export const refusedAsTooLarge = (bytes: number): WampError =>
  failure(
    'wamp.error.payload_size_exceeded',
    `the message of ${bytes} bytes is larger than the router takes`,
    true,
  )

/** The session ended while the request was under way. */
export const sessionLost = (): WampError =>
  failure(
    'wamp.error.net_failure',
    'the session with the router was lost; the request may have been executed',
    true,
  )

/** The ERROR that answers an invocation whose handler threw. Unknown errors show nothing of themselves. */
export function invocationError(request: unknown, error: unknown): WampMessage {
  if (error instanceof WampError && isUri(error.error_uri)) {
    const { details, error_uri, args, kwargs } = error
    return [code.error, code.invocation, request, details, error_uri, args, kwargs]
  }
  const known =
    error instanceof ServiceError
      ? error
      : new ServiceError('service.error.internal', 'the procedure failed')
  return [
    code.error,
    code.invocation,
    request,
    {},
    known.uri,
    [known.message],
    { ...known.toJSON() },
  ]
}

/** A promise whose rejection need not be caught. */
function handled<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined)
  return promise
}

/** A rejected promise that is {@link handled}. */
export const rejected = (error: WampError): Promise<never> => handled(Promise.reject(error))

/** Whether the reason of a failed join is the router's refusal of the realm or the user; any other reason says nothing about them. */
export const isRefusal = (reason: string): boolean => reason.startsWith('wamp.error.')

/** Whether a session is not worth waiting for: the router refuses it, or is away. After an orderly end it joins again first. */
export const isFinal = (reason: string): boolean =>
  reason !== '' && !reason.startsWith('wamp.close.')

/** Reasons by which a router refuses a login. */
export const loginRefusals: ReadonlySet<string> = new Set([
  'wamp.error.authentication_denied',
  'wamp.error.authentication_failed',
  'wamp.error.no_such_principal',
  'wamp.error.no_such_role',
  'wamp.error.not_authorized',
])

/** Reasons by which a router refuses an authmethod, WAMP's and Crossbar.io's. The gateway joins as a user by tickets alone. */
export const methodRefusals: ReadonlySet<string> = new Set([
  'wamp.error.no_matching_auth_method',
  'wamp.error.no_auth_method',
])

/** Why a user's session could not be joined, as the failure of a request. */
export function notJoinedAs(reason: string): WampError {
  if (methodRefusals.has(reason)) {
    const message = 'the router does not accept tickets, so the gateway cannot join as the user'
    return failure('wamp.error.authorization_failed', message, false)
  }
  if (loginRefusals.has(reason)) {
    return failure('wamp.error.not_authorized', 'the router does not let the user join', false)
  }
  if (reason === 'wamp.error.no_such_realm') {
    return failure(reason, 'the router does not let users join the realm', false)
  }
  return failure('wamp.error.net_failure', 'the session of the user could not be joined', false)
}

/** Why the session over which the gateway forwards what users send could not be joined, as the failure of a request. */
export function notJoinedToForward(reason: string): WampError {
  if (!isRefusal(reason)) return notJoined()
  if (reason === 'wamp.error.no_such_realm') return notJoinedAs(reason)
  const message = 'the router does not let the gateway join the realm by wamp.auth'
  return failure('wamp.error.authorization_failed', message, false)
}
