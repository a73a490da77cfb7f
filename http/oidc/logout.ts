/** GET or POST `<base_path>/oidc/logout`: ends a ticket and clears its cookies; never fails visibly (specification: Logout). */

import type { Exchange } from '#component/gateway/exchange.ts'
import type { EndpointHandler } from '#component/gateway/parts.ts'
import type { OidcLogin } from '#component/oidc/login.ts'
import { finishedCookie } from '#component/oidc/login-state.ts'
import type { ProviderSettings } from '#component/oidc/settings.ts'
import { OidcError } from '#component/oidc-error.ts'
import { returnCookie } from '#component/security/login-return.ts'
import { hasCsrfProof, type OidcPorts } from '#component/security/oidc/authenticate.ts'
import { isCookieName } from '#component/syntax/cookie-field.ts'
import type { TicketClaims, Tickets } from '#component/token/ticket.ts'
import { countCookies, readCookie, ticketCookie } from '#component/token/ticket-cookie.ts'
import { unlessRefused } from '#component/token/token-error.ts'
import {
  clearedLoginCookie,
  clearedReturnCookie,
  clearedTicketCookies,
  cookieDomain,
} from './cookies.ts'
import { providerOf } from './login.ts'
import { type PublicAddressPorts, publicAddress } from './public-address.ts'
import { allowedRedirect } from './redirect-uri.ts'
import { headReply, type OidcReplyPorts, oidcEndpoint, redirect } from './reply.ts'

/** Dependencies of the logout endpoint. */
export interface LogoutPorts extends OidcReplyPorts, PublicAddressPorts {
  readonly login: Pick<OidcLogin, 'logout' | 'settings'>
  readonly tickets: Pick<Tickets, 'verifyIgnoringExpiry'>
  readonly box: OidcPorts['box']
}

/** The settings of the provider; undefined when the realm or the provider no longer exists. */
export function settingsOf(
  login: Pick<OidcLogin, 'settings'>,
  realm_uri: string,
  provider: string,
): ProviderSettings | undefined {
  try {
    return login.settings(realm_uri, provider)
  } catch (error) {
    if (error instanceof OidcError) return undefined
    throw error
  }
}

/** Whether the ticket may be revoked: a link may, a form only with a CSRF proof. Without it only the cookies are cleared. */
const mayRevoke = (exchange: Exchange, claims: TicketClaims, box: OidcPorts['box']): boolean =>
  exchange.method !== 'post' || hasCsrfProof(exchange, claims.authrealm, claims.id, box)

/** Answers 302 to the provider's own logout or to `redirect_uri`, and clears the cookies of the realm. */
export const logoutEndpoint = (ports: LogoutPorts): EndpointHandler =>
  oidcEndpoint(ports, async (exchange, endpoint) => {
    if (exchange.method === 'head') return headReply
    const { realm_uri: ownRealm, security } = endpoint
    const { login, tickets, box } = ports
    const { realm = ownRealm, redirect_uri: wanted = '/', cookie_domain } = exchange.query_params
    const hasCookies = isCookieName(ticketCookie(realm))
    const field = exchange.header('cookie')
    const ticket = hasCookies ? readCookie(field, ticketCookie(realm)) : undefined
    const claims =
      ticket === undefined
        ? undefined
        : await unlessRefused(() => tickets.verifyIgnoringExpiry(ticket, realm))
    const routeProvider = providerOf(security)
    const provider = claims?.oidc_provider ?? routeProvider ?? 'default'
    const settings = settingsOf(login, realm, provider)
    const { origin } = new URL(publicAddress(ports, exchange, endpoint))
    const listed = settings?.post_logout_redirect_uris
    const done = await login.logout({
      ...{ realm_uri: realm, ticket, routeProvider, origin },
      mayRevoke: claims !== undefined && mayRevoke(exchange, claims, box),
      redirect_uri: allowedRedirect(wanted, { listed, origin }) ?? '/',
    })
    const { host } = exchange
    const domain = cookieDomain(host, cookie_domain) ?? cookieDomain(host, settings?.cookie_domain)
    const cookies = hasCookies
      ? [
          ...clearedTicketCookies(realm, { host, field, domain }, settings),
          ...(countCookies(field, returnCookie(realm)) > 0 ? [clearedReturnCookie(realm)] : []),
          ...(countCookies(field, finishedCookie(realm)) > 0
            ? [clearedLoginCookie(finishedCookie(realm))]
            : []),
        ]
      : []
    return redirect(done.location, cookies)
  })
