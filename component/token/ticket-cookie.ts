/** The cookies that carry a ticket: their names, and how a request's cookies are read (specification: Cookies). */
import { cookieValues } from '#component/syntax/cookie-field.ts'

/** The cookie that holds the ticket; names have the realm URI as it is. */
export const ticketCookie = (realm_uri: string): string => `service_ticket_${realm_uri}`

/** The cookie that holds what unsafe methods must repeat in `X-CSRF-Token`. */
export const csrfCookie = (realm_uri: string): string => `service_csrf_${realm_uri}`

/** RFC 6265 §4.1.1: cookie-octet. */
const octets = /^[!#-+\--:<-[\]-~]*$/

/**
 * The value of a cookie; undefined if the name stands twice: a subdomain may have planted either of them.
 * @param field the Cookie field; several are joined by `; `
 */
export function readCookie(field: string | undefined, name: string): string | undefined {
  if (field === undefined) return undefined
  const [value, ...others] = cookieValues(field, name)
  return value && others.length === 0 && octets.test(value) ? value : undefined
}

/** How many cookies of a name a request has. */
export const countCookies = (field: string | undefined, name: string): number =>
  field === undefined ? 0 : cookieValues(field, name).length
