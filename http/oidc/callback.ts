/** GET `<base_path>/oidc/<provider>/callback`: completes a login at the return from the provider (specification: Callback). */

import type { Exchange } from '#component/gateway/exchange.ts'
import { loginLocation } from '#component/gateway/login-redirect.ts'
import type { EndpointHandler } from '#component/gateway/parts.ts'
import type { OidcLogin } from '#component/oidc/login.ts'
import { cookiesOfLogin, type RememberedLogin } from '#component/oidc/login-state.ts'
import { addressOf } from '#component/syntax/ip-address.ts'
import { isOwnPath } from '#component/syntax/own-path.ts'
import { readCookie } from '#component/token/ticket-cookie.ts'
import { issuerOf } from '#http/oauth/metadata.ts'
import {
  clearedLoginCookie,
  clearedOtherTickets,
  cookieDomain,
  loginCookie,
  returnCookieOf,
  ticketCookies,
} from './cookies.ts'
import { callbackOf, loginAddress } from './login.ts'
import { settingsOf } from './logout.ts'
import type { PublicAddressPorts } from './public-address.ts'
import { allowedRedirect } from './redirect-uri.ts'
import { headReply, type OidcReplyPorts, oidcEndpoint, redirect } from './reply.ts'

/** Dependencies of the callback endpoint. */
export interface CallbackPorts extends OidcReplyPorts, PublicAddressPorts {
  readonly login: Pick<OidcLogin, 'finish' | 'remembered' | 'settings'>
}

const cookiesOf = (exchange: Exchange) => {
  const field = exchange.header('cookie')
  return (name: string): string | undefined => readCookie(field, name)
}

/** What a login was begun with, as parameters; none for what a login has by itself. */
const labelsOf = ({
  client_id = 'all',
  device_id = 'all',
}: Partial<RememberedLogin> = {}): Readonly<Record<string, string>> => ({
  ...(client_id !== 'all' && { client_id }),
  ...(device_id !== 'all' && { device_id }),
})

/** Answers 302 to the `redirect_uri` of the login, with ticket and CSRF value in cookies. */
export const callbackEndpoint = (ports: CallbackPorts): EndpointHandler =>
  oidcEndpoint(
    ports,
    async (exchange, endpoint, bindings) => {
      if (exchange.method === 'head') return headReply
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
        ...done.loginCookies.map(({ name, value }) => loginCookie(name, value)),
        // only a strict ticket may be withheld by the browser, and only one with a domain rejected
        ...(settings.cookie_same_site === 'strict' || domain ? [returnCookieOf(realm_uri)] : []),
      ])
    },
    // a failed login is over; the page offers a new one, as that one was
    (exchange, endpoint, bindings, { code }) => {
      const { realm_uri } = endpoint
      const { state = '' } = exchange.query_params
      const remembered = ports.login.remembered(state, cookiesOf(exchange), realm_uri)
      const { redirect_uri = '', isSilent = false } = remembered ?? {}
      const own = remembered?.realm_uri === realm_uri ? remembered : undefined
      const { provider = bindings.provider ?? '' } = own ?? {}
      const address = loginAddress(ports, endpoint, bindings)
      const location = loginLocation(address, provider, redirect_uri, labelsOf(own))
      const cookies = cookiesOfLogin(state, cookiesOf(exchange)).map(clearedLoginCookie)
      if (code === 'invalid_state' && own && own.provider === bindings.provider) {
        if (own.isSuperseded) return { cookies, ways: [], location }
        // the back button, or a second answer to one login: it leads where the first one has led
        const { allowed_redirect_uris: listed } = settingsOf(ports.login, realm_uri, provider) ?? {}
        return {
          cookies: [],
          ways: [],
          location: allowedRedirect(redirect_uri, { listed }) ?? '/',
        }
      }
      const again = { text: isSilent ? 'Log in' : 'Log in again', href: location }
      const goOn = { text: 'Continue without logging in', href: redirect_uri }
      return {
        cookies,
        ways: [
          ...(code === 'unknown_provider' ? [] : [again]),
          // the page has asked only whether there is a session at the provider
          ...(isSilent && isOwnPath(redirect_uri) ? [goOn] : []),
        ],
      }
    },
  )
