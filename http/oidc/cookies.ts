/** Set-Cookie fields that set and clear the cookies of a login (specification: Cookies set by the OIDC callback). */
import { isIP } from 'node:net'
import { loginCookieMaxAge, loginCookiePrefix } from '#component/oidc/login-state.ts'
import type { ProviderSettings } from '#component/oidc/settings.ts'
import { returnCookie, returnMaxAge } from '#component/security/login-return.ts'
import {
  countCookies,
  csrfCookie,
  readCookie,
  ticketCookie,
} from '#component/token/ticket-cookie.ts'

/** The cookie settings of a provider. */
type CookieSettings = Pick<ProviderSettings, 'cookie_domain' | 'cookie_same_site'>

const sameSites = { lax: 'Lax', strict: 'Strict', none: 'None' } as const

/**
 * The wanted domain when it is the host itself or a parent of it, never a top-level domain alone. Undefined for every other
 * domain, whose cookies browsers drop: the cookie is host-only then.
 * @param host of the request, lower case
 */
export function cookieDomain(host: string, wanted: string | undefined): string | undefined {
  const domain = wanted?.toLowerCase().replace(/^\./, '') ?? ''
  const isParent = isIP(host) === 0 && domain.includes('.') && host.endsWith(`.${domain}`)
  return isParent || (domain === host && domain !== '') ? domain : undefined
}

/** Formats a Set-Cookie field. The `cookie` package would refuse a domain with an underscore, which a host may have. */
const cookie = (name: string, value: string, ...attributes: readonly (string | undefined)[]) =>
  [`${name}=${value}`, ...attributes.filter((one) => one !== undefined)].join('; ')

const domainAttribute = (domain: string | undefined) => domain && `Domain=${domain}`

/** A completed login, whose cookies are set. */
export interface TicketCookies {
  readonly realm_uri: string
  readonly ticket: string
  readonly csrf: string
  /** Seconds. */
  readonly maxAge: number
  readonly settings: CookieSettings
  /** Host of the request, lower case. */
  readonly host: string
}

const attributesOf = ({ maxAge, settings, host }: Omit<TicketCookies, 'csrf'>) => [
  'Path=/',
  `Max-Age=${maxAge}`,
  `SameSite=${sameSites[settings.cookie_same_site]}`,
  'Secure',
  domainAttribute(cookieDomain(host, settings.cookie_domain)),
]

/** Sets the ticket alone, in place of one with the same CSRF value. */
export const ticketCookieOf = (login: Omit<TicketCookies, 'csrf'>): string =>
  cookie(ticketCookie(login.realm_uri), login.ticket, ...attributesOf(login), 'HttpOnly')

/** Sets ticket and CSRF value; scripts of a page can read only the CSRF value. */
export const ticketCookies = (login: TicketCookies): readonly string[] => [
  ticketCookieOf(login),
  cookie(csrfCookie(login.realm_uri), login.csrf, ...attributesOf(login)),
]

/** Every domain that cookies of a host may have been set for; undefined stands for host-only cookies. */
function domainsOf(host: string): readonly (string | undefined)[] {
  if (isIP(host) !== 0) return [undefined]
  const labels = host.split('.')
  const parents = labels.map((_, index) => labels.slice(index).join('.'))
  return [undefined, ...parents.filter((domain) => cookieDomain(host, domain) !== undefined)]
}

/** The request whose cookies are cleared, and their domain. */
interface Clearing {
  /** Host of the request, lower case. */
  readonly host: string
  /** The Cookie field of the request. */
  readonly field: string | undefined
  /** Domain attribute that the cookies were set with; undefined for host-only cookies. */
  readonly domain: string | undefined
}

const clearedIn = (
  realm_uri: string,
  domain: string | undefined,
  cookie_same_site: CookieSettings['cookie_same_site'] = 'lax',
): readonly string[] => {
  const sameSite = `SameSite=${sameSites[cookie_same_site]}`
  const attributes = ['Max-Age=0', 'Path=/', sameSite, 'Secure', domainAttribute(domain)]
  return [ticketCookie, csrfCookie].map((nameOf) => cookie(nameOf(realm_uri), '', ...attributes))
}

/** Clears ticket and CSRF value; when the request has several tickets, for every domain that they may be set for. */
export function clearedTicketCookies(
  realm_uri: string,
  { host, field, domain }: Clearing,
  settings?: Pick<CookieSettings, 'cookie_same_site'>,
): readonly string[] {
  const isTwice = countCookies(field, ticketCookie(realm_uri)) > 1
  const others = isTwice ? domainsOf(host).filter((one) => one !== domain) : []
  return [domain, ...others].flatMap((one) => clearedIn(realm_uri, one, settings?.cookie_same_site))
}

/** Clears tickets that earlier logins set for other domains: of two tickets in a request neither is read. */
export function clearedOtherTickets(
  realm_uri: string,
  { host, field, domain }: Clearing,
): readonly string[] {
  if (countCookies(field, ticketCookie(realm_uri)) === 0) return []
  return domainsOf(host)
    .filter((one) => one !== domain)
    .flatMap((one) => clearedIn(realm_uri, one))
}

/** Attributes of the cookies of a pending login: the browser sends them with the redirect from the provider (SameSite=Lax). */
const loginAttributes = ['Path=/', 'SameSite=Lax', 'Secure', 'HttpOnly']

/** Sets a cookie of a pending login; an empty value clears it. */
export const loginCookie = (name: string, value: string): string =>
  cookie(name, value, `Max-Age=${value === '' ? 0 : loginCookieMaxAge}`, ...loginAttributes)

/** Clears the cookie of a login that is over. */
export const clearedLoginCookie = (name: string): string => loginCookie(name, '')

/** Marks a browser for a short time as just logged in: a page that refuses it does not redirect it to the login again. */
export const returnCookieOf = (realm_uri: string): string =>
  cookie(returnCookie(realm_uri), '1', `Max-Age=${returnMaxAge}`, ...loginAttributes)

/** Clears the cookie of {@link returnCookieOf}. */
export const clearedReturnCookie = (realm_uri: string): string =>
  cookie(returnCookie(realm_uri), '', 'Max-Age=0', ...loginAttributes)

/** At most this many login cookies are read; the gateway itself sets fewer. */
const maxRead = 40

/** The cookies of pending logins in a Cookie field; a name that appears twice is left out. */
export function loginCookiesOf(field: string | undefined): ReadonlyMap<string, string> {
  const pairs = (field ?? '').split(';').filter((pair) => pair.trim().startsWith(loginCookiePrefix))
  // bounds the work for a client that sends more of them than the gateway sets
  const rest = pairs.slice(0, maxRead).join(';')
  const names = new Set(pairs.slice(0, maxRead).map((pair) => pair.trim().split('=', 1)[0] ?? ''))
  const found = new Map<string, string>()
  for (const name of names) {
    const value = readCookie(rest, name)
    if (value !== undefined) found.set(name, value)
  }
  return found
}
