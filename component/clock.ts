/** Time and randomness, passed in wherever they are needed, so that tests can move them. */

/** Where the core takes time and randomness from. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number
  /** Calls back once after `ms` milliseconds; the result takes that back. */
  after(ms: number, callback: () => void): () => void
  /** At least 0, less than 1. */
  random(): number
}

/** The clock of the machine. */
export const systemClock: Clock = {
  now: Date.now,
  after(ms, callback) {
    const timer = setTimeout(callback, ms)
    return () => clearTimeout(timer)
  },
  random: Math.random,
}

/** The longest that one timer waits; milliseconds. Those of Node wait for less than 2^31. */
const longestTimer = 86_400_000

/**
 * Calls back once, at a time that may be far away.
 * @param at milliseconds since the epoch
 * @returns what takes that back
 */
export function callAt(
  clock: Pick<Clock, 'now' | 'after'>,
  at: number,
  callback: () => void,
): () => void {
  let stop = (): void => undefined
  const wait = (): void => {
    const left = Math.max(at - clock.now(), 0)
    stop = left > longestTimer ? clock.after(longestTimer, wait) : clock.after(left, callback)
  }
  wait()
  return () => stop()
}

/** Whole seconds since the epoch, as JWTs count (RFC 7519: NumericDate). */
export const secondsOf = (clock: Pick<Clock, 'now'>): number => Math.floor(clock.now() / 1000)
