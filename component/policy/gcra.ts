/**
 * The generic cell rate algorithm (ITU-T I.371, "virtual scheduling"): of each key one number, the theoretical arrival time,
 * which is when its bucket is full again.
 */

/** How much is allowed. */
export interface Rate {
  /** Units in a window. */
  readonly amount: number
  /** Milliseconds. */
  readonly windowMs: number
  /** Most units at once. */
  readonly burst: number
}

/** What becomes of one request. */
export interface Decision {
  readonly isAllowed: boolean
  /** The theoretical arrival time, if the request is served; milliseconds. */
  readonly next: number
  /** Units that are left: after the request, or without it where it is refused. */
  readonly left: number
  /** When all units are there again, from now; milliseconds. */
  readonly fullInMs: number
  /** When the request would be allowed, from now; 0 where it is. Milliseconds. */
  readonly waitMs: number
}

/** Far below a unit, and above what floating-point numbers lose. */
const tolerance = 1e-6

/**
 * Decides on a request. In any time t at most `burst + amount × t / window` units are allowed.
 * @param arrival the theoretical arrival time of the key; undefined: none is known
 * @param now milliseconds; it may have gone back
 * @param cost units; more than `burst` costs `burst`
 */
export function decide(
  arrival: number | undefined,
  now: number,
  cost: number,
  { amount, windowMs, burst }: Rate,
): Decision {
  const unit = windowMs / amount
  const all = unit * burst
  // the bounds hold after a clock that went back, or a greater rate
  const from = Math.min(Math.max(arrival ?? now, now), now + all)
  const next = from + Math.min(cost, burst) * unit
  const waitMs = next - now - all
  const isAllowed = waitMs <= tolerance
  const fullInMs = (isAllowed ? next : from) - now
  const left = Math.floor((all - fullInMs) / unit + tolerance)
  return { isAllowed, next, left, fullInMs, waitMs: isAllowed ? 0 : waitMs }
}
