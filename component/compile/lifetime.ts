/** The headers that tell clients how long a version will be there: Deprecation and Sunset. */
import type { Version } from '#component/spec/model.ts'
import { readDate } from '#component/spec/syntax.ts'

/**
 * RFC 9745 §2.1: the date of the deprecation. A specification says that a version is deprecated, not since when, so
 * the date is the epoch: in the past, and never after a Sunset.
 */
const deprecated = '@0'

/** The moment an author wrote, as HTTP-date (RFC 9110 §5.6.7); undefined when it is no date. */
function httpDate(text: unknown): string | undefined {
  const time = typeof text === 'string' ? readDate(text) : undefined
  return time === undefined ? undefined : new Date(time).toUTCString()
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
