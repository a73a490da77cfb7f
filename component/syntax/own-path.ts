/** Redirect targets that are safe wherever they come from: paths of the same origin (RFC 3986 §3.3–3.5). */

/**
 * One slash, then the characters of path, query and fragment (RFC 3986 §3.3–3.5). Not among them are those that browsers
 * read as a slash or drop before they parse a URL: backslash, tab, line feed, controls, blanks.
 */
const ownPath =
  /^\/(?!\/)(?:[\w\-.~!$&'()*+,;=:@/?]|%[\da-f]{2})*(?:#(?:[\w\-.~!$&'()*+,;=:@/?]|%[\da-f]{2})*)?$/i

/** An escaped slash, backslash or NUL, which would change the URL when it is decoded once more. */
const hidden = /%(?:2f|5c|00)/i

/** The length of URLs that servers and proxies accept; logins keep the URL in a cookie. Characters. */
export const maxRedirectLength = 8192

/** Whether the text, as a URL reference, stays at the current origin (behaviour: OIDC). */
export const isOwnPath = (text: string): boolean =>
  text.length <= maxRedirectLength && ownPath.test(text) && !hidden.test(text)
