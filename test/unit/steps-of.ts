/** How much work in steps there is. */
import type { Steps } from '#component/yielding.ts'

/** Does all of it; how many steps it took. */
export function stepsOf(steps: Steps<unknown>): number {
  let count = 0
  while (!steps.next().done) count += 1
  return count
}
