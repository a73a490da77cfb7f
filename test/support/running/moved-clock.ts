/** The clock of this machine, which a test sets forward. */
import { type Clock, systemClock } from '#component/clock.ts'

/** How far it is ahead can be set; milliseconds. */
export interface MovedClock extends Clock {
  aheadMs: number
}

export function movedClock(aheadMs = 0): MovedClock {
  const clock = { ...systemClock, aheadMs, now: () => systemClock.now() + clock.aheadMs }
  return clock
}
