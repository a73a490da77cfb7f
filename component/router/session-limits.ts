/** Limits the subscriptions and registrations of a session and of a realm. */
import type { Match } from '#component/syntax/wamp-uri.ts'
import type { Session } from './session.ts'
import type { UriIndex } from './uri-index.ts'

/** Limits of a router; a session in this process has none of its own. */
export interface RouterLimits {
  /** Subscriptions, and as many registrations, of one session. */
  readonly perSession: number
  /** Distinct subscriptions, and as many registrations, of one realm. */
  readonly perRealm: number
}

/** As in the configuration. */
export const defaultLimits: RouterLimits = { perSession: 5_000, perRealm: 50_000 }

/** The reason of refusals. */
export const limitExceeded = 'wamp.error.limit_exceeded'

interface Wanted {
  readonly session: Session
  readonly match: Match
  readonly uri: string
  /** The limited kind, which is also the session's member that holds its own. */
  readonly kind: 'subscriptions' | 'registrations'
  readonly index: UriIndex<unknown>
  readonly inRealm: number
}

/** Why a session may not have one subscription or registration more; undefined when it may. */
export function shortageOf(wanted: Wanted, limits: RouterLimits): string | undefined {
  const { index, inRealm, kind, match, session, uri } = wanted
  if (session.transport.peer.isInProcess) return undefined
  if (session[kind].size >= limits.perSession) {
    return `expected at most ${limits.perSession} ${kind} of a session`
  }
  if (index.get(match, uri) !== undefined) return undefined
  if (inRealm >= limits.perRealm) return `expected at most ${limits.perRealm} ${kind} in a realm`
  if (index.hasRoom(match, uri)) return undefined
  return 'too many combinations of wildcards among patterns with this number of components'
}
