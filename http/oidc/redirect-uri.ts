/** Where a login or a logout may end: at a path of this origin, or where the provider's settings list it (behaviour: OIDC). */
import { isOwnPath } from '#component/gateway/own-path.ts'

/** An absolute URL as RFC 3986 writes it; what browsers read in another way than others do is not among it. */
const absolute = /^https?:\/\/(?:[\w\-.~!$&'()*+,;=:@/?#]|%[\da-f]{2})+$/i

/** Longer ones are refused, as longer paths are. Characters. */
const maxLength = 8192

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

/** What may follow the origin of this gateway. */
interface Allowed {
  /** URLs and origins that the settings of the provider list. */
  readonly listed?: readonly string[] | undefined
  /** The origin by which browsers reach this gateway. */
  readonly origin?: string | undefined
}

/**
 * The redirect that a request asks for, as it goes into `Location`; undefined when it is not allowed. An absolute URL of
 * this origin becomes its path.
 */
export function allowedRedirect(
  text: string,
  { listed = [], origin }: Allowed = {},
): string | undefined {
  if (isOwnPath(text)) return text
  if (text.length > maxLength || !absolute.test(text)) return undefined
  const url = urlOf(text)
  if (!url) return undefined
  const path = url.pathname + url.search + url.hash
  // what a browser drops from a URL, such as dot segments, may hide what a path may not hold
  if (url.origin === origin && text.endsWith(path === '/' ? '' : path) && isOwnPath(path)) {
    return path
  }
  return listed.some((entry) => isListed(url, entry)) ? url.href : undefined
}
