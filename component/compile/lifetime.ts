/** Since when a version, a path or an operation is deprecated, and when it ends: what the lowest level says holds. */
import { pointer } from '#component/codec/json.ts'
import type { Headers } from '#component/gateway/header-layers.ts'
import type { Version } from '#component/spec/model.ts'
import { readDate, readDateTime } from '#component/spec/syntax.ts'
import type { JsonMap } from '#component/syntax/values.ts'
import type { Findings } from './fold-check.ts'

/** What holds at one place. */
export interface Lifetime {
  readonly isDeprecated: boolean
  /** Milliseconds since the epoch; undefined: the document does not say it. */
  readonly since: number | undefined
  /** As the author wrote it. */
  readonly sunset: unknown
}

/** What holds for a version. */
export const lifetimeOf = ({ is_deprecated, deprecated_at, info }: Version): Lifetime => ({
  isDeprecated: is_deprecated,
  since: deprecated_at,
  sunset: info.sunset,
})

/**
 * What holds at a place that may have keys of its own; `above` where it has none.
 * @param own its compiled members
 * @param at its JSON Pointer
 */
export function lifetimeBelow(
  above: Lifetime,
  own: JsonMap,
  at: string,
  { issues, warnings }: Findings,
): Lifetime {
  const { is_deprecated, deprecated_at, sunset } = own
  if (is_deprecated === undefined && deprecated_at === undefined && sunset === undefined) {
    return above
  }
  const date = typeof deprecated_at === 'string' ? readDateTime(deprecated_at) : undefined
  if (is_deprecated === false && date !== undefined) {
    const message = 'is_deprecated is false: remove one of the two keys'
    issues.push({ path: pointer(at, 'deprecated_at'), message })
  }
  const says = date !== undefined || is_deprecated === true
  const found: Lifetime = {
    isDeprecated: says || (is_deprecated === undefined && above.isDeprecated),
    since: date ?? above.since,
    sunset: sunset ?? above.sunset,
  }
  if (sunset !== undefined && !found.isDeprecated) {
    const message = 'nothing is deprecated here, so no Sunset header is sent: add is_deprecated'
    warnings.push({ path: pointer(at, 'sunset'), message })
  }
  const end = typeof found.sunset === 'string' ? readDate(found.sunset) : undefined
  if (sunset !== undefined && found.since !== undefined && end !== undefined && end < found.since) {
    const message = 'the date is earlier than deprecated_at'
    warnings.push({ path: pointer(at, 'sunset'), message })
  }
  return found
}

/**
 * RFC 9745 §2.1: the date of the deprecation, which may lie ahead. Where the document does not say it, the date is the epoch: in
 * the past, and never after a Sunset.
 */
const deprecation = (since = 0): string => `@${Math.floor(since / 1000)}`

/** The moment an author wrote, as HTTP-date (RFC 9110 §5.6.7); undefined when it is not a date. */
function httpDate(text: unknown): string | undefined {
  const time = typeof text === 'string' ? readDate(text) : undefined
  return time === undefined ? undefined : new Date(time).toUTCString()
}

/** `Deprecation` and `Sunset` (RFC 8594). Lower-case names. */
export function lifetimeHeaders({ isDeprecated, since, sunset }: Lifetime): Headers {
  if (!isDeprecated) return {}
  const end = httpDate(sunset)
  return { deprecation: deprecation(since), ...(end !== undefined && { sunset: end }) }
}
