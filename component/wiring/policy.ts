/** The policy of the router: decides who joins which realm, with a password, a key or a ticket. */

import { ServiceError } from '#component/errors.ts'
import { LoginLog, networkThrottle } from '#component/login-refusal.ts'
import type { TicketPorts } from '#component/realm/authenticator.ts'
import {
  type ForwardedUser,
  forwardedMember,
  type UserAction,
} from '#component/realm/forwarded-users.ts'
import { issuerMethod } from '#component/realm/logins.ts'
import { Policy } from '#component/realm/policy.ts'
import type { Member } from '#component/router/ports.ts'
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

/** A token whose issuer cannot give its keys now is refused like any other; the log tells of the issuer once. */
function unlessAway(error: unknown): undefined {
  if (error instanceof ServiceError && error.uri === 'service.error.unavailable') return undefined
  throw error
}

/** Whether users whom others prove have a name. */
const knownBy =
  ({ accounts, foreignUsers }: Users): NonNullable<TicketPorts['isKnown']> =>
  (realm_uri, authid, authmethod) =>
    (authmethod === issuerMethod ? foreignUsers : accounts).isKnown(realm_uri, authid)

/** Judges what the gateway sends and hears for users, by the realms as they are at each message. */
export function userJudge(context: WiringContext) {
  const { users } = context
  const { realms } = users
  const ports = { policy: openPolicy(context, false), realms, isKnown: knownBy(users) }
  return (user: ForwardedUser, action: UserAction, uri: string): Member | undefined =>
    forwardedMember(ports, user, action, uri)
}

/** Verifies what sessions present as a ticket, besides passwords. */
function ticketPorts(users: Users): TicketPorts {
  const { foreignTokens, foreignUsers, revocations } = users
  const { seenTickets, sessionTickets, tickets, ticketUses } = users
  /** The holder of a ticket of the gateway; undefined unless it is valid. */
  async function holderOf(realm_uri: string, ticket: string, address: string) {
    const claims = await unlessRefused(async () => {
      const verified = await tickets.verify(ticket, realm_uri)
      await ticketUses.use(verified)
      return verified
    })
    if (!claims) return undefined
    seenTickets.see(claims, address)
    const { authid, authroles, authmethod } = claims
    const isRevoked = () => revocations.isRevoked(bearerOf(claims))
    return { authid, authroles, authmethod, isRevoked, expiresAt: claims.exp * 1000 }
  }
  /** The user of an access token of another issuer; undefined unless it is valid and the sources admit the user by it. */
  async function foreignHolderOf(realm_uri: string, text: string, address: string) {
    const token = await unlessRefused(() => foreignTokens.verifyOfAny(text, realm_uri)).catch(
      unlessAway,
    )
    const identity = token && (await unlessRefused(() => foreignUsers.identityOf(token, address)))
    if (!identity) return undefined
    const { authid, authroles, authmethod } = identity
    const isRevoked = () => foreignUsers.isRevoked(token, authid)
    return { authid, authroles, authmethod, isRevoked, expiresAt: token.endsAt }
  }
  return {
    sessionTickets,
    verifyTicket: async (realm_uri, text, address) =>
      (await holderOf(realm_uri, text, address)) ?? foreignHolderOf(realm_uri, text, address),
    verifyCookie(realm_uri, field, address) {
      const ticket = readCookie(field, ticketCookie(realm_uri))
      return ticket === undefined ? undefined : holderOf(realm_uri, ticket, address)
    },
    isKnown: knownBy(users),
  }
}
