/** `service.ticket.issue`: issues a ticket to the calling user, which joins its realm with it. */
import { secondsOf } from '#component/clock.ts'
import { ServiceError } from '#component/errors.ts'
import { isGranted } from '#component/realm/grants.ts'
import type { CallingUser, Management, Procedure } from '#procedures/definition/procedure.ts'

/** The longest lifetime of a ticket; seconds. */
export const longestTicket = 2_592_000

/** The scopes of tickets, with the claims of each. A ticket is accepted in the realm of its user only. */
const scopes = {
  local: (realm: string) => ({ realm, client_id: 'all', device_id: 'all' }),
  sso: () => ({ realm: 'all', client_id: 'all', device_id: 'all' }),
  client_sso: (_realm: string, client_id: string) => ({
    realm: 'all',
    client_id,
    device_id: 'all',
  }),
}

const isScope = (text: unknown): text is keyof typeof scopes =>
  typeof text === 'string' && Object.hasOwn(scopes, text)

const refuse = (message: string) => new ServiceError('wamp.error.not_authorized', message)

/** The user of a call. @throws ServiceError `wamp.error.not_authorized` */
export function userOf(user: CallingUser | undefined): CallingUser {
  if (user) return user
  throw refuse('a ticket needs a known user: disclose the caller (disclose_me) or send credentials')
}

/** The roles that the user has by these credentials. @throws ServiceError `wamp.error.not_authorized` */
function rolesOf(
  { realm_uri, authid, roles }: CallingUser,
  { logins }: Pick<Management, 'logins'>,
) {
  const login = logins.user(realm_uri, authid)
  if (!login) throw refuse('only users of the realm get tickets')
  return roles?.filter((role) => login.roles.includes(role)) ?? login.roles
}

/** Answers the ticket and its claims: `{ticket, …}`. Needs the permission `service.issue` on `service.ticket.scope.<scope>`. */
export const issueTicket: Procedure = {
  uri: 'service.ticket.issue',
  parameters: [
    { name: 'expiry_time_secs', type: 'integer', isOptional: true },
    { name: 'scope', type: 'string', isOptional: true },
  ],
  access: 'self',
  mirrors: [],
  async handler(management, [expiry_time_secs = longestTicket, scope = 'local'], caller) {
    if (!isScope(scope)) {
      const message = `scope: expected ${Object.keys(scopes).join(', ')}`
      throw new ServiceError('wamp.error.invalid_argument', message)
    }
    const lifetime = Number(expiry_time_secs)
    if (lifetime < 1 || lifetime > longestTicket) {
      const message = `expiry_time_secs: found ${lifetime}, expected 1 to ${longestTicket}`
      throw new ServiceError('wamp.error.invalid_argument', message)
    }
    const user = userOf(caller.user)
    const { realm_uri, authid, expires_at = Number.POSITIVE_INFINITY } = user
    const left = expires_at - secondsOf(management.clock)
    const roles = rolesOf(user, management)
    const realm = management.realms.realm(realm_uri)
    const wanted = `service.ticket.scope.${scope}`
    const asked = [[authid, ...roles], 'service.issue', wanted, 'exact'] as const
    if (!realm?.isUnrestricted && !isGranted(realm?.grants ?? [], ...asked)) {
      throw refuse(`this requires the permission service.issue on ${wanted}`)
    }
    const { ticket, claims } = await management.tickets.issue(realm_uri, {
      iss: management.issuer(),
      authid,
      authmethod: 'ticket',
      authroles: roles,
      scope: scopes[scope](realm_uri, authid),
      // the ticket must not outlive the token that it was issued for
      lifetime: Math.min(lifetime, left),
    })
    return { value: { ticket, ...claims } }
  },
}
