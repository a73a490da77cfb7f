/** Why a session has not joined: which reasons are the router's word, and what a request is told. */
import { failure } from './failure.ts'
import { uris } from './uris.ts'

/** Reasons that are the router's word about the realm; anything else says nothing about it. */
export const saysNo = (reason: string): boolean => reason.startsWith('wamp.error.')

/** Nothing to wait for: the router refuses, or is away. A session that the router has ended in order is joined anew first. */
export const isFinal = (reason: string): boolean =>
  reason !== '' && !reason.startsWith('wamp.close.')

/** The router's word that the user may not join, whatever else may be wrong. */
const refusals: ReadonlySet<string> = new Set([
  'wamp.error.authentication_denied',
  'wamp.error.authentication_failed',
  'wamp.error.no_such_principal',
  'wamp.error.no_such_role',
  'wamp.error.not_authorized',
])

/** The router knows nothing of tickets, by which alone the gateway joins as a user: WAMP's name for that, and Crossbar.io's. */
const withoutTickets: ReadonlySet<string> = new Set([
  'wamp.error.no_matching_auth_method',
  'wamp.error.no_auth_method',
])

/** Why a user's session could not be joined, as the failure of a request. */
export function notJoinedAs(reason: string): Error {
  if (withoutTickets.has(reason)) {
    const message = 'the router takes no tickets: the gateway cannot join it as the user'
    return failure(uris.errors.authorizationFailed, message, false)
  }
  if (refusals.has(reason)) {
    return failure(uris.errors.notAuthorized, 'the router does not let the user join', false)
  }
  if (reason === uris.errors.noSuchRealm) {
    return failure(reason, 'the router does not let users join the realm', false)
  }
  return failure(uris.errors.netFailure, 'the session of the user could not be joined', false)
}
