/** The cookies that carry a ticket: their names, and how a request's cookies are read (specification: Cookies). */

/** The cookie that holds the ticket; names have the realm URI as it is. */
export const ticketCookie = (realm_uri: string): string => `service_ticket_${realm_uri}`

/** The cookie that holds what unsafe methods must repeat in `X-CSRF-Token`. */
export const csrfCookie = (realm_uri: string): string => `service_csrf_${realm_uri}`

/** Whether a cookie can have this name (RFC 6265 §4.1.1: token). Realm URIs may contain other characters. */
export const isCookieName = (text: string): boolean => /^[\w!#$%&'*+\-.^`|~]+$/.test(text)

/** RFC 6265 §4.1.1: cookie-octet. */
const octets = /^[!#-+\--:<-[\]-~]*$/

/**
 * The values of one name, in the order of the field; a cookie without a name is the name it spells. The `cookie` package cannot tell
 * that a name stands twice: it takes the first value, and passes over cookies without a name.
 */
function valuesOf(field: string, name: string): string[] {
  const values: string[] = []
  for (const pair of field.split(';')) {
    const text = pair.trim()
    if (!text.startsWith(name)) continue
    if (text.length === name.length) values.push('')
    else if (text[name.length] === '=') values.push(text.slice(name.length + 1))
  }
  return values
}

/**
 * The value of a cookie; undefined if the name stands twice: a subdomain may have planted either of them.
 * @param field the Cookie field; several are joined by `; `
 */
export function readCookie(field: string | undefined, name: string): string | undefined {
  if (field === undefined) return undefined
  const [value, ...others] = valuesOf(field, name)
  return value && others.length === 0 && octets.test(value) ? value : undefined
}

/** How many cookies of a name a request has. */
export const countCookies = (field: string | undefined, name: string): number =>
  field === undefined ? 0 : valuesOf(field, name).length
