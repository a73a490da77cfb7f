/** Scanners for texts of a specification; each returns the problem, or undefined. */

import { parsePathPattern } from '#component/syntax/path-pattern.ts'
import { inQuery, mayStand } from '#component/syntax/request-target.ts'

/** Behaviour: API Specifications, first point. */
export function idProblem(id: string): string | undefined {
  if (id === '' || id.length > 255) return `it has ${id.length} characters`
  if (id.startsWith(' ') || id.endsWith(' ')) return 'it begins or ends with a blank'
  return /^[\w.:\- ]*$/.test(id) ? undefined : 'it contains a character that is not allowed'
}

/** RFC 5646 in outline: subtags of 1–8 letters and digits, the first one only letters. */
export const languageProblem = (tag: string): string | undefined =>
  /^[a-z]{1,8}(?:-[a-z\d]{1,8})*$/i.test(tag)
    ? undefined
    : 'a subtag is empty, too long or contains a character that is not allowed'

/**
 * A query string without its `?`: RFC 3986 §3.4, and brackets.
 * @param forbidden one more character that may not stand there
 */
export function queryProblem(query: string, forbidden = ''): string | undefined {
  for (let i = 0; i < query.length; i += 1) {
    if (!mayStand(query.charCodeAt(i), inQuery) || forbidden === query[i]) {
      return `the character in column ${i + 1} must be percent-encoded`
    }
  }
  return undefined
}

/** The path of an upstream: its query has a key of its own. */
export const upstreamPathProblem = (path: string): string | undefined =>
  path.startsWith('/') ? queryProblem(path, '?') : 'it does not begin with "/"'

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

const dateTime = /^\d{4}-\d\d-(\d\d)(?:T\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d))?$/i

/** A date, taken as its first moment in UTC, or a date-time (RFC 3339 §5.6), in milliseconds since the epoch; undefined for others. */
export function readDateTime(text: string): number | undefined {
  const [, day] = dateTime.exec(text) ?? []
  const time = Date.parse(text.toUpperCase())
  // Date.parse takes February 30 for March 2
  const isDay = new Date(Date.parse(text.slice(0, 10))).getUTCDate() === Number(day)
  return isDay && !Number.isNaN(time) ? time : undefined
}
