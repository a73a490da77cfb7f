/** A circuit breaker: closed while actions succeed, open after too many failures, half-open while one probe is under way. */

/** When a circuit opens, and for how long. */
export interface BreakerRule {
  /** The part of results that are failures from which the circuit opens; above 0, at most 1. */
  readonly threshold: number
  /** Results within the window below which it does not open. */
  readonly minimum: number
  readonly windowMs: number
  readonly openMs: number
}

/** `unknown` tells nothing of the target, as where the client has gone away. */
export type Result = 'success' | 'failure' | 'unknown'

export type CircuitState = 'closed' | 'half-open' | 'open'

/** The window moves by a tenth of its length. */
const sliceCount = 10

/** Of one target. Times are milliseconds since the epoch. */
export class Breaker {
  readonly #sliceMs: number
  readonly #totals = new Array<number>(sliceCount).fill(0)
  readonly #failures = new Array<number>(sliceCount).fill(0)
  /** The number of the newest slice, counted from the epoch. */
  #newest = 0
  #state: CircuitState = 'closed'
  #openedAt = 0
  #openUntil = 0
  /** Changes with the state, so that what began before does not count after it. */
  #ticket = 0

  constructor({ windowMs }: Pick<BreakerRule, 'windowMs'>) {
    this.#sliceMs = windowMs / sliceCount
  }

  /** @returns a ticket for {@link end}; undefined: the action must not be tried */
  begin(now: number): number | undefined {
    if (this.#state === 'half-open' || this.stateAt(now) === 'open') return undefined
    if (this.#state === 'open') this.#become('half-open')
    return this.#ticket
  }

  /** Takes the result of an action. It counts unless the state has changed since the action began. */
  end(ticket: number, result: Result, now: number, rule: BreakerRule): void {
    if (ticket !== this.#ticket) return
    if (this.#state === 'half-open') this.#judgeProbe(result, now, rule)
    else if (result !== 'unknown') this.#count(result === 'failure', now, rule)
  }

  /** Milliseconds until an action is tried again; 0 while a probe is under way. */
  waitMs(now: number): number {
    return this.stateAt(now) === 'open' ? this.#openUntil - now : 0
  }

  /** `half-open`, too, where the next action is the probe. */
  stateAt(now: number): CircuitState {
    if (this.#state !== 'open') return this.#state
    // a clock that was set back does not keep it open
    return now >= this.#openUntil || now < this.#openedAt ? 'half-open' : 'open'
  }

  #judgeProbe(result: Result, now: number, { openMs }: BreakerRule): void {
    if (result === 'success') {
      this.#totals.fill(0)
      this.#failures.fill(0)
      this.#become('closed')
    } else this.#open(now, result === 'failure' ? openMs : 0)
  }

  #count(isFailure: boolean, now: number, { threshold, minimum, openMs }: BreakerRule): void {
    const slice = this.#sliceAt(now)
    this.#totals[slice] = (this.#totals[slice] ?? 0) + 1
    if (!isFailure) return
    this.#failures[slice] = (this.#failures[slice] ?? 0) + 1
    const total = sum(this.#totals)
    if (total >= minimum && sum(this.#failures) >= threshold * total) this.#open(now, openMs)
  }

  /** The index of the slice of a time; slices that have left the window are emptied. */
  #sliceAt(now: number): number {
    const newest = Math.floor(now / this.#sliceMs)
    const passed = Math.min(newest - this.#newest, sliceCount)
    for (let step = 0; step < passed; step += 1) {
      const slice = (newest - step) % sliceCount
      this.#totals[slice] = 0
      this.#failures[slice] = 0
    }
    this.#newest = Math.max(newest, this.#newest)
    return this.#newest % sliceCount
  }

  #open(now: number, ms: number): void {
    this.#openedAt = now
    this.#openUntil = now + ms
    this.#become('open')
  }

  #become(state: CircuitState): void {
    this.#state = state
    this.#ticket += 1
  }
}

const sum = (counts: readonly number[]): number => counts.reduce((all, count) => all + count, 0)
