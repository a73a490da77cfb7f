/** The Cookie field: its pairs (RFC 6265 §4.2.1). */

/** Whether a cookie can have this name (RFC 6265 §4.1.1: token). */
export const isCookieName = (text: string): boolean => /^[\w!#$%&'*+\-.^`|~]+$/.test(text)

/** What a pair gives to a name; undefined: it is one of another name. A cookie without a name is the name it spells. */
function valueIn(pair: string, name: string): string | undefined {
  const text = pair.trim()
  if (!text.startsWith(name)) return undefined
  if (text.length === name.length) return ''
  return text[name.length] === '=' ? text.slice(name.length + 1) : undefined
}

/**
 * The values of one name, in the order of the field. The `cookie` package cannot tell that a name stands twice: it takes the first
 * value, and passes over cookies without a name.
 */
export const cookieValues = (field: string, name: string): string[] =>
  field.split(';').flatMap((pair) => valueIn(pair, name) ?? [])

/** The field without the pairs of a name; undefined when no other is left. */
export const withoutCookie = (field: string, name: string): string | undefined =>
  field
    .split(';')
    .filter((pair) => valueIn(pair, name) === undefined)
    .join(';')
    .trim() || undefined
