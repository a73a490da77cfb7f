/** Attempts: how often an action is tried, how long it waits between, and how it is given up (behaviour §1 Units, §4). */
import type { Clock } from '#component/clock.ts'
import { canceled } from '#component/errors.ts'
import type { Attempts, Outcome } from './action.ts'

/** How one attempt ended. */
export interface Attempted {
  readonly outcome: Outcome
  /** Whether it may be repeated without harm. */
  readonly isRetriable: boolean
  /** Whether its body can be sent once more; absent: it cannot. */
  readonly isReplayable?: boolean
}

/** Full jitter: a wait from 0 to `first`, doubled by each attempt up to `max`; milliseconds. */
const backOff = { first: 100, max: 2000 } as const

/** Work in flight that can be cancelled. */
interface Cancelable {
  cancel(): void
}

/** Cancels the work in flight when the client goes away. One for each request; knows its current work. */
export class Cancellation {
  #isCanceled = false
  #current: Cancelable | undefined

  /** @param onCancel calls back when the client goes away */
  constructor(onCancel: (callback: () => void) => void) {
    onCancel(() => {
      this.#isCanceled = true
      this.#current?.cancel()
    })
  }

  get isCanceled(): boolean {
    return this.#isCanceled
  }

  /**
   * The work in flight now; cancelled at once if the client has gone already. It is the object itself, not a closure over it:
   * V8 promotes such closures, with all that they refer to, to the old generation.
   */
  set current(current: Cancelable | undefined) {
    this.#current = current
    if (this.#isCanceled) current?.cancel()
  }

  /** The promise, or a rejection as soon as the client goes away. */
  race<T>(promise: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      promise.then(resolve, reject)
      this.current = { cancel: () => reject(canceled()) }
    })
  }

  /** Waits, at most until the client goes away. */
  wait(ms: number, clock: Clock): Promise<void> {
    return new Promise((resolve) => {
      const stop = clock.after(ms, resolve)
      const cancel = (): void => {
        stop()
        resolve()
      }
      this.current = { cancel }
    })
  }
}

/** Makes one attempt after `tried` others; `previous` is the outcome that it replaces. */
type Attempt = (
  timeoutMs: number,
  tried: number,
  previous: Outcome | undefined,
) => Promise<Attempted>

/**
 * Tries until an attempt succeeds, may not be repeated, `retries` are used up, or `retry_timeout` after the first
 * failure has come: then the last attempt is cut short.
 * @param attempt is given the milliseconds it may take
 */
export function retry(
  attempts: Attempts,
  clock: Clock,
  cancellation: Cancellation,
  attempt: Attempt,
): Promise<Outcome> {
  const { timeout, retries } = attempts
  return attempt(timeout, 0, undefined).then((first) =>
    first.isRetriable && retries > 0
      ? tryAgain(first, attempts, clock, cancellation, attempt)
      : first.outcome,
  )
}

async function tryAgain(
  first: Attempted,
  { timeout, retries, retry_timeout }: Attempts,
  clock: Clock,
  cancellation: Cancellation,
  attempt: Attempt,
): Promise<Outcome> {
  let { outcome, isRetriable } = first
  const end = clock.now() + retry_timeout
  for (let tried = 0; tried < retries && isRetriable; tried += 1) {
    const pause = clock.random() * Math.min(backOff.max, backOff.first * 2 ** tried)
    if (clock.now() + pause >= end) return outcome
    await cancellation.wait(pause, clock)
    if (cancellation.isCanceled) return outcome
    const next = await attempt(Math.min(timeout, end - clock.now()), tried + 1, outcome)
    outcome = next.outcome
    isRetriable = next.isRetriable
  }
  return outcome
}
