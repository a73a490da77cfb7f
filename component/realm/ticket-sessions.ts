/** Sessions that tickets have opened on an external router, which does not know when a ticket ends: the gateway ends them. */
import { type Clock, callAt } from '#component/clock.ts'

/** A session that was let in by a ticket. */
export interface TicketSession {
  readonly realm_uri: string
  /** Its WAMP session id. */
  readonly session: number
  /** When the ticket expires; milliseconds since the epoch. */
  readonly expiresAt: number
  readonly isRevoked?: () => boolean
}

/** The dependencies of {@link TicketSessions}. */
export interface TicketSessionsPorts {
  readonly clock: Pick<Clock, 'now' | 'after'>
  /** Ends a session, which may have left by then. */
  readonly end: (session: TicketSession) => void
}

/** Sessions that are remembered at most, since the router does not report those that leave. A forgotten session stays open, but the authorizer refuses its actions. */
const mostSessions = 10_000

/** Those that this gateway has let in. */
export class TicketSessions {
  readonly #ports: TicketSessionsPorts
  /** Each with what stops its timer; oldest first. */
  readonly #timers = new Map<TicketSession, () => void>()

  constructor(ports: TicketSessionsPorts) {
    this.#ports = ports
  }

  /** Ends the session when its ticket expires. */
  add(session: TicketSession): void {
    const [oldest] = this.#timers.keys()
    if (oldest && this.#timers.size >= mostSessions) this.#forget(oldest)
    const stop = callAt(this.#ports.clock, session.expiresAt, () => this.#end(session))
    this.#timers.set(session, stop)
  }

  /** Ends those whose tickets were revoked. */
  endRevoked(): void {
    for (const session of [...this.#timers.keys()]) if (session.isRevoked?.()) this.#end(session)
  }

  /** Ends nothing any more. */
  close(): void {
    for (const session of [...this.#timers.keys()]) this.#forget(session)
  }

  #end(session: TicketSession): void {
    this.#forget(session)
    this.#ports.end(session)
  }

  #forget(session: TicketSession): void {
    this.#timers.get(session)?.()
    this.#timers.delete(session)
  }
}
