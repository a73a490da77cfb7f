/** The tickets that came to this process lately: when, and from where. It is in memory only, and tells of no ticket that has ended. */
import { LRUCache } from 'lru-cache'
import { type Clock, secondsOf } from '#component/clock.ts'
import { atMost } from '#component/limits/at-most.ts'
import type { Bearer, Revocations } from './revocation.ts'
import { bearerOf } from './signed-tokens.ts'
import type { TicketClaims } from './ticket.ts'

/** A ticket that has come. Times are seconds since the epoch. */
export interface SeenTicket {
  readonly id: string
  readonly authid: string
  /** How its user has logged in: `oidcrp` at a provider, `ticket` by `service.ticket.issue`. */
  readonly authmethod: string
  /** The name of the provider in the realm; null where there is none. */
  readonly provider: string | null
  readonly issued_at: number
  readonly expires_at: number
  /** When it came last, and from which IP address. */
  readonly seen_at: number
  readonly address: string
}

/** The dependencies of {@link SeenTickets}. */
export interface SeenTicketPorts {
  readonly clock: Pick<Clock, 'now'>
  readonly revocations: Pick<Revocations, 'isRevoked'>
}

/** What is kept of a ticket. */
interface Seen {
  readonly ticket: Omit<SeenTicket, 'seen_at' | 'address'>
  readonly bearer: Bearer
  /** Milliseconds since the epoch. */
  seenAt: number
  address: string
}

/** Tickets that a process remembers at most: those that came last. */
const maxSeen = 10_000

/** One for each process. */
export class SeenTickets {
  readonly #ports: SeenTicketPorts
  readonly #seen = new LRUCache<string, Seen>(atMost(maxSeen))

  constructor(ports: SeenTicketPorts) {
    this.#ports = ports
  }

  /** Notes that a valid ticket has come. @param address the IP address of the client */
  see(claims: TicketClaims, address: string): void {
    const seenAt = this.#ports.clock.now()
    const known = this.#seen.get(claims.id)
    if (known !== undefined) {
      known.seenAt = seenAt
      known.address = address
      return
    }
    const { id, authid, authmethod, iat: issued_at, exp: expires_at } = claims
    const provider = claims.oidc_provider ?? null
    const ticket = { id, authid, authmethod, provider, issued_at, expires_at }
    this.#seen.set(id, { ticket, bearer: bearerOf(claims), seenAt, address })
  }

  /** Those of a realm that still hold, the last seen first. @param authid absent: of all users */
  list(realm_uri: string, authid?: string): SeenTicket[] {
    const { clock, revocations } = this.#ports
    const now = secondsOf(clock)
    const found: SeenTicket[] = []
    // the last used come first
    for (const { ticket, bearer, seenAt, address } of this.#seen.values()) {
      if (bearer.realm_uri !== realm_uri) continue
      if (authid !== undefined && ticket.authid !== authid) continue
      if (ticket.expires_at <= now || revocations.isRevoked(bearer)) continue
      found.push({ ...ticket, seen_at: Math.floor(seenAt / 1_000), address })
    }
    return found
  }
}
