/** One scope of OAuth2 (RFC 6749 §3.3). */

/** What a text has beside its scopes reads as several. */
const scopeToken = /^[!#-[\]-~]+$/

/** Whether a text is one scope: printable ASCII without blanks, quotes and backslashes. */
export const isScopeToken = (text: string): boolean => scopeToken.test(text)

/** The scopes of a parameter or claim; they are separated by blanks. */
export const scopesIn = (text: string): readonly string[] =>
  text.split(' ').filter((scope) => scope !== '')
