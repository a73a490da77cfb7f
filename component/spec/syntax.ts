/** Scanners for texts of a specification; each returns the problem, or undefined. */

import { isToken } from '#component/syntax/http-field.ts'
import { parsePathPattern } from '#component/syntax/path-pattern.ts'

const isLetter = (c: string): boolean => (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')
const isDigit = (c: string): boolean => c >= '0' && c <= '9'
const isAlphanumeric = (c: string): boolean => isLetter(c) || isDigit(c)

/** The number that a text of decimal digits stands for; undefined for any other text. */
export const readDigits = (text: string): number | undefined =>
  text !== '' && [...text].every(isDigit) ? Number(text) : undefined

/** Behaviour: API Specifications, first point. */
export function idProblem(id: string): string | undefined {
  if (id === '' || id.length > 255) return `it has ${id.length} characters`
  if (id.startsWith(' ') || id.endsWith(' ')) return 'it begins or ends with a blank'
  for (const c of id)
    if (!isAlphanumeric(c) && !'._:- '.includes(c))
      return 'it contains a character that is not allowed'
  return undefined
}

/** RFC 5646 in outline: subtags of 1–8 letters and digits, the first one only letters. */
export function languageProblem(tag: string): string | undefined {
  const [first = '', ...rest] = tag.split('-')
  const isSubtag = (part: string, isPart: (c: string) => boolean): boolean =>
    part.length > 0 && part.length <= 8 && [...part].every(isPart)
  const isTag = isSubtag(first, isLetter) && rest.every((part) => isSubtag(part, isAlphanumeric))
  return isTag
    ? undefined
    : 'a subtag is empty, too long or contains a character that is not allowed'
}

/** Names that frame a message or belong to one connection (RFC 9110 §7.6.1), or that the gateway alone sets. */
const reservedHeaders = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** RFC 9110 §5.1: a token, and none that would break the framing of the message. */
export function headerNameProblem(name: string): string | undefined {
  if (name === '') return 'a header name must not be empty'
  if (!isToken(name)) {
    return 'a header name may contain only letters, digits, "-" and other token characters'
  }
  const lower = name.toLowerCase()
  return reservedHeaders.has(lower) || lower.startsWith('proxy-')
    ? 'the gateway sets this header itself: it must not be declared'
    : undefined
}

/** RFC 3986 §3.3, §3.4: visible ASCII without the characters that must be percent-encoded. */
function targetProblem(text: string, forbidden: string): string | undefined {
  for (let i = 0; i < text.length; i += 1) {
    const c = text[i] ?? ''
    if (c <= ' ' || c > '~' || forbidden.includes(c)) {
      return `the character in column ${i + 1} must be percent-encoded`
    }
  }
  return undefined
}

/** The path of an upstream: its query has a key of its own. */
export const upstreamPathProblem = (path: string): string | undefined =>
  path.startsWith('/') ? targetProblem(path, '"<>\\^`{|}?#') : 'it does not begin with "/"'

/** A query string without its `?`. */
export const queryProblem = (query: string): string | undefined =>
  targetProblem(query, '"<>\\^`{|}#')

/** A path without bindings and optional segments, as for OAuth2 endpoints. */
export function fixedPathProblem(path: string): string | undefined {
  const pattern = parsePathPattern(path)
  if ('problem' in pattern) return pattern.problem
  const [form = []] = pattern.forms
  const isFixed = pattern.forms.length === 1 && form.every((segment) => segment.kind === 'literal')
  if (!isFixed) return 'it holds bindings or brackets'
  return form.length === 0 ? 'it is "/"' : undefined
}

/** A date in milliseconds since the epoch; undefined when the text is not a date. */
export function readDate(text: string): number | undefined {
  // Date.parse accepts nearly any text; a real date begins with a year or the name of a day
  if (text[4] !== '-' && text[3] !== ',') return undefined
  const time = Date.parse(text)
  return Number.isNaN(time) ? undefined : time
}
