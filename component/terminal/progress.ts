/** Tells on a terminal how far long work has come: one line that is written over and over. */
import type { Clock } from '#component/clock.ts'

/** Takes how far work has come. */
export interface Progress {
  /** @param work such as `loading`; `done` of `total` pieces are done */
  show(work: string, done: number, total: number): void
  /** Removes the line, so that something else can be written. */
  clear(): void
}

/** Where nobody looks. */
export const noProgress: Progress = { show: () => undefined, clear: () => undefined }

/** The least time between two updates, and before the first: short work shows nothing; milliseconds. */
const interval = 250

/** To the first column, and everything from there to the end of the line removed. */
const clearLine = '\r\u001B[K'

/** A stream that may be a terminal. */
interface Output {
  readonly isTTY?: boolean
  write(text: string): unknown
}

/** The line at the cursor, if the output is a terminal; else nothing is written. */
export const progressOn = (output: Output, clock: Pick<Clock, 'now'>): Progress =>
  output.isTTY === true ? new ProgressLine(clock, (text) => void output.write(text)) : noProgress

class ProgressLine implements Progress {
  readonly #clock: Pick<Clock, 'now'>
  readonly #write: (text: string) => void
  #last: number | undefined
  #isShown = false

  constructor(clock: Pick<Clock, 'now'>, write: (text: string) => void) {
    this.#clock = clock
    this.#write = write
  }

  show(work: string, done: number, total: number): void {
    if (done >= total) {
      this.clear()
      this.#last = undefined
      return
    }
    const now = this.#clock.now()
    this.#last ??= now
    if (now - this.#last < interval) return
    this.#last = now
    this.#isShown = true
    this.#write(`${clearLine}${work} ${done} of ${total}`)
  }

  clear(): void {
    if (this.#isShown) this.#write(clearLine)
    this.#isShown = false
  }
}

/** The items one by one, and how many of them are done; the line goes with the loop, however that ends. */
export function* inProgress<T>(
  progress: Progress,
  work: string,
  items: readonly T[],
): Generator<T, void> {
  try {
    for (const [done, item] of items.entries()) {
      progress.show(work, done, items.length)
      yield item
    }
  } finally {
    progress.clear()
  }
}
