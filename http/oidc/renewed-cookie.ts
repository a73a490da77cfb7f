/** A ticket cookie in place of another one, after the provider has told other roles or claims of the user. */
import { type Clock, secondsOf } from '#component/clock.ts'
import type { Log } from '#component/log.ts'
import { fitsCookie } from '#component/oidc/provider-tickets.ts'
import type { OidcPorts } from '#component/security/oidc/authenticate.ts'
import type { Tickets } from '#component/token/ticket.ts'
import { unlessRefused } from '#component/token/token-error.ts'
import { ticketCookieOf } from './cookies.ts'

/** Dependencies of the renewal. */
export interface RenewalPorts {
  readonly tickets: Pick<Tickets, 'renew'>
  readonly clock: Pick<Clock, 'now'>
  readonly log: Pick<Log, 'warn'>
}

/** Makes the fields; a browser whose new ticket does not fit keeps the old one, which counts with the new roles all the same. */
export const cookieRenewal =
  ({ tickets, clock, log }: RenewalPorts): NonNullable<OidcPorts['renewedCookie']> =>
  async (claims, settings, host) => {
    const { aud: realm_uri, exp } = claims
    const ticket = await unlessRefused(() => tickets.renew(claims, claims))
    if (ticket === undefined || !fitsCookie(realm_uri, ticket, settings)) {
      log.warn(
        { realm_uri, provider: settings.name },
        'the ticket with the new roles and claims of a user does not fit into a cookie',
      )
      return undefined
    }
    return ticketCookieOf({ realm_uri, ticket, settings, host, maxAge: exp - secondsOf(clock) })
  }
