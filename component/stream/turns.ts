/** Work for many streams in stints, so that other requests are served between them. */

/** Calls back when other work has had its turn. */
export type NextTurn = (callback: () => void) => void

/** A stint ends after this; milliseconds. */
const stintMs = 2

/** Some work. @returns whether it is done; it is called again otherwise */
export type Stint = (isLate: () => boolean) => boolean

/** Does work at the end of the turn, one stint a turn. */
export class Turns {
  readonly #nextTurn: NextTurn
  readonly #work = new Set<Stint>()
  #isPlanned = false

  constructor(nextTurn: NextTurn = setImmediate) {
    this.#nextTurn = nextTurn
  }

  /** Adds work, unless it is there already. */
  add(stint: Stint): void {
    this.#work.add(stint)
    this.#plan()
  }

  #plan(): void {
    if (this.#isPlanned) return
    this.#isPlanned = true
    this.#nextTurn(() => this.#run())
  }

  #run(): void {
    this.#isPlanned = false
    const end = performance.now() + stintMs
    const isLate = (): boolean => performance.now() >= end
    try {
      for (const stint of this.#work) {
        // it may add itself again
        this.#work.delete(stint)
        if (!stint(isLate)) this.#work.add(stint)
        if (isLate()) break
      }
    } finally {
      // one that fails keeps nothing from the others
      if (this.#work.size > 0) this.#plan()
    }
  }
}
