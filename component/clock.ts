/** Time and randomness, passed in wherever they are needed, so that tests can move them. */

/** The source of time and randomness of the core. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number
  /** Calls back once after `ms` milliseconds; the result cancels it. */
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

/** The longest time of one timer; milliseconds. Timers of Node take less than 2^31. */
const longestTimer = 86_400_000

/**
 * Calls back once, at a time that may be far away.
 * @param at milliseconds since the epoch
 * @returns a function that cancels it
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
