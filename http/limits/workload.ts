/** The requests that a process has in hand: those that it works on, and those that wait for it. */
import type { Done } from './concurrency-limit.ts'

/** A request that has been in flight for longer waits for others, not for this process; milliseconds. */
const longest = 5000

/** The parts of a request that decide whether it costs work. */
interface Held {
  /** Defined when the answer is a stream that has begun. */
  readonly stream?: unknown
}

/** The requests in flight, and when each has come; milliseconds. */
interface Exchanges {
  readonly size: number
  entries(): readonly (readonly [Held, number])[]
}

/**
 * Counts what is served, and under pressure what is in hand. Streams, and requests that have been in flight for five seconds, are not in hand: long
 * polls, slow backends. Requests that were answered in this turn of the event loop are, because those of one turn have waited together.
 */
export class Workload {
  readonly #exchanges: Exchanges
  readonly #now: () => number
  readonly #afterTurn: (callback: () => void) => void
  #served = 0
  #spent = 0
  #takenAt: number
  /** Requests in flight that are not in hand; undefined without pressure. */
  #idle: number | undefined
  #answered = 0

  /**
   * @param now milliseconds, as of the exchanges
   * @param afterTurn calls back when the event loop has no further request of this turn
   */
  constructor(
    exchanges: Exchanges,
    now: () => number = () => performance.now(),
    afterTurn: (callback: () => void) => void = setImmediate,
  ) {
    this.#exchanges = exchanges
    this.#now = now
    this.#afterTurn = afterTurn
    this.#takenAt = now()
  }

  /** A request has been served, and not by a stream. @param ms how long it took */
  over(ms: number): void {
    this.#served += 1
    this.#spent += Math.min(ms, longest)
    if (this.#idle === undefined) return
    if (this.#answered === 0) this.#afterTurn(() => (this.#answered = 0))
    this.#answered += 1
  }

  /** What was done since the last call. */
  take(): Done {
    const now = this.#now()
    const done = {
      served: this.#served,
      spent: this.#spent,
      seconds: Math.max(now - this.#takenAt, 1) / 1000,
    }
    this.#served = 0
    this.#spent = 0
    this.#takenAt = now
    return done
  }

  /** Looks which requests in flight are not in hand, where there is pressure. Without it {@link inHand} is not for use. */
  weigh(isUnderPressure: boolean): void {
    if (!isUnderPressure) {
      this.#idle = undefined
      return
    }
    const since = this.#now() - longest
    const idle = ([{ stream }, at]: readonly [Held, number]) => stream !== undefined || at < since
    this.#idle = this.#exchanges.entries().filter(idle).length
  }

  get inHand(): number {
    return Math.max(0, this.#exchanges.size - (this.#idle ?? 0) + this.#answered)
  }
}
