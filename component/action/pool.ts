/** How many actions of a version run at once; more wait their turn (behaviour §1, `pool_size`). */
import type { Clock } from '#component/clock.ts'
import { ServiceError } from '#component/errors.ts'
import { canceled, type Outcome, streamOf } from './outcome.ts'

/** Requests that may wait, for each one that may run. */
const waitersPerSlot = 10

const unavailable = (message: string): ServiceError =>
  new ServiceError('service.error.unavailable', message, { headers: { 'retry-after': '1' } })

/** A number of slots and a queue in front of them, first come, first served. */
export class Pool {
  readonly #size: number
  readonly #clock: Clock
  /** Starts the ones that wait, longest first. */
  readonly #waiting = new Set<() => void>()
  #running = 0

  /** @param size how many tasks run at once, at least 1 */
  constructor(size: number, clock: Clock) {
    this.#size = size
    this.#clock = clock
  }

  /** Tasks that hold a slot now. */
  get running(): number {
    return this.#running
  }

  /** Tasks that wait for a slot now. */
  get waiting(): number {
    return this.#waiting.size
  }

  /**
   * Runs the task when a slot is free. The slot is held until the outcome is there and, if it streams, its stream
   * has closed. ServiceError `service.error.unavailable` when too many wait already or the wait was too long.
   * @param maxWaitMs how long the task may wait for a slot
   * @param onCancel takes a callback that gives the waiting up
   */
  run<T extends Outcome>(
    maxWaitMs: number,
    task: () => Promise<T>,
    onCancel: (callback: () => void) => void,
  ): Promise<T> {
    if (this.#running >= this.#size) {
      return this.#wait(maxWaitMs, onCancel).then(() => this.#hold(task))
    }
    this.#running += 1
    return this.#hold(task)
  }

  /** Runs the task in a slot that is taken. */
  async #hold<T extends Outcome>(task: () => Promise<T>): Promise<T> {
    let stream: ReturnType<typeof streamOf>
    try {
      const outcome = await task()
      stream = streamOf(outcome)
      return outcome
    } finally {
      if (stream && !stream.closed) stream.once('close', () => this.#release())
      else this.#release()
    }
  }

  #wait(maxWaitMs: number, onCancel: (callback: () => void) => void): Promise<void> {
    if (this.#waiting.size >= this.#size * waitersPerSlot) {
      return Promise.reject(unavailable('too many requests are already waiting for this API'))
    }
    return new Promise((resolve, reject) => {
      const refuse = (error: ServiceError): void => {
        if (!this.#waiting.delete(start)) return
        stopTimer()
        reject(error)
      }
      const start = (): void => {
        stopTimer()
        resolve()
      }
      const stopTimer = this.#clock.after(maxWaitMs, () =>
        refuse(unavailable('the request waited too long for its turn')),
      )
      this.#waiting.add(start)
      onCancel(() => refuse(canceled()))
    })
  }

  /** Hands the slot to the one that waits longest, or frees it. */
  #release(): void {
    for (const start of this.#waiting) {
      this.#waiting.delete(start)
      start()
      return
    }
    this.#running -= 1
  }
}
