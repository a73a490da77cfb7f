/** Where a browser may be sent by what a request says: to a path of the origin that it is at, and nowhere else. */

/**
 * One slash, then what may stand in path, query and fragment (RFC 3986 §3.3–3.5). What browsers take for a slash, or drop
 * before they read a URL, is not among it: backslash, tab, line feed, controls, blanks.
 */
const ownPath =
  /^\/(?!\/)(?:[\w\-.~!$&'()*+,;=:@/?]|%[\da-f]{2})*(?:#(?:[\w\-.~!$&'()*+,;=:@/?]|%[\da-f]{2})*)?$/i

/** An escaped slash, backslash or NUL: whoever decodes it once more reads another URL. */
const hidden = /%(?:2f|5c|00)/i

/** As long as addresses are that servers and proxies take; logins keep it in cookies. Characters. */
const maxLength = 8192

/** Does the text, as a reference, lead nowhere but to the origin that it stands at (behaviour: OIDC)? */
export const isOwnPath = (text: string): boolean =>
  text.length <= maxLength && ownPath.test(text) && !hidden.test(text)
