/** Which entries end by themselves: on all nodes in the same minute, so that they go on holding the same. */
import type { Entry } from './entry.ts'

const minuteMs = 60_000

/** How long an entry is kept after its end: clocks are not equal, and what is late must still be refused. Seconds. */
const spareSeconds = 120

/**
 * Has an entry ended so long ago that nobody needs it? Its `exp` (seconds since the epoch) says when a revocation ends; the
 * answer changes at full minutes only.
 * @param now milliseconds since the epoch
 */
export function isExpired({ kind, document }: Entry, now: number): boolean {
  if (kind !== 'revocation' || typeof document?.exp !== 'number') return false
  const minute = (Math.floor(now / minuteMs) * minuteMs) / 1_000
  return document.exp < minute - spareSeconds
}

/** Milliseconds until the next full minute. */
export const untilNextMinute = (now: number): number => minuteMs - (now % minuteMs)
