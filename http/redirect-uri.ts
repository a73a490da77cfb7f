/** Where a login or a logout may end: at a path of this origin, or where the provider's settings list it (behaviour: OIDC). */
import { isOwnPath } from '#component/gateway/own-path.ts'

/** An absolute URL as RFC 3986 writes it; what browsers read in another way than others do is not among it. */
const absolute = /^https?:\/\/(?:[\w\-.~!$&'()*+,;=:@/?#]|%[\da-f]{2})+$/i

/** Longer ones are none of the list's. Characters. */
const maxLength = 512

const urlOf = (text: string): URL | undefined => {
  const url = URL.parse(text)
  return url?.username === '' && url.password === '' ? url : undefined
}

/** An entry that names no more than an origin stands for all of it; every other for itself alone. */
function isListed(url: URL, entry: string): boolean {
  const listed = urlOf(entry)
  if (!listed || listed.origin === 'null') return false
  return listed.href === `${listed.origin}/`
    ? url.origin === listed.origin
    : url.href === listed.href
}

/**
 * The redirect that a request asks for, as it goes into `Location`; undefined when it is not allowed.
 * @param listed URLs and origins; none unless a realm says so
 */
export function allowedRedirect(text: string, listed: readonly string[] = []): string | undefined {
  if (isOwnPath(text)) return text
  if (listed.length === 0 || text.length > maxLength || !absolute.test(text)) return undefined
  const url = urlOf(text)
  return url && listed.some((entry) => isListed(url, entry)) ? url.href : undefined
}
