/** Joins writes: what comes in one turn, or while writes are under way, is written by one statement. */

/** How many of one kind go together. */
export interface BatchSize {
  /** The most items of one write. A full write begins immediately, a smaller one at the end of the turn of the event loop. */
  readonly items: number
  /** The most writes that are under way; further items wait for one of them to end. */
  readonly writes: number
}

interface Waiting<Item, Result> {
  readonly item: Item
  readonly resolve: (result: Result) => void
  readonly reject: (reason: unknown) => void
}

/** One kind of write. */
export class WriteBatch<Item, Result> {
  readonly #write: (items: readonly Item[]) => Promise<readonly Result[]>
  readonly #size: BatchSize
  #waiting: Waiting<Item, Result>[] = []
  #writes = 0
  #isDue = false

  /** @param write writes items, and gives the result of each in their order; when it rejects, all of them fail */
  constructor(write: (items: readonly Item[]) => Promise<readonly Result[]>, size: BatchSize) {
    this.#write = write
    this.#size = size
  }

  /** Writes an item with those that come at the same time. */
  add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject })
      if (this.#waiting.length >= this.#size.items) void this.#writeAll()
      else this.#writeLater()
    })
  }

  #writeLater(): void {
    if (this.#isDue) return
    this.#isDue = true
    // the requests that have arrived in this turn of the event loop are served before it
    setImmediate(() => {
      this.#isDue = false
      void this.#writeAll()
    })
  }

  async #writeAll(): Promise<void> {
    // those that are under way go on with what waits
    if (this.#writes >= this.#size.writes) return
    this.#writes += 1
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, this.#size.items)
      try {
        const results = await this.#write(batch.map(({ item }) => item))
        for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Result)
      } catch (cause) {
        for (const { reject } of batch) reject(cause)
      }
    }
    this.#writes -= 1
  }
}
