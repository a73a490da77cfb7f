/** The procedures for tickets, which users call for themselves, and operators to revoke. */
import { secondsOf } from '#component/clock.ts'
import { ServiceError } from '#component/errors.ts'
import { isGranted } from '#component/realm/grants.ts'
import { maxTicketLifetime } from '#component/token/ticket.ts'
import { TokenError } from '#component/token/token-error.ts'
import {
  type Caller,
  type CallingUser,
  type Management,
  type Procedure,
  texts,
} from '#procedures/definition/procedure.ts'

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
function userOf(user: CallingUser | undefined): CallingUser {
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

/** The id of a ticket, a UUID in lower case (RFC 9562 §4). */
const ticketId = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/

/** The `jti` and the expiry of the ticket to revoke. */
async function find(text: string, caller: Caller, { tickets, clock }: Management) {
  const managesAll = caller.access === 'load' && caller.within === undefined
  if (!text.includes('.')) {
    // an id does not tell whose ticket it is
    if (!managesAll) throw refuse('only operators of all realms may revoke a ticket by its id')
    // other text may be a secret, which must not be stored
    if (!ticketId.test(text)) throw new TokenError('expected a ticket or its id (a UUID)')
    return { jti: text, exp: secondsOf(clock) + maxTicketLifetime }
  }
  const { realm_uri, authid } = userOf(caller.user)
  const claims = await tickets.verify(text, realm_uri)
  const isOwn = claims.authid === authid
  const managesRealm = managesAll || (caller.access === 'load' && caller.within === realm_uri)
  if (!isOwn && !managesRealm) throw refuse('the ticket belongs to another user')
  return claims
}

/** Those that are registered on the realms of users, too. */
export const ticketProcedures: readonly Procedure[] = [
  {
    // answers the ticket and its claims: `{ticket, …}`; needs the permission `service.issue` on `service.ticket.scope.<scope>`
    uri: 'service.ticket.issue',
    parameters: [
      { name: 'expiry_time_secs', type: 'integer', isOptional: true },
      { name: 'scope', type: 'string', isOptional: true },
    ],
    access: 'self',
    mirrors: [],
    async handler(management, [expiry_time_secs = maxTicketLifetime, scope = 'local'], caller) {
      if (!isScope(scope)) {
        const message = `scope: expected ${Object.keys(scopes).join(', ')}`
        throw new ServiceError('wamp.error.invalid_argument', message)
      }
      const lifetime = Number(expiry_time_secs)
      if (lifetime < 1 || lifetime > maxTicketLifetime) {
        const message = `expiry_time_secs: found ${lifetime}, expected 1 to ${maxTicketLifetime}`
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
  },
  {
    // answers `{id}`; the one argument is the ticket, or for operators its id
    uri: 'service.ticket.revoke',
    parameters: texts('ticket'),
    access: 'self',
    mirrors: [],
    async handler(management, [ticket], caller) {
      try {
        const { jti, exp } = await find(String(ticket), caller, management)
        await management.revocations.revokeToken(jti, exp)
        return { value: { id: jti } }
      } catch (cause) {
        if (!(cause instanceof TokenError)) throw cause
        throw new ServiceError('wamp.error.invalid_argument', `ticket: ${cause.reason}`, { cause })
      }
    },
  },
]
