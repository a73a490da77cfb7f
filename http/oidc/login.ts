/** GET `<base_path>/oidc/login`: sends a browser to the identity provider (specification: Login). */
import { ServiceError } from '#component/errors.ts'
import type { Endpoint } from '#component/gateway/api.ts'
import type { Exchange, Reply } from '#component/gateway/exchange.ts'
import { escaped, personPage } from '#component/gateway/html-page.ts'
import { loginLocation } from '#component/gateway/login-redirect.ts'
import type { EndpointHandler } from '#component/gateway/parts.ts'
import type { Log } from '#component/log.ts'
import type { OidcLogin } from '#component/oidc/login.ts'
import type { ProviderSettings } from '#component/oidc/settings.ts'
import { OidcError } from '#component/oidc-error.ts'
import type { RealmPage } from '#component/realm-page.ts'
import { concretePath } from '#component/routes/concrete-path.ts'
import { isCookieName } from '#component/syntax/cookie-field.ts'
import { countCookies, ticketCookie } from '#component/token/ticket-cookie.ts'
import { issuerOf } from '#http/oauth/metadata.ts'
import { clearedTicketCookies, loginCookie, loginCookiesOf } from './cookies.ts'
import { type PublicAddressPorts, publicAddress, publicPath } from './public-address.ts'
import { allowedRedirect } from './redirect-uri.ts'
import { type OidcReplyPorts, oidcEndpoint, redirect } from './reply.ts'

/** At most this many bytes of links, which hold the query of the request. */
const maxLinks = 3_072

/** What the page says, by language; the first one is that of browsers which want none of them. */
const texts: Readonly<Record<string, { readonly title: string; readonly sentence: string }>> = {
  en: { title: 'Log in', sentence: 'Choose where you want to log in.' },
  de: { title: 'Anmelden', sentence: 'Wählen Sie, wo Sie sich anmelden möchten.' },
  fr: { title: 'Connexion', sentence: 'Choisissez où vous connecter.' },
  es: { title: 'Iniciar sesión', sentence: 'Elija dónde quiere iniciar sesión.' },
}

/**
 * The page; each link is the login at one provider, with the query of this request.
 * @throws OidcError invalid_redirect_uri when the links would make the page too long
 */
function loginChoice(
  exchange: Pick<Exchange, 'query_params' | 'negotiateLanguage'>,
  choices: readonly Pick<ProviderSettings, 'name' | 'title'>[],
  realm: RealmPage | undefined,
): Reply {
  const language = exchange.negotiateLanguage(Object.keys(texts))
  const { title = '', sentence = '' } = texts[language] ?? {}
  const links = choices.map(({ name, title: text = name }) => {
    const query = new URLSearchParams({ ...exchange.query_params, provider: name })
    return `<a href="?${escaped(query.toString())}">${escaped(text)}</a>`
  })
  if (Buffer.byteLength(links.join('')) > maxLinks) {
    const message = `the links of the login page would be longer than ${maxLinks} bytes: each holds the query`
    throw new OidcError('invalid_redirect_uri', message)
  }
  const own = realm?.text === undefined ? [] : [`<p>${escaped(realm.text)}</p>`]
  const body = [...own, `<p>${escaped(sentence)}</p>`, ...links]
  const page = personPage(200, { title, body, language }, realm)
  const headers = { ...page.headers, 'content-language': language, vary: 'Accept-Language, Origin' }
  return { ...page, headers }
}

/** Dependencies of the login endpoint. */
export interface LoginPorts extends OidcReplyPorts, PublicAddressPorts {
  readonly login: Pick<OidcLogin, 'begin' | 'choices' | 'settings'>
  readonly log: Pick<Log, 'warn'>
}

/** Maximum length in bytes: several logins must fit into the cookies of one request. */
const maxLabel = 128

/** Visible ASCII. */
const visible = /^[!-~]+$/

/** The client or device that a ticket is scoped to; `all` by default. */
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

/** The callback URL that is sent to the provider. */
export const callbackOf = (issuer: string, provider: string): string =>
  `${issuer}/oidc/${encodeURIComponent(provider)}/callback`

/** The public address of the login of a version. */
export const loginAddress = (
  { issuerBase, hasPublicUrl }: PublicAddressPorts,
  { base }: Pick<Endpoint, 'base'>,
  bindings: Readonly<Record<string, string>>,
) => ({
  prefix: hasPublicUrl ? publicPath(issuerBase()) : '',
  base: concretePath(base, bindings),
})

/** At most this many realms are warned that their callback is at another host, each once. */
const maxTold = 1_000

/** Answers 302 to the provider, or 200 with a page of several to choose from; 400, before a login begins, when `redirect_uri` is not allowed. */
export const loginEndpoint = (ports: LoginPorts): EndpointHandler => {
  const told = new Set<string>()
  /** Warns of a callback at another host than the browser's: that host may not serve it, and gets no cookie of this login. */
  const tellForeign = (realm_uri: string, callback: string, host: string) => {
    const { hostname } = new URL(callback)
    if (ports.hasPublicUrl || hostname === host) return
    if (told.has(realm_uri) || told.size >= maxTold) return
    told.add(realm_uri)
    ports.log.warn(
      { realm: realm_uri, callback },
      'the callback URL is derived from the listening address, but the browser uses another host: set gateway.public_base_url, or redirect_uri of the provider',
    )
  }
  return oidcEndpoint(
    ports,
    async (exchange, endpoint, bindings) => {
      const { realm_uri, security } = endpoint
      const query = exchange.query_params
      const field = exchange.header('cookie')
      const choices = query.provider === undefined ? ports.login.choices(realm_uri) : []
      if (choices.length > 0) return loginChoice(exchange, choices, ports.pageOf(realm_uri))
      const routeProvider = providerOf(security)
      const settings = ports.login.settings(realm_uri, query.provider ?? routeProvider ?? 'default')
      const address = publicAddress(ports, exchange, endpoint)
      const redirect_uri = allowedRedirect(query.redirect_uri ?? '/', {
        listed: settings.allowed_redirect_uris,
        origin: new URL(address).origin,
      })
      if (redirect_uri === undefined) {
        const message =
          'redirect_uri is neither a path of this origin nor listed in the settings of the provider'
        throw new OidcError('invalid_redirect_uri', message)
      }
      const client_id = label('client_id', query.client_id)
      const device_id = label('device_id', query.device_id)
      if (!isCookieName(ticketCookie(realm_uri))) {
        const message =
          'the URI of the realm contains a character that is not allowed in the name of a cookie'
        throw new OidcError('authorization_url_failed', message)
      }
      const issuer = issuerOf(address, endpoint, bindings)
      if (settings.redirect_uri === undefined) tellForeign(realm_uri, issuer, exchange.host)
      const { location, cookies } = await ports.login.begin({
        ...{ realm_uri, provider: query.provider, routeProvider },
        ...{ redirect_uri, client_id, device_id, query },
        callbackUrl: (provider) => callbackOf(issuer, provider),
        loginCookies: loginCookiesOf(field),
      })
      return redirect(location, [
        ...cookies.map(({ name, value }) => loginCookie(name, value)),
        ...(countCookies(field, ticketCookie(realm_uri)) > 1
          ? clearedTicketCookies(realm_uri, { host: exchange.host, field, domain: undefined })
          : []),
      ])
    },
    // the page offers what was asked for: the provider, the page to return to, and all parameters
    ({ query_params }, endpoint, bindings, { code }) => {
      const asked = providerOf(endpoint.security) ?? 'default'
      const { provider = asked, redirect_uri, ...more } = query_params
      const target = code === 'invalid_redirect_uri' ? undefined : redirect_uri
      const href = loginLocation(loginAddress(ports, endpoint, bindings), provider, target, more)
      const isLost = code === 'unknown_provider' || code === 'authorization_url_failed'
      return { cookies: [], ways: isLost ? [] : [{ text: 'Log in', href }] }
    },
  )
}
