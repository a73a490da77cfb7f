/** The record of a session's joins and ends, which tells operators what is wrong with its router. */
import { describeError, isErrorUri } from '#component/errors.ts'
import { memberOf } from '#component/syntax/values.ts'
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

function errorOf({ reason, message }: Ending, at: number): SessionError {
  // a sentence has blanks, a URI has none
  const isSentence = reason.includes(' ')
  const said = isErrorUri(reason) ? describeError(reason) : 'the router has ended the session'
  return {
    at,
    error_uri: isSentence ? 'wamp.error.net_failure' : oneLine(reason),
    message: oneLine(isSentence ? reason : (message ?? said)),
  }
}

const login = 'check the authmethod, authid and secret of wamp.auth, or of the realm in wamp.realms'
const method =
  'let the router offer the authmethod on this realm, or choose another one in wamp.auth'
const realm = 'declare the realm on the router, or correct its name in wamp.realm'
const address = 'check wamp.url, and that the router listens there'

/** The reasons of routers, and what an operator can do about them. */
const hints: ReadonlyMap<string, string> = new Map([
  ['wamp.error.authentication_failed', login],
  ['wamp.error.authentication_denied', login],
  ['wamp.error.not_authorized', login],
  ['wamp.error.no_such_principal', login],
  ['wamp.error.no_such_role', login],
  ['wamp.error.no_matching_auth_method', method],
  ['wamp.error.no_auth_method', method],
  ['wamp.error.no_such_realm', realm],
])

/** The address of a router without credentials and query. */
function plainUrl(text: string): string {
  const { protocol, host, pathname } = new URL(text)
  return `${protocol}//${host}${pathname}`
}

/** The members of the log line about a session that cannot join or has ended: the realm, the reason, and for a router elsewhere also its address, the login and a hint. */
export function lostSession(
  { realm_uri, url, auth }: Pick<SessionOptions, 'realm_uri' | 'url' | 'auth'>,
  reason: string,
): object {
  const line = { realm: realm_uri, reason }
  if (url === undefined) return line
  const { authmethod, authid } = auth
  // the router gives URIs, the network sentences
  const hint = hints.get(reason) ?? (reason.includes(' ') ? address : undefined)
  return { ...line, router: plainUrl(url), authmethod, authid, hint }
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
