/** The headers that tell clients how long a version will be there: Deprecation and Sunset. */
import type { Version } from '#component/spec/model.ts'

/**
 * RFC 9745 §2.1: the date of the deprecation. A specification says that a version is deprecated, not since when, so
 * the date is the epoch: in the past, and never after a Sunset.
 */
const deprecated = '@0'

/** The moment an author wrote, as HTTP-date (RFC 9110 §5.6.7); undefined when it is no date. */
function httpDate(text: unknown): string | undefined {
  // Date.parse takes nearly anything for a date; an author's begins with a year or with the name of a day
  if (typeof text !== 'string' || (text[4] !== '-' && text[3] !== ',')) return undefined
  const time = Date.parse(text)
  return Number.isNaN(time) ? undefined : new Date(time).toUTCString()
}

/** Behaviour, API Specifications: `is_deprecated`, `info.sunset` (RFC 8594). Lower-case names. */
export function lifetimeHeaders({
  is_deprecated,
  info,
}: Pick<Version, 'is_deprecated' | 'info'>): Readonly<Record<string, string>> {
  if (!is_deprecated) return {}
  const sunset = httpDate(info.sunset)
  return { deprecation: deprecated, ...(sunset !== undefined && { sunset }) }
}
