/** Hybrid logical clock: stamps that order the changes of all nodes, and never go back on any of them. */
import type { Clock } from '#component/clock.ts'

/** When and where a change was made. Of two stamps the greater one is the later change, on every node alike. */
export interface Stamp {
  /** Milliseconds since the epoch, of the greatest clock that the node knew of. */
  readonly ms: number
  /** Tells changes of the same millisecond apart. */
  readonly counter: number
  readonly node: string
}

const order = (a: string, b: string): number => (a < b ? -1 : Number(a > b))

/** Negative when `a` is before `b`, positive when it is after it, 0 for the same change. */
export const compareStamps = (a: Stamp, b: Stamp): number =>
  a.ms - b.ms || a.counter - b.counter || order(a.node, b.node)

/** A stamp as text, for digests and people: `1763740800000.0.node-1`. */
export const formatStamp = ({ ms, counter, node }: Stamp): string => `${ms}.${counter}.${node}`

/** Greatest counter: what every store keeps as an integer. */
export const maxCounter = 2 ** 31 - 1

/** Gives the stamps of a node: each greater than every stamp it gave or saw, whatever the clock of the machine does. */
export class HybridClock {
  readonly #clock: Pick<Clock, 'now'>
  readonly #node: string
  #ms = 0
  #counter = 0

  constructor(clock: Pick<Clock, 'now'>, node: string) {
    this.#clock = clock
    this.#node = node
  }

  /** The stamp of a change that is made now. */
  tick(): Stamp {
    const now = this.#clock.now()
    if (now > this.#ms) {
      this.#ms = now
      this.#counter = 0
    } else if (this.#counter < maxCounter) {
      this.#counter++
    } else {
      this.#ms++
      this.#counter = 0
    }
    return { ms: this.#ms, counter: this.#counter, node: this.#node }
  }

  /** Takes note of a stamp from elsewhere, or from the store: the next one given is greater. */
  observe({ ms, counter }: Stamp): void {
    if (ms > this.#ms) {
      this.#ms = ms
      this.#counter = counter
    } else if (ms === this.#ms) {
      this.#counter = Math.max(this.#counter, counter)
    }
  }
}
