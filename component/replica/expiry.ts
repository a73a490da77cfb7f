/** Expiry of entries: on all nodes in the same minute, so that their digests stay equal. */
import type { Entry, Kind } from './entry.ts'

const minuteMs = 60_000

/** How long an entry is kept after its end: clocks differ, and late messages must still be refused. Seconds. */
const spareSeconds = 120

/** Kinds that end at their `exp` (seconds since the epoch), where they have one. */
const mortal: ReadonlySet<Kind> = new Set([
  ...(['revocation', 'api_key', 'id_token', 'trace', 'endpoint'] as const),
])

/**
 * Whether an entry has ended and can be removed. The answer changes at full minutes only.
 * @param now milliseconds since the epoch
 */
export function isExpired({ kind, document }: Entry, now: number): boolean {
  if (!mortal.has(kind) || typeof document?.exp !== 'number') return false
  const minute = (Math.floor(now / minuteMs) * minuteMs) / 1_000
  return document.exp < minute - spareSeconds
}

/** Milliseconds until the next full minute. */
export const untilNextMinute = (now: number): number => minuteMs - (now % minuteMs)
