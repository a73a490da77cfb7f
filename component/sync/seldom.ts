/** Keeps what happens again and again from filling the log. */
import type { Clock } from '#component/clock.ts'

/** Milliseconds between two lines about one thing. */
const pauseMs = 60_000
/** Things that are told apart within that time; more of them count as one. */
const maxThings = 100

/** At most one line a minute about each thing. */
export class Seldom {
  readonly #clock: Pick<Clock, 'now'>
  /** Thing to when it was told. */
  readonly #toldAt = new Map<string, number>()

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock
  }

  /** Is it time to write a line about it? Then it counts as written. */
  isTime(thing: string): boolean {
    const now = this.#clock.now()
    for (const [known, at] of this.#toldAt) {
      // a clock that was set back must not silence it
      if (Math.abs(now - at) >= pauseMs) this.#toldAt.delete(known)
    }
    const isOneTooMany = !this.#toldAt.has(thing) && this.#toldAt.size >= maxThings
    const name = isOneTooMany ? '' : thing
    if (this.#toldAt.has(name)) return false
    this.#toldAt.set(name, now)
    return true
  }
}
