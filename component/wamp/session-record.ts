/** The record of a session's joins and ends, which tells operators what is wrong with its router. */
import { describeError, isErrorUri } from '#component/errors.ts'
import { memberOf } from '#component/syntax/values.ts'
import { suspended } from '#component/wamp/channel/link-check.ts'
import { shownRouterUrl } from '#component/wamp/routers/router-url.ts'
import { loginRefusals, methodRefusals } from './failure.ts'
import type { WampMessage } from './link.ts'
import type { SessionOptions } from './session-options.ts'

/** The end of a connection. */
export interface Ending {
  /** A URI of the router, or a sentence of this side. */
  readonly reason: string
  /** What the router says beside its URI. */
  readonly message?: string
}

/** Why a session could not join, or ended. */
export interface SessionError {
  /** Milliseconds since the epoch. */
  readonly at: number
  /** The URI of the router; `wamp.error.net_failure` where no router has answered. */
  readonly error_uri: string
  /** One sentence, without secrets. */
  readonly message: string
}

/** The ending that an ABORT or a GOODBYE of the router is. */
export function endingOf(message: WampMessage): Ending {
  const text = memberOf(message[1], 'message')
  return { reason: String(message[2]), ...(typeof text === 'string' && { message: text }) }
}

/** As many characters of a router's text are told. */
const mostCharacters = 200

/** A text without line breaks and other control characters, cut where it is long. */
const oneLine = (text: string): string => text.replaceAll(/\p{Cc}+/gu, ' ').slice(0, mostCharacters)

/** Whether a reason is a sentence of this side: it has blanks, a URI of the router has none. */
const isSentence = (reason: string): boolean => reason.includes(' ')

function errorOf({ reason, message }: Ending, at: number): SessionError {
  const isOfNetwork = isSentence(reason)
  const said = isErrorUri(reason) ? describeError(reason) : 'the router has ended the session'
  return {
    at,
    error_uri: isOfNetwork ? 'wamp.error.net_failure' : oneLine(reason),
    message: oneLine(isOfNetwork ? reason : (message ?? said)),
  }
}

/** What an operator can do about the reason: a URI of the router, or a sentence about the network. */
function hintFor(reason: string): string | undefined {
  if (loginRefusals.has(reason)) {
    return 'check the authmethod, authid and secret of wamp.auth, or of the realm in wamp.realms'
  }
  if (methodRefusals.has(reason)) {
    return 'let the router offer the authmethod on this realm, or choose another one in wamp.auth'
  }
  if (reason === 'wamp.error.no_such_realm') {
    return 'declare the realm on the router, or correct its name in wamp.realm'
  }
  return isSentence(reason) ? 'check wamp.url, and that the router listens there' : undefined
}

/** Whether an ending says that the router is not there, or is about to go. */
export const isRouterLost = ({ reason }: Ending): boolean =>
  (isSentence(reason) && reason !== suspended) || reason === 'wamp.close.system_shutdown'

/** The members of a log line that name a router elsewhere. */
export const routerMember = (url: string | undefined) =>
  url === undefined ? {} : { router: shownRouterUrl(url) }

/** The members of the log line about a session that cannot join or has ended: the realm, the reason, and for a router elsewhere also its address, the login and a hint. */
export function lostSession(
  { realm_uri, auth }: Pick<SessionOptions, 'realm_uri' | 'auth'>,
  url: string | undefined,
  reason: string,
): object {
  const line = { realm: realm_uri, reason }
  if (url === undefined) return line
  const { authmethod, authid } = auth
  return { ...line, ...routerMember(url), authmethod, authid, hint: hintFor(reason) }
}

/** What happened to one session since it was opened. */
export class SessionRecord {
  #joins = 0
  #lastReason = ''
  #lastError: SessionError | undefined

  /** Counts a join. */
  joined(): void {
    this.#joins += 1
  }

  /** Keeps the end of a connection, whether it had joined or not. @param at milliseconds since the epoch */
  ended(ending: Ending, at: number): void {
    this.#lastReason = ending.reason
    this.#lastError = errorOf(ending, at)
  }

  /** Whether the session has ever joined. */
  get hasJoined(): boolean {
    return this.#joins > 0
  }

  /** How often the session has joined again after its first join. */
  get reconnects(): number {
    return Math.max(0, this.#joins - 1)
  }

  /** The reason of the last end; empty before the first. */
  get lastReason(): string {
    return this.#lastReason
  }

  /** The last end as an error, which stays after the next join; undefined before the first. */
  get lastError(): SessionError | undefined {
    return this.#lastError
  }
}
