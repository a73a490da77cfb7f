/** The parts of the router that its realms use, and the limits of a realm. */
import type { Clock } from '#component/clock.ts'
import type { LimitUsage } from '#component/limits/limit-usage.ts'
import type { Quota } from '#component/limits/quota.ts'
import type { YieldTurn } from '#component/yielding.ts'
import type { Authorizer } from './authorize.ts'

/** Limits of a router; a session in this process has none of its own. */
export interface RouterLimits {
  /** Subscriptions, and as many registrations, of one session. */
  readonly perSession: number
  /** Distinct subscriptions, and as many registrations, of one realm. */
  readonly perRealm: number
}

/** As in the configuration. */
export const defaultLimits: RouterLimits = { perSession: 5_000, perRealm: 50_000 }

/** A message of a session of which a part could not be read, or that could not be encoded for a session. */
export interface UnreadableMessage {
  readonly realm: string
  readonly authid: string
  /** The procedure or topic; undefined where it is not known. */
  readonly uri: string | undefined
  /** One lower-case sentence without data. */
  readonly problem: string
}

/** The parts of the router that all realms share. */
export interface RealmPorts {
  readonly clock: Clock
  readonly authorizer: Authorizer
  readonly limits: RouterLimits
  readonly usage: Pick<LimitUsage, 'refuse'>
  /** Bytes for the retained events of all realms; one realm may take at most half of them. */
  readonly retainedBudget: Quota
  /** Most topics that keep an event; the oldest event is dropped first. */
  readonly maxRetained: number
  /** Lets other work run in the middle of long work; absent: long work is done at once. */
  readonly yieldTurn: YieldTurn | undefined
  readonly onUnreadable: (message: UnreadableMessage) => void
  /** Called with events that could not be encoded for a subscriber. */
  readonly onUnsent: (message: UnreadableMessage) => void
  /** Called with failures that no peer has caused. */
  readonly onError: (error: unknown) => void
}
