/** Joins writes: what comes in one turn, or while a write is under way, is written by one statement. */

interface Waiting<Item, Result> {
  readonly item: Item
  readonly resolve: (result: Result) => void
  readonly reject: (reason: unknown) => void
}

/** One kind of write. */
export class WriteBatch<Item, Result> {
  readonly #write: (items: readonly Item[]) => Promise<readonly Result[]>
  readonly #most: number
  #waiting: Waiting<Item, Result>[] = []
  #isWriting = false

  /**
   * @param write writes items, and gives the result of each in their order; when it rejects, all of them fail
   * @param most items of one write
   */
  constructor(write: (items: readonly Item[]) => Promise<readonly Result[]>, most: number) {
    this.#write = write
    this.#most = most
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
      try {
        const results = await this.#write(batch.map(({ item }) => item))
        for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Result)
      } catch (cause) {
        for (const { reject } of batch) reject(cause)
      }
    }
    this.#isWriting = false
  }
}
