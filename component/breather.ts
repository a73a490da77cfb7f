/** Gives the event loop its turn in the middle of long work. */
import type { Breathe } from './yielding.ts'

/** Work goes on for so long before requests are served in between; milliseconds. */
const stint = 2

/** A turn of the event loop in which others take longer than this is likely followed by more of it; milliseconds. */
const busyTurn = 1

/** Turns of the event loop that are left to others at most: the work gets on whatever comes in. */
const mostTurns = 4

/** One for all long work of the process: however much of it goes on, at most one stint is done in each turn of the event loop. */
export function breather(): Breathe {
  let end = 0
  let last = Promise.resolve()
  return () => {
    if (performance.now() < end) return undefined
    last = last.then(pause)
    return last
  }

  async function pause(): Promise<void> {
    for (let turns = 0; turns < mostTurns; turns += 1) {
      const began = performance.now()
      await nextTurn()
      if (performance.now() - began < busyTurn) break
    }
    end = performance.now() + stint
  }
}

/** Behind everything that has come in. */
const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
