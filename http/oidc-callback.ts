/** GET `<base_path>/oidc/<provider>/callback`: a browser comes back from the identity provider (specification: Callback). */
import type { Exchange } from '#component/gateway/exchange.ts'
import type { EndpointHandler } from '#component/gateway/handle.ts'
import type { OidcLogin } from '#component/oidc/login.ts'
import { loginCookieName } from '#component/oidc/login-state.ts'
import { addressOf } from '#component/security/scheme.ts'
import { readCookie } from '#component/token/ticket-cookie.ts'
import { clearedLoginCookie, ticketCookies } from './cookies.ts'
import { issuerOf } from './oauth-issuer.ts'
import { callbackOf } from './oidc-login.ts'
import { type OidcReplyPorts, oidcEndpoint, redirect } from './oidc-reply.ts'
import { allowedRedirect } from './redirect-uri.ts'

/** What the callback works with. */
export interface CallbackPorts extends OidcReplyPorts {
  readonly login: Pick<OidcLogin, 'finish'>
  /** Without a slash at the end. */
  readonly issuerBase: () => string
}

/** A login that has failed is over: its cookie goes, if this browser has it. */
function leftover(exchange: Exchange): readonly string[] {
  const { state } = exchange.query_params
  const name = state && loginCookieName(state)
  return name && exchange.header('cookie')?.includes(`${name}=`) ? [clearedLoginCookie(name)] : []
}

/** Answers 302 to where the login was begun, with ticket and CSRF value in cookies. */
export const callbackEndpoint = (ports: CallbackPorts): EndpointHandler =>
  oidcEndpoint(
    ports,
    async (exchange, endpoint, bindings) => {
      const { realm_uri } = endpoint
      const { provider = '' } = bindings
      const issuer = issuerOf(ports.issuerBase(), endpoint, bindings)
      const field = exchange.header('cookie')
      const done = await ports.login.finish({
        ...{ realm_uri, provider, issuer },
        url: `${callbackOf(issuer, provider)}?${exchange.query_string}`,
        cookieOf: (name) => readCookie(field, name),
        address: addressOf(exchange),
      })
      const { settings, ticket, csrf, maxAge } = done
      // what was allowed when the login began may be allowed no more
      const location = allowedRedirect(done.redirect_uri, settings.allowed_redirect_uris) ?? '/'
      return redirect(location, [
        ...ticketCookies({ realm_uri, ticket, csrf, maxAge, settings, host: exchange.host }),
        clearedLoginCookie(done.loginCookie),
      ])
    },
    leftover,
  )
