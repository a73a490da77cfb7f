/** The policy of the router: decides who joins which realm, with a password, a key or a ticket. */

import { LoginLog, networkThrottle } from '#component/login-refusal.ts'
import type { TicketPorts } from '#component/realm/authenticator.ts'
import { Policy } from '#component/realm/policy.ts'
import { bearerOf } from '#component/token/signed-tokens.ts'
import { readCookie, ticketCookie } from '#component/token/ticket-cookie.ts'
import { unlessRefused } from '#component/token/token-error.ts'
import type { WiringContext } from './context.ts'
import type { Users } from './users.ts'

/** @param admitsStrangers whether clients on this machine may join the component's realm without credentials */
export const openPolicy = (
  { config, users, attempts, clock, box, log, logins }: WiringContext,
  admitsStrangers: boolean,
): Policy =>
  new Policy({
    ...{ clock, attempts, secrets: box, realms: users.realms, tickets: ticketPorts(users) },
    log: new LoginLog(log, networkThrottle(clock, log), logins),
    logins,
    componentRealm: config.wamp.realm,
    admitsStrangers: () => admitsStrangers,
  })

/** Verifies what sessions present as a ticket, besides passwords. */
function ticketPorts({ accounts, revocations, sessionTickets, tickets }: Users): TicketPorts {
  /** The holder of a ticket; undefined unless it is valid. */
  async function verifyTicket(realm_uri: string, ticket: string) {
    const claims = await unlessRefused(() => tickets.verify(ticket, realm_uri))
    if (!claims) return undefined
    const { authid, authroles, authmethod } = claims
    const isRevoked = () => revocations.isRevoked(bearerOf(claims))
    return { authid, authroles, authmethod, isRevoked, expiresAt: claims.exp * 1000 }
  }
  return {
    ...{ sessionTickets, verifyTicket },
    verifyCookie(realm_uri, field) {
      const ticket = readCookie(field, ticketCookie(realm_uri))
      return ticket === undefined ? undefined : verifyTicket(realm_uri, ticket)
    },
    isKnown: (realm_uri, authid) => accounts.isKnown(realm_uri, authid),
  }
}
