/** `service.ticket.revoke`: ends a ticket. */
import { secondsOf } from '#component/clock.ts'
import { ServiceError } from '#component/errors.ts'
import { TokenError } from '#component/token/token-error.ts'
import type { Caller, Management, Procedure } from '#procedures/definition/procedure.ts'
import { longestTicket, userOf } from './issue-ticket.ts'

const refuse = (message: string) => new ServiceError('wamp.error.not_authorized', message)

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
    return { jti: text, exp: secondsOf(clock) + longestTicket }
  }
  const { realm_uri, authid } = userOf(caller.user)
  const claims = await tickets.verify(text, realm_uri)
  const isOwn = claims.authid === authid
  const managesRealm = managesAll || (caller.access === 'load' && caller.within === realm_uri)
  if (!isOwn && !managesRealm) throw refuse('the ticket belongs to another user')
  return claims
}

/** Answers `{id}`. The one argument is the ticket, or for operators its id. */
export const revokeTicket: Procedure = {
  uri: 'service.ticket.revoke',
  parameters: [{ name: 'ticket', type: 'string' }],
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
}
