/** Joins writes: what comes in one turn, or while a write is under way, is written by one statement. */
import { setImmediate as turn, setTimeout as wait } from 'node:timers/promises'

interface Waiting<Item, Result> {
  readonly item: Item
  readonly resolve: (result: Result) => void
  readonly reject: (reason: unknown) => void
}

/** One kind of write. */
export class WriteBatch<Item, Result> {
  readonly #write: (items: readonly Item[]) => Promise<readonly Result[]>
  readonly #most: number
  readonly #isBlocking: boolean
  #waiting: Waiting<Item, Result>[] = []
  #isWriting = false

  /**
   * @param write writes items, and gives the result of each in their order; when it rejects, all of them fail
   * @param most items of one write
   * @param isBlocking whether a write stops everything else in this process: between two of them others get as much time as the first one
   *   took, so that more items come together
   */
  constructor(
    write: (items: readonly Item[]) => Promise<readonly Result[]>,
    most: number,
    isBlocking: boolean,
  ) {
    this.#write = write
    this.#most = most
    this.#isBlocking = isBlocking
  }

  /** Writes an item with those that come at the same time. */
  add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject })
      if (this.#isWriting) return
      this.#isWriting = true
      // the requests that have arrived in this turn of the event loop are served before it
      setImmediate(() => void this.#writeAll())
    })
  }

  async #writeAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, this.#most)
      const begun = performance.now()
      try {
        const results = await this.#write(batch.map(({ item }) => item))
        for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Result)
      } catch (cause) {
        for (const { reject } of batch) reject(cause)
      }
      if (this.#isBlocking) await pause(performance.now() - begun)
    }
    this.#isWriting = false
  }
}

/** Milliseconds that a pause takes at most. */
const longestPause = 5

const pause = (ms: number): Promise<void> => (ms < 1 ? turn() : wait(Math.min(ms, longestPause)))
