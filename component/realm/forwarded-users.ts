/** Judges what users call, publish and hear where the gateway sends it in their names, as the router would judge sessions of theirs. */
import type { Identity } from '#component/identity.ts'
import type { Member } from '#component/router/ports.ts'
import { type TicketPorts, welcomeHolder } from './authenticator.ts'
import type { Policy } from './policy.ts'
import type { Realms } from './realms.ts'

/** Who is judged. */
export type ForwardedUser = Pick<Identity, 'realm_uri' | 'authid' | 'authroles' | 'authmethod'>

/** What may be done for users. */
export type UserAction = 'call' | 'publish' | 'subscribe'

/** What decides. */
interface ForwardedUsersPorts extends Pick<TicketPorts, 'isKnown'> {
  readonly policy: Pick<Policy, 'hasRealm' | 'isAllowed'>
  readonly realms: Pick<Realms, 'realm'>
}

/**
 * The user of a request as a member of its realm, with the roles that a session of the user would get now, if the grants allow the action.
 * Undefined: the user may not join, or may not do this.
 */
export function forwardedMember(
  { policy, realms, isKnown }: ForwardedUsersPorts,
  { realm_uri, authid, authroles, authmethod }: ForwardedUser,
  action: UserAction,
  uri: string,
): Member | undefined {
  const realm = realms.realm(realm_uri)
  if (!realm || !policy.hasRealm(realm_uri)) return undefined
  const found = welcomeHolder(realm, { authid, authroles, authmethod }, { isKnown })
  const member = found && { realm: realm_uri, authid, authroles: found.authroles }
  return member && policy.isAllowed(member, action, uri) ? member : undefined
}
