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

/** How far the use of several processes may be beyond what one process allows. */
export interface Slack {
  /** How much may be used at once, where that is more than a burst; milliseconds of the rate. */
  readonly burstMs: number
  /** How much may have been used beyond a burst, which is waited for; milliseconds of the rate. */
  readonly debtMs: number
}

const none: Slack = { burstMs: 0, debtMs: 0 }

/** Far below a unit, and above what floating-point numbers lose. */
const tolerance = 1e-6

/** How long the rate takes for a burst: what a key may be ahead of it. Milliseconds. */
export const burstMsOf = ({ amount, windowMs, burst }: Rate): number => (windowMs / amount) * burst

/** What a request moves the theoretical arrival time by. @param cost units; more than `burst` costs `burst` */
export const useMsOf = ({ amount, windowMs, burst }: Rate, cost: number): number =>
  (windowMs / amount) * Math.min(cost, burst)

/**
 * Decides on a request. In any time t at most `burst + amount × t / window` units are allowed.
 * @param arrival the theoretical arrival time of the key; undefined: none is known
 * @param now milliseconds; it may have gone back
 * @param cost units; more than `burst` costs `burst`
 * @param slack where the arrival time holds the use of other processes, too
 */
export function decide(
  arrival: number | undefined,
  now: number,
  cost: number,
  rate: Rate,
  slack = none,
): Decision {
  const unit = rate.windowMs / rate.amount
  const all = Math.max(burstMsOf(rate), slack.burstMs)
  // the bounds hold after a clock that went back, or a greater rate
  const from = Math.min(Math.max(arrival ?? now, now), now + all + slack.debtMs)
  const next = from + useMsOf(rate, cost)
  const waitMs = next - now - all
  const isAllowed = waitMs <= tolerance
  const fullInMs = (isAllowed ? next : from) - now
  const left = Math.max(Math.floor((all - fullInMs) / unit + tolerance), 0)
  return { isAllowed, next, left, fullInMs, waitMs: isAllowed ? 0 : waitMs }
}
