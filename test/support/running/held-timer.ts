/** The clock of the system, but for one timer, which ends when the test says so. */
import { type Clock, systemClock } from '#component/clock.ts'

/** @param ms names the timer: no other one of the gateway is as long */
export function heldTimer(ms: number): { readonly clock: Clock; end(): void } {
  let held = (): void => undefined
  const clock: Clock = {
    ...systemClock,
    after(wait, callback) {
      if (wait !== ms) return systemClock.after(wait, callback)
      held = callback
      return () => undefined
    },
  }
  return { clock, end: () => held() }
}
