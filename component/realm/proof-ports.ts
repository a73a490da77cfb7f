/** The dependencies of checking the proofs of peers, beside the realm: tickets, cookies, and limits on guessing. */
import type { Welcome } from '#component/router/ports.ts'
import type { SecretBox } from '#component/secret-box.ts'
import type { SessionTickets } from './session-ticket.ts'

/** The user that a service ticket was issued to: a ticket that WAMP clients join with instead of a password. */
export interface TicketHolder {
  readonly authid: string
  readonly authroles: readonly string[]
  /** How the holder had logged in; only `oidcrp` makes a difference. */
  readonly authmethod?: string
  /** Asked as long as the session lives. */
  readonly isRevoked?: () => boolean
  /** When the ticket expires, and the session with it; milliseconds since the epoch. */
  readonly expiresAt?: number
}

/** The tickets and cookies that are accepted beside passwords. */
export interface TicketPorts {
  /** Those of the gateway itself, for sessions of its users. */
  readonly sessionTickets?: Pick<SessionTickets, 'redeem'> | undefined
  /** Verifies a service ticket; undefined for an invalid one. */
  readonly verifyTicket?:
    | ((
        realm_uri: string,
        ticket: string,
      ) => TicketHolder | undefined | Promise<TicketHolder | undefined>)
    | undefined
  /** The same for the ticket cookie of the realm in a Cookie field. */
  readonly verifyCookie?: TicketPorts['verifyTicket']
  /** Whether the name is bound to an account of an identity provider and not disabled; without this port no name is. */
  readonly isKnown?: ((realm_uri: string, authid: string) => boolean) | undefined
}

/** The dependencies of checking proofs, beside the realm. */
export interface ProofPorts extends TicketPorts {
  /** Lets a password be tried, as far as guessing is limited; undefined: wrong, or not tried. */
  readonly guess: (prove: () => Promise<Welcome | undefined>) => Promise<Welcome | undefined>
  readonly secrets: Pick<SecretBox, 'derive' | 'open'>
}
