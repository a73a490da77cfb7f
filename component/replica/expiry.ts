/** Which entries end by themselves: on all nodes in the same minute, so that they go on holding the same. */
import type { Entry, Kind } from './entry.ts'

const minuteMs = 60_000

/** How long an entry is kept after its end: clocks are not equal, and what is late must still be refused. Seconds. */
const spareSeconds = 120

/** Their `exp` (seconds since the epoch) says when they end. */
const mortal: ReadonlySet<Kind> = new Set(['revocation', 'id_token'])

/**
 * Has an entry ended so long ago that nobody needs it? The answer changes at full minutes only.
 * @param now milliseconds since the epoch
 */
export function isExpired({ kind, document }: Entry, now: number): boolean {
  if (!mortal.has(kind) || typeof document?.exp !== 'number') return false
  const minute = (Math.floor(now / minuteMs) * minuteMs) / 1_000
  return document.exp < minute - spareSeconds
}

/** Milliseconds until the next full minute. */
export const untilNextMinute = (now: number): number => minuteMs - (now % minuteMs)
