/** Work that keeps a processor busy, so much of it at once; more waits its turn, and beyond a bound it is refused. */
import { ServiceError } from '#component/errors.ts'

/** How much is done at once, and how much may wait. */
export interface SemaphoreLimits {
  readonly atOnce: number
  readonly waiting: number
}

/** First come, first served. */
export class Semaphore {
  readonly #limits: SemaphoreLimits
  /** Starts the ones that wait, longest first. */
  readonly #waiting = new Set<() => void>()
  #running = 0

  constructor(limits: SemaphoreLimits) {
    this.#limits = limits
  }

  /** @throws ServiceError `service.error.unavailable` with `Retry-After` when too many wait already */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running < this.#limits.atOnce) this.#running += 1
    else await this.#wait()
    try {
      return await work()
    } finally {
      this.#pass()
    }
  }

  #wait(): Promise<void> {
    if (this.#waiting.size >= this.#limits.waiting) {
      const message = 'too many passwords are being checked: try again'
      throw new ServiceError('service.error.unavailable', message, {
        headers: { 'retry-after': '1' },
      })
    }
    return new Promise((resolve) => this.#waiting.add(resolve))
  }

  /** The turn goes to the one that has waited longest. */
  #pass(): void {
    const [next] = this.#waiting
    if (next === undefined) {
      this.#running -= 1
      return
    }
    this.#waiting.delete(next)
    next()
  }
}
