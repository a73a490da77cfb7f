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

/** Whole seconds since the epoch, as JWTs count (RFC 7519: NumericDate). */
export const secondsOf = (clock: Pick<Clock, 'now'>): number => Math.floor(clock.now() / 1000)
