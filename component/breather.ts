/** Gives the event loop its turn in the middle of long work. */
import type { Breathe } from './spec/steps.ts'

/** Work goes on for so long before requests are served in between; milliseconds. */
const stint = 5

/** One for all long work of the process: what runs at the same time shares the stint. */
export function breather(): Breathe {
  let end = 0
  return () => {
    if (performance.now() < end) return undefined
    return new Promise((resolve) => {
      // behind everything that has come in
      setImmediate(() => {
        end = performance.now() + stint
        resolve()
      })
    })
  }
}
