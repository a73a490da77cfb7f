/** Tickets that end when they are not used for a while: when they were used last, by this process, by others, and by what they say. */
import { LRUCache } from 'lru-cache'
import { secondsOf } from '#component/clock.ts'
import { atMost } from '#component/limits/at-most.ts'
import type { TicketUseStore } from '#component/store/ticket-use-store.ts'
import type { TicketClaims } from './ticket.ts'
import { TokenError } from './token-error.ts'
import { type UseNotePorts, UseNotes } from './use-notes.ts'

/** The dependencies of {@link TicketUses}. */
export interface TicketUsePorts extends UseNotePorts {
  readonly store: Pick<TicketUseStore, 'note' | 'lastUse'>
}

/** A ticket, as far as this process knows it. Seconds since the epoch. */
interface Known {
  usedAt: number
  /** The use that the store was told of last. */
  notedAt: number
}

/** Tickets that a process remembers at most; of others it asks the store. */
const maxKnown = 100_000

/** Between two uses of a ticket that the store is told of. Seconds. */
const noteInterval = 60

/** The last use that a ticket itself tells: a browser is given a new one from time to time. */
const toldBy = ({ oidc_used_at, iat }: TicketClaims): number => oidc_used_at ?? iat

/** One for each process. */
export class TicketUses {
  readonly #ports: TicketUsePorts
  readonly #known = new LRUCache<string, Known>(atMost(maxKnown))
  readonly #notes: UseNotes

  constructor(ports: TicketUsePorts) {
    this.#ports = ports
    this.#notes = new UseNotes(ports, 'the use of tickets could not be kept in the store')
  }

  /**
   * Notes that a ticket is used now; at once where it says or the process knows that it was used lately. Without `oidc_idle` it does
   * nothing.
   * @throws TokenError, at once or as a rejection, when nobody has used it for too long; ServiceError `service.error.unavailable`
   *   when only the store could tell
   */
  use(claims: TicketClaims): void | Promise<void> {
    const { id, oidc_idle: idle } = claims
    if (idle === undefined) return
    const now = secondsOf(this.#ports.clock)
    const lastUse = Math.max(toldBy(claims), this.#known.get(id)?.usedAt ?? 0)
    if (now - lastUse >= idle) return this.#ask(claims, idle, now)
    this.#note(claims, now)
  }

  /** Whether a browser is to be given the ticket with a newer time: a tenth of the time that it may be idle has passed. */
  isToSlide(claims: TicketClaims): boolean {
    return (
      secondsOf(this.#ports.clock) - toldBy(claims) >=
      (claims.oidc_idle ?? Number.POSITIVE_INFINITY) / 10
    )
  }

  /** The ticket as used now. */
  slid(claims: TicketClaims): TicketClaims {
    return { ...claims, oidc_used_at: secondsOf(this.#ports.clock) }
  }

  /** Another process may know of a later use. */
  async #ask(claims: TicketClaims, idle: number, now: number): Promise<void> {
    const lastUse = await this.#ports.store.lastUse(claims.id)
    if (lastUse === undefined || now - lastUse >= idle) {
      throw new TokenError('the ticket was not used for too long')
    }
    this.#note(claims, now)
  }

  #note({ id, exp }: TicketClaims, now: number): void {
    const known = this.#known.get(id) ?? { usedAt: now, notedAt: 0 }
    this.#known.set(id, known)
    known.usedAt = now
    if (now - known.notedAt < noteInterval) return
    known.notedAt = now
    this.#notes.note(id, now, exp)
  }
}
