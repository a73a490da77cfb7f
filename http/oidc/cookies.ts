/** The cookies of a login as they are set and cleared, attribute by attribute (specification: Cookies set by the OIDC callback). */
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

/** What a provider's settings say of cookies. */
type CookieSettings = Pick<ProviderSettings, 'cookie_domain' | 'cookie_same_site'>

const sameSites = { lax: 'Lax', strict: 'Strict', none: 'None' } as const

/**
 * The domain that cookies of this host may have: the host itself or a parent of it, never a top-level domain alone.
 * Undefined for every other: browsers drop cookies of strangers, and the cookie is then the host's own.
 * @param host of the request, lower case
 */
export function cookieDomain(host: string, wanted: string | undefined): string | undefined {
  const domain = wanted?.toLowerCase().replace(/^\./, '') ?? ''
  const isParent = isIP(host) === 0 && domain.includes('.') && host.endsWith(`.${domain}`)
  return isParent || (domain === host && domain !== '') ? domain : undefined
}

/** The `cookie` package would refuse a domain with an underscore, which a host may have. */
const cookie = (name: string, value: string, ...attributes: readonly (string | undefined)[]) =>
  [`${name}=${value}`, ...attributes.filter((one) => one !== undefined)].join('; ')

const domainAttribute = (domain: string | undefined) => domain && `Domain=${domain}`

/** The cookies of somebody who has logged in. */
export interface TicketCookies {
  readonly realm_uri: string
  readonly ticket: string
  readonly csrf: string
  /** Seconds. */
  readonly maxAge: number
  readonly settings: CookieSettings
  /** Of the request, lower case. */
  readonly host: string
}

/** Sets ticket and CSRF value; pages read the latter only. */
export function ticketCookies(login: TicketCookies): readonly string[] {
  const { realm_uri, ticket, csrf, maxAge, settings, host } = login
  const attributes = [
    'Path=/',
    `Max-Age=${maxAge}`,
    `SameSite=${sameSites[settings.cookie_same_site]}`,
    'Secure',
    domainAttribute(cookieDomain(host, settings.cookie_domain)),
  ]
  return [
    cookie(ticketCookie(realm_uri), ticket, ...attributes, 'HttpOnly'),
    cookie(csrfCookie(realm_uri), csrf, ...attributes),
  ]
}

/** Every domain that cookies of a host may have been set for; undefined is the host's own. */
function domainsOf(host: string): readonly (string | undefined)[] {
  if (isIP(host) !== 0) return [undefined]
  const labels = host.split('.')
  const parents = labels.map((_, index) => labels.slice(index).join('.'))
  return [undefined, ...parents.filter((domain) => cookieDomain(host, domain) !== undefined)]
}

/** Which cookies of a login are to be cleared. */
interface Clearing {
  /** Of the request, lower case. */
  readonly host: string
  /** The Cookie field of the request. */
  readonly field: string | undefined
  /** That they were set with; undefined: the host's own. */
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

/** Clears both; where a ticket stands twice, for every domain that one of them may be of. */
export function clearedTicketCookies(
  realm_uri: string,
  { host, field, domain }: Clearing,
  settings?: Pick<CookieSettings, 'cookie_same_site'>,
): readonly string[] {
  const isTwice = countCookies(field, ticketCookie(realm_uri)) > 1
  const others = isTwice ? domainsOf(host).filter((one) => one !== domain) : []
  return [domain, ...others].flatMap((one) => clearedIn(realm_uri, one, settings?.cookie_same_site))
}

/** Clears tickets of earlier logins that were set for other domains: two tickets are as good as none. */
export function clearedOtherTickets(
  realm_uri: string,
  { host, field, domain }: Clearing,
): readonly string[] {
  if (countCookies(field, ticketCookie(realm_uri)) === 0) return []
  return domainsOf(host)
    .filter((one) => one !== domain)
    .flatMap((one) => clearedIn(realm_uri, one))
}

/** Of the login that is under way: the provider's answer brings it along, and no other page of another site does. */
const loginAttributes = ['Path=/', 'SameSite=Lax', 'Secure', 'HttpOnly']

/** Sets a cookie of a login that is under way; an empty value clears it. */
export const loginCookie = (name: string, value: string): string =>
  cookie(name, value, `Max-Age=${value === '' ? 0 : loginCookieMaxAge}`, ...loginAttributes)

/** Clears the cookie of a login that is over. */
export const clearedLoginCookie = (name: string): string => loginCookie(name, '')

/** Says for a moment that this browser has just logged in: pages that refuse it do not send it to log in again. */
export const returnCookieOf = (realm_uri: string): string =>
  cookie(returnCookie(realm_uri), '1', `Max-Age=${returnMaxAge}`, ...loginAttributes)

/** Clears it. */
export const clearedReturnCookie = (realm_uri: string): string =>
  cookie(returnCookie(realm_uri), '', 'Max-Age=0', ...loginAttributes)

/** Cookies of logins that are looked at: the gateway keeps their number smaller. */
const maxRead = 40

/** The cookies of logins under way that a request brings; what stands twice is left out. */
export function loginCookiesOf(field: string | undefined): ReadonlyMap<string, string> {
  const pairs = (field ?? '').split(';').filter((pair) => pair.trim().startsWith(loginCookiePrefix))
  // so many are never under way: whoever sends them shall not have them counted
  const rest = pairs.slice(0, maxRead).join(';')
  const names = new Set(pairs.slice(0, maxRead).map((pair) => pair.trim().split('=', 1)[0] ?? ''))
  const found = new Map<string, string>()
  for (const name of names) {
    const value = readCookie(rest, name)
    if (value !== undefined) found.set(name, value)
  }
  return found
}
