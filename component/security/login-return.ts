/** A browser that comes from a login and is still refused: another login would end in the same place, again and again. */
import { countCookies, readCookie, ticketCookie } from '#component/token/ticket-cookie.ts'

/**
 * The cookie that says for a moment that this browser has just logged in to the realm. It is set where a browser may not
 * send, or not take, the cookie of the ticket.
 */
export const returnCookie = (realm_uri: string): string => `__Host-service_return_${realm_uri}`

/** How long a login counts as one that has just been: browsers follow redirects at once. Seconds. */
export const returnMaxAge = 30

/** Why the login was of no use: what the browser sends instead of one ticket that holds. */
export type ReturnProblem = 'two_tickets' | 'ticket_not_sent' | 'ticket_refused'

/** Whether an unverified ticket says that it comes from a login at this provider a moment ago. */
function isFresh(ticket: string, provider: string, now: number): boolean {
  try {
    const [, payload = ''] = ticket.split('.')
    const { iat, oidc_provider } = JSON.parse(Buffer.from(payload, 'base64url').toString())
    return oidc_provider === provider && Math.abs(now - Number(iat)) <= returnMaxAge
  } catch {
    return false
  }
}

/**
 * Why a refused browser is not sent to log in; undefined when it is.
 * @param field the Cookie field
 * @param login the login that it would be sent to
 * @param now seconds since the epoch
 */
export function returnProblem(
  field: string | undefined,
  { realm_uri, provider }: { readonly realm_uri: string; readonly provider: string },
  now: number,
): ReturnProblem | undefined {
  const name = ticketCookie(realm_uri)
  if (countCookies(field, name) > 1) return 'two_tickets'
  const ticket = readCookie(field, name)
  const isMarked = countCookies(field, returnCookie(realm_uri)) > 0
  if (ticket === undefined) return isMarked ? 'ticket_not_sent' : undefined
  return isMarked || isFresh(ticket, provider, now) ? 'ticket_refused' : undefined
}
