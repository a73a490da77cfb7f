/** Ends what is open portion by portion, so that its clients do not come back all at once. */
import type { Clock } from '#component/clock.ts'

/** Milliseconds between two portions. */
const portionGap = 50

/**
 * Ends all of them, each for its reason.
 * @param ending is empty in the end
 * @param withinMs it resolves after at most that time, when all have been told
 */
export function endAll<Reason>(
  clock: Pick<Clock, 'now' | 'after'>,
  ending: Map<{ end(reason: Reason): void }, Reason>,
  withinMs: number,
): Promise<void> {
  const endAt = clock.now() + withinMs
  const { promise, resolve } = Promise.withResolvers<void>()
  const endPortion = () => {
    const portions = Math.max(Math.ceil((endAt - clock.now()) / portionGap), 1)
    let left = Math.ceil(ending.size / portions)
    for (const [open, reason] of ending) {
      if (left === 0) break
      left -= 1
      ending.delete(open)
      open.end(reason)
    }
    if (ending.size > 0) clock.after(portionGap, endPortion)
    else resolve()
  }
  endPortion()
  return promise
}
