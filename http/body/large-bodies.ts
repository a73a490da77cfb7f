/** The turns in which large bodies are decoded: one at a time, and other requests are served between them. */
import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises'

/** Whether a body of this many bytes waits for {@link decodingTurn}; smaller ones are decoded at once. */
export const isLarge = (bytes: number): boolean => bytes >= 262_144

/** The part of the time of a large body that is left to other requests after it; a call needs several turns of the event loop. */
const restPart = 1 / 4

/** That time is at most `most`, and left out where it is shorter than `least`; milliseconds. */
const rest = { least: 1, most: 20 } as const

/** Time, for tests. */
interface TurnPorts {
  /** Milliseconds. */
  readonly now: () => number
  readonly wait: (ms: number) => Promise<unknown>
}

const system: TurnPorts = { now: () => performance.now(), wait }

/** Makes the turns of one process. The function that it returns resolves when the next large body may be decoded. */
export function decodingTurns({ now, wait }: TurnPorts = system): () => Promise<void> {
  let last = Promise.resolve()
  let restsUntil = 0

  async function turn(): Promise<void> {
    await nextTurn()
    const left = restsUntil - now()
    if (left >= rest.least) await wait(left)
    const began = now()
    // the body is decoded within this turn of the event loop, and answered where no backend is asked
    setImmediate(() => {
      const ended = now()
      restsUntil = ended + Math.min((ended - began) * restPart, rest.most)
    })
  }

  return () => {
    last = last.then(turn)
    return last
  }
}

/** Resolves when the next large body may be decoded. */
export const decodingTurn = decodingTurns()
