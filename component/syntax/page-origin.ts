/** The origin of a page as browsers send it in `Origin` (RFC 6454 §6.2): without a path, the host in lower case. */

/** The text of a regular expression without anchors. */
export const pageOrigin = 'https?://[a-z0-9.\\-_\\[\\]:]+'
