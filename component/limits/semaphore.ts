/** Limits how many tasks run at once: more wait, first come, first served, and beyond a bound they are refused. */
import type { Clock } from '#component/clock.ts'
import { canceled, ServiceError } from '#component/errors.ts'

/** The bounds of a semaphore. */
export interface SemaphoreLimits {
  /** Tasks that run at once, at least 1. */
  readonly atOnce: number
  /** Tasks that wait. */
  readonly waiting: number
  /** The message to a task beyond these. */
  readonly refusal: string
}

/** Is told of one task that finds no free slot. */
export interface WaitWatch {
  /** The task waits. */
  waits(): void
  /** It waits no more, or was refused at once. */
  over(isRefused: boolean): void
}

/** How long a task waits; without it, until a slot is free. */
interface WaitLimit {
  readonly clock: Clock
  readonly maxMs: number
  /** Takes a callback that gives up waiting because the client went away. */
  onCancel(callback: () => void): void
  /** Receives each task that finds no free slot, for metrics. */
  readonly watch?: WaitWatch | undefined
}

const unavailable = (message: string): ServiceError =>
  new ServiceError('service.error.unavailable', message, { headers: { 'retry-after': '1' } })

/** Takes a callback for when a task is over, although it has settled before. */
export type OnOver = (callback: () => void) => void

/** A number of slots, and a queue in front of them. */
export class Semaphore {
  readonly #limits: SemaphoreLimits
  /** Starts the waiting tasks, the oldest first. */
  readonly #waiting = new Set<() => void>()
  #running = 0

  constructor(limits: SemaphoreLimits) {
    this.#limits = limits
  }

  /** Whether a task would have to wait. */
  get isFull(): boolean {
    return this.#running >= this.#limits.atOnce
  }

  /**
   * Runs the task when a slot is free. The slot is held until the task has settled, and what goes on after it is over.
   * ServiceError: `service.error.unavailable` with `Retry-After` when too many tasks wait already or the wait
   * was too long, `wamp.error.canceled` when the client went away meanwhile.
   * @param goesOn says of a result what goes on after it; undefined: nothing
   */
  run<T>(
    task: () => Promise<T>,
    limit?: WaitLimit,
    goesOn?: (result: T) => OnOver | undefined,
  ): Promise<T> {
    if (this.isFull) {
      return this.#wait(limit).then(() => this.#hold(task, goesOn))
    }
    this.#running += 1
    return this.#hold(task, goesOn)
  }

  /** Runs the task in a slot that is taken. */
  async #hold<T>(task: () => Promise<T>, goesOn?: (result: T) => OnOver | undefined): Promise<T> {
    let onOver: OnOver | undefined
    try {
      const result = await task()
      onOver = goesOn?.(result)
      return result
    } finally {
      if (onOver) onOver(() => this.#release())
      else this.#release()
    }
  }

  #wait(limit: WaitLimit | undefined): Promise<void> {
    const watch = limit?.watch
    if (this.#waiting.size >= this.#limits.waiting) {
      watch?.over(true)
      return Promise.reject(unavailable(this.#limits.refusal))
    }
    return new Promise((resolve, reject) => {
      let stopTimer: (() => void) | undefined
      const start = (): void => {
        stopTimer?.()
        watch?.over(false)
        resolve()
      }
      this.#waiting.add(start)
      watch?.waits()
      if (limit === undefined) return
      const giveUp = (error: ServiceError, isRefused: boolean): void => {
        if (!this.#waiting.delete(start)) return
        stopTimer?.()
        watch?.over(isRefused)
        reject(error)
      }
      const { clock, maxMs } = limit
      const late = 'the request waited too long for its turn'
      stopTimer = clock.after(maxMs, () => giveUp(unavailable(late), true))
      limit.onCancel(() => giveUp(canceled(), false))
    })
  }

  /** Hands the slot to the task that has waited longest, or frees it. */
  #release(): void {
    const [start] = this.#waiting
    if (start === undefined) {
      this.#running -= 1
      return
    }
    this.#waiting.delete(start)
    start()
  }
}
