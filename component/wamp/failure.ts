/** Failures that are made on this side of the router, in the form that every action.error has. */
import { describeError, type ErrorUri, ServiceError } from '#component/errors.ts'
import { isUri } from '#component/syntax/wamp-uri.ts'
import type { WampMessage } from './link.ts'
import { code } from './messages.ts'
import { WampError } from './session.ts'
import { uris } from './uris.ts'

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
  new WampError(uri, { args: [message], kwargs: body(uri, message), wasSent })

/** The session is not joined: nothing was sent. */
export const notJoined = (): WampError =>
  failure(uris.errors.netFailure, 'there is no session with the router now', false)

/** The session ended while the request was under way. */
export const sessionLost = (): WampError =>
  failure(
    uris.errors.netFailure,
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
      : new ServiceError(uris.errors.internal, 'the procedure failed')
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
export function handled<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined)
  return promise
}

/** A promise that fails so, {@link handled}. */
export const rejected = (error: WampError): Promise<never> => handled(Promise.reject(error))
