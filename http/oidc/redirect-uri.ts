/** Redirects allowed after login and logout: paths of this origin, and URLs that the provider's settings list (behaviour: OIDC). */
import { isOwnPath, maxRedirectLength } from '#component/syntax/own-path.ts'

/** An absolute URL of RFC 3986, without the characters that browsers read differently from other software. */
const absolute = /^https?:\/\/(?:[\w\-.~!$&'()*+,;=:@/?#]|%[\da-f]{2})+$/i

const urlOf = (text: string): URL | undefined => {
  const url = URL.parse(text)
  return url?.username === '' && url.password === '' ? url : undefined
}

/** Whether an entry allows the URL: a bare origin allows all of its URLs, every other entry only itself. */
function isListed(url: URL, entry: string): boolean {
  const listed = urlOf(entry)
  if (!listed || listed.origin === 'null') return false
  return listed.href === `${listed.origin}/`
    ? url.origin === listed.origin
    : url.href === listed.href
}

/** Redirects that are allowed besides paths. */
interface Allowed {
  /** URLs and origins that the settings of the provider list. */
  readonly listed?: readonly string[] | undefined
  /** The public origin of this gateway. */
  readonly origin?: string | undefined
}

/**
 * The value of `Location` for a requested redirect; undefined when it is not allowed. An absolute URL of this origin becomes
 * its path.
 */
export function allowedRedirect(
  text: string,
  { listed = [], origin }: Allowed = {},
): string | undefined {
  if (isOwnPath(text)) return text
  if (text.length > maxRedirectLength || !absolute.test(text)) return undefined
  const url = urlOf(text)
  if (!url) return undefined
  const path = url.pathname + url.search + url.hash
  // the URL parser drops parts such as dot segments, which could hide a path that is not allowed
  if (url.origin === origin && text.endsWith(path === '/' ? '' : path) && isOwnPath(path)) {
    return path
  }
  return listed.some((entry) => isListed(url, entry)) ? url.href : undefined
}
