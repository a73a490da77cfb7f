/** A clock for those who wait in vain. */
import type { Clock } from '#component/clock.ts'

/** Waiting takes no time: each pause moves the clock. */
export function impatientClock(): Clock {
  let now = 0
  return {
    now: () => now,
    random: () => 0,
    after(ms, callback) {
      now += ms
      setImmediate(callback)
      return () => undefined
    },
  }
}
