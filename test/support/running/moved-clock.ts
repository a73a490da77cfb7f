/** The clock of this machine, which a test sets forward, and stops where it looks at both sides of a moment. */
import { type Clock, systemClock } from '#component/clock.ts'

/** How far it is ahead can be set; milliseconds. */
export interface MovedClock extends Clock {
  aheadMs: number
  /** From now on it stands, but for changes of `aheadMs`; its timers go on. */
  stop(): void
  /** It goes again, from the time of this machine. */
  start(): void
}

export function movedClock(aheadMs = 0): MovedClock {
  let stoppedAt: number | undefined
  const clock: MovedClock = {
    ...systemClock,
    aheadMs,
    now: () => (stoppedAt ?? systemClock.now()) + clock.aheadMs,
    stop() {
      stoppedAt = systemClock.now()
    },
    start() {
      stoppedAt = undefined
    },
  }
  return clock
}
