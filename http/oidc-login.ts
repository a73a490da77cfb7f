/** GET `<base_path>/oidc/login`: sends a browser to the identity provider (specification: Login). */
import { OidcError, ServiceError } from '#component/errors.ts'
import type { EndpointHandler } from '#component/gateway/handle.ts'
import type { OidcLogin } from '#component/oidc/login.ts'
import { isCookieName, ticketCookie } from '#component/token/ticket-cookie.ts'
import { clearedLoginCookie, loginCookie, loginCookiesOf } from './cookies.ts'
import { issuerOf } from './oauth-issuer.ts'
import { type OidcReplyPorts, oidcEndpoint, redirect } from './oidc-reply.ts'
import { allowedRedirect } from './redirect-uri.ts'

/** What the login endpoint works with. */
export interface LoginPorts extends OidcReplyPorts {
  readonly login: Pick<OidcLogin, 'begin' | 'settings'>
  /** Without a slash at the end. */
  readonly issuerBase: () => string
}

/** Several logins must fit into the cookies of one request: bytes. */
const maxLabel = 128

/** Visible ASCII. */
const visible = /^[!-~]+$/

/** What a ticket is scoped to: `all` unless a client says otherwise. */
function label(name: string, value = 'all'): string {
  if (value.length <= maxLabel && visible.test(value)) return value
  throw new ServiceError(
    'service.error.bad_request',
    `${name}: expected 1 to ${maxLabel} visible ASCII characters`,
  )
}

/** The provider that a security object names. */
export const providerOf = ({ provider }: Readonly<Record<string, unknown>>): string | undefined =>
  typeof provider === 'string' ? provider : undefined

/** The URL of the callback as the provider is told. */
export const callbackOf = (issuer: string, provider: string): string =>
  `${issuer}/oidc/${encodeURIComponent(provider)}/callback`

/** Answers 302 to the provider; 400 before anything is begun when the page may not be gone back to. */
export const loginEndpoint = (ports: LoginPorts): EndpointHandler =>
  oidcEndpoint(ports, async (exchange, endpoint, bindings) => {
    const { realm_uri, security } = endpoint
    const query = exchange.query_params
    const routeProvider = providerOf(security)
    const settings = ports.login.settings(realm_uri, query.provider ?? routeProvider ?? 'default')
    const redirect_uri = allowedRedirect(query.redirect_uri ?? '/', settings.allowed_redirect_uris)
    if (redirect_uri === undefined) {
      const message = 'redirect_uri is neither a path of this origin nor listed by the provider'
      throw new OidcError('invalid_redirect_uri', message)
    }
    const client_id = label('client_id', query.client_id)
    const device_id = label('device_id', query.device_id)
    if (!isCookieName(ticketCookie(realm_uri))) {
      const message = 'the URI of the realm holds a character that the name of a cookie cannot hold'
      throw new OidcError('authorization_url_failed', message)
    }
    const issuer = issuerOf(ports.issuerBase(), endpoint, bindings)
    const { location, cookie, surplus } = await ports.login.begin({
      ...{ realm_uri, provider: query.provider, routeProvider, redirect_uri, client_id, device_id },
      callbackUrl: (provider) => callbackOf(issuer, provider),
      loginCookies: loginCookiesOf(exchange.header('cookie')),
    })
    return redirect(location, [
      loginCookie(cookie.name, cookie.value, cookie.maxAge),
      ...surplus.map(clearedLoginCookie),
    ])
  })
