/** Decides whether a session may act on a URI: first by the router's own rules, then by the realm's grants. */

import { maxLength } from '#component/router/patterns/uri-index.ts'
import { isLooseUri, type Match } from '#component/syntax/wamp-uri.ts'
import { code } from '#component/wamp/messages.ts'
import { forwardedSender, type Sender } from './message-options.ts'
import type { Options } from './messages.ts'
import type { RealmPolicy, RouterAction } from './ports.ts'
import type { Session } from './session.ts'

/** Why a request is refused. */
export interface Denial {
  readonly uri: string
  readonly message: string
}

const invalidUri: Denial = { uri: 'wamp.error.invalid_uri', message: 'the URI is malformed' }
const tooLong = (match: Match): Denial => ({
  uri: 'wamp.error.invalid_uri',
  message: `the URI has more than ${maxLength[match]} characters`,
})
const reserved: Denial = {
  uri: 'wamp.error.invalid_uri',
  message: 'URIs that begin with "wamp." are the router\'s own',
}
const failed: Denial = {
  uri: 'wamp.error.authorization_failed',
  message: 'the authorization itself failed',
}
const denials = Object.fromEntries(
  ['call', 'cancel', 'publish', 'register', 'subscribe', 'unregister', 'unsubscribe'].map(
    (action) => [
      action,
      {
        uri: 'wamp.error.not_authorized',
        message: `the session may not ${action} this URI with these options`,
      },
    ],
  ),
) as Readonly<Record<RouterAction, Denial>>

/** WAMP: Predefined and reserved URIs. A pattern may cover them, but only the router serves them. */
const isReserved = (uri: string): boolean => uri.startsWith('wamp.') || uri === 'wamp'

const noOptions: Options = {}

/** Judges requests by the realm's policy. */
export class Authorizer {
  readonly #policy: RealmPolicy
  readonly #onError: (error: unknown) => void

  /** @param onError told of a policy that throws; the request is refused then */
  constructor(policy: RealmPolicy, onError: (error: unknown) => void) {
    this.#policy = policy
    this.#onError = onError
  }

  /**
   * Why the session may not; undefined when it may.
   * @param options of the message
   */
  denial(
    session: Session,
    action: RouterAction,
    uri: string,
    options = noOptions,
    match: Match = 'exact',
  ): Denial | undefined {
    if (uri.length > maxLength[match]) return tooLong(match)
    if (!isLooseUri(uri, match)) return invalidUri
    if ((action === 'register' || action === 'publish') && isReserved(uri)) return reserved
    try {
      const isAllowed = this.#policy.isAllowed(session, action, uri, match, options)
      return isAllowed ? undefined : denials[action]
    } catch (error) {
      this.#onError(error)
      return failed
    }
  }

  /** Whether the callee always sees the caller, even of calls that do not disclose it. */
  seesCallers(callee: Session): boolean {
    return this.#policy.seesCallers?.(callee) === true
  }

  /** Who is disclosed as the sender of a message: the session, or whom it names by `forward_for` where it may; why it cannot be told. */
  senderOf(session: Session, options: Options): Sender | Denial {
    if (options.forward_for === undefined || this.#policy.mayForward?.(session) !== true) {
      return session
    }
    return forwardedSender(options)
  }

  /** Whether a caller of the meta procedures may end the session. */
  mayEnd(caller: Session, session: Session): boolean {
    return this.#policy.mayEnd?.(caller, session) !== false
  }

  /** Answers a request that may not be made; false when it may. */
  refuses(
    session: Session,
    action: 'call' | 'publish' | 'register' | 'subscribe' | 'unregister' | 'unsubscribe',
    request: number,
    uri: string,
    options = noOptions,
    match: Match = 'exact',
  ): boolean {
    const denial = this.denial(session, action, uri, options, match)
    if (denial === undefined) return false
    session.refuse(code[action], request, denial.uri, denial.message)
    return true
  }
}
