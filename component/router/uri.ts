/** WAMP URIs: are they well-formed, and which of two patterns fits better? No regular expressions: each message passes here. */

/** How the URI of a registration or subscription is compared. */
export type Match = 'exact' | 'prefix' | 'wildcard'

const matches: readonly unknown[] = ['exact', 'prefix', 'wildcard']

/** Is it one of the three ways to match? */
export const isMatch = (value: unknown): value is Match => matches.includes(value)

/** Most characters of a URI that is compared in that way: patterns are kept, and looked through with each message. */
export const maxLength: Readonly<Record<Match, number>> = {
  exact: 1_024,
  prefix: 255,
  wildcard: 255,
}

const dot = 0x2e
const hash = 0x23

/** The white space of ECMAScript's `\s`. */
function isSpace(code: number): boolean {
  if (code <= 0x20) return code === 0x20 || (code >= 0x09 && code <= 0x0d)
  if (code < 0xa0) return false
  return (
    code === 0xa0 ||
    code === 0x1680 ||
    (code >= 0x2000 && code <= 0x200a) ||
    code === 0x2028 ||
    code === 0x2029 ||
    code === 0x202f ||
    code === 0x205f ||
    code === 0x3000 ||
    code === 0xfeff
  )
}

/**
 * WAMP: URIs, loose rule `^([^\s.#]+\.)*[^\s.#]+$`. The last component of a prefix may be empty, any one of a wildcard pattern.
 */
export function isUri(text: string, match: Match = 'exact'): boolean {
  let isEmpty = true
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code === dot) {
      if (isEmpty && match !== 'wildcard') return false
      isEmpty = true
    } else {
      if (code === hash || isSpace(code)) return false
      isEmpty = false
    }
  }
  return !isEmpty || match !== 'exact'
}

/** Sorts the better wildcard pattern first: the one whose first wildcard that the other has not stands further right. */
export function comparePatterns(a: readonly string[], b: readonly string[]): number {
  for (let index = 0; index < a.length && index < b.length; index++) {
    if ((a[index] === '') !== (b[index] === '')) return a[index] === '' ? 1 : -1
  }
  return 0
}
