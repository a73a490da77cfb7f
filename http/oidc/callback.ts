/** GET `<base_path>/oidc/<provider>/callback`: completes a login at the return from the provider (specification: Callback). */

import type { Exchange } from '#component/gateway/exchange.ts'
import type { EndpointHandler } from '#component/gateway/handle.ts'
import { loginLocation } from '#component/gateway/login-redirect.ts'
import type { OidcLogin } from '#component/oidc/login.ts'
import { cookiesOfLogin } from '#component/oidc/login-state.ts'
import { addressOf } from '#component/syntax/ip-address.ts'
import { isOwnPath } from '#component/syntax/own-path.ts'
import { readCookie } from '#component/token/ticket-cookie.ts'
import { issuerOf } from '#http/oauth/metadata.ts'
import {
  clearedLoginCookie,
  clearedOtherTickets,
  cookieDomain,
  returnCookieOf,
  ticketCookies,
} from './cookies.ts'
import { callbackOf, loginAddress } from './login.ts'
import type { PublicAddressPorts } from './public-address.ts'
import { allowedRedirect } from './redirect-uri.ts'
import { type OidcReplyPorts, oidcEndpoint, redirect } from './reply.ts'

/** Dependencies of the callback endpoint. */
export interface CallbackPorts extends OidcReplyPorts, PublicAddressPorts {
  readonly login: Pick<OidcLogin, 'finish' | 'remembered'>
}

const cookiesOf = (exchange: Exchange) => {
  const field = exchange.header('cookie')
  return (name: string): string | undefined => readCookie(field, name)
}

/** Answers 302 to the `redirect_uri` of the login, with ticket and CSRF value in cookies. */
export const callbackEndpoint = (ports: CallbackPorts): EndpointHandler =>
  oidcEndpoint(
    ports,
    async (exchange, endpoint, bindings) => {
      const { realm_uri } = endpoint
      const { provider = '' } = bindings
      const issuer = issuerOf(ports.issuerBase(), endpoint, bindings)
      const done = await ports.login.finish({
        ...{ realm_uri, provider, issuer },
        url: `${callbackOf(issuer, provider)}?${exchange.query_string}`,
        cookieOf: cookiesOf(exchange),
        address: addressOf(exchange.peername),
      })
      const { settings, ticket, csrf, maxAge } = done
      // the list may have changed since the login began
      const listed = settings.allowed_redirect_uris
      const location = allowedRedirect(done.redirect_uri, { listed }) ?? '/'
      const { host } = exchange
      const domain = cookieDomain(host, settings.cookie_domain)
      return redirect(location, [
        // before the ticket: browsers may apply one of these to the ticket's own cookie, as on a host without a dot
        ...clearedOtherTickets(realm_uri, { host, domain, field: exchange.header('cookie') }),
        ...ticketCookies({ realm_uri, ticket, csrf, maxAge, settings, host }),
        ...done.loginCookies.map(clearedLoginCookie),
        // only a strict ticket may be withheld by the browser, and only one with a domain rejected
        ...(settings.cookie_same_site === 'strict' || domain ? [returnCookieOf(realm_uri)] : []),
      ])
    },
    // a failed login is over; the page offers a new one
    (exchange, endpoint, bindings, { code }) => {
      const { provider = '' } = bindings
      const { state = '' } = exchange.query_params
      const remembered = ports.login.remembered(state, cookiesOf(exchange))
      const address = loginAddress(ports, endpoint, bindings)
      const location = loginLocation(address, provider, remembered?.redirect_uri)
      const { redirect_uri = '', isSilent = false } = remembered ?? {}
      const again = { text: isSilent ? 'Log in' : 'Log in again', href: location }
      const goOn = { text: 'Continue without logging in', href: redirect_uri }
      return {
        cookies: cookiesOfLogin(state, cookiesOf(exchange)).map(clearedLoginCookie),
        ways: [
          ...(code === 'unknown_provider' ? [] : [again]),
          // the page has asked only whether there is a session at the provider
          ...(isSilent && isOwnPath(redirect_uri) ? [goOn] : []),
        ],
        location: code === 'invalid_state' && remembered?.isSuperseded ? location : undefined,
      }
    },
  )
