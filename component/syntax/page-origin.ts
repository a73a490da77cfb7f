/** The origin of a page as browsers send it in `Origin` (RFC 6454 §6.2): without a path, the host in lower case. */

/** The text of a regular expression without anchors. */
export const pageOrigin = 'https?://[a-z0-9.\\-_\\[\\]:]+'

/** Whether the Origin field names this very origin; true without the field, since such a request comes from no page. */
export function isOwnOrigin(headers: Readonly<Record<string, string>>): boolean {
  const { origin, host = '' } = headers
  if (origin === undefined) return true
  const scheme = origin.indexOf('://')
  return scheme > 0 && origin.slice(scheme + 3).toLowerCase() === host.toLowerCase()
}
