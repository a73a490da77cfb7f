/** How many attempts may fail in a minute, for each key; those under way may fail, too, so they count until they have ended. */
import { RateLimiterMemory } from 'rate-limiter-flexible'
import { ServiceError } from '#component/errors.ts'

/** Seconds from the first failure until it is forgotten. */
const duration = 60

/** Ends an attempt and tells whether it failed. */
export type Leave = (hasFailed: boolean) => void

/** The attempts with one key. */
interface Place {
  /** Attempts that run or wait; the place is removed when there are no more. */
  present: number
  running: number
  /** Ends when the one that came last runs, or is refused: the next one looks then. */
  last: Promise<unknown>
  onLeave: () => void
}

/** The failures of the last minute, and the attempts of now. */
export class Budget {
  readonly #failures: RateLimiterMemory
  readonly #places = new Map<string, Place>()

  readonly #onRefused: () => void

  /**
   * @param points failures a minute of one key
   * @param onRefused called for each attempt that may not run
   */
  constructor(points: number, onRefused: () => void) {
    this.#failures = new RateLimiterMemory({ points, duration })
    this.#onRefused = onRefused
  }

  /**
   * Resolves when the attempt may run: while others that run may still use the budget up, it waits for them, first come,
   * first served.
   * @returns what ends the attempt; it must be called once
   * @throws ServiceError too_many_requests with `Retry-After` when the failures have used the budget up
   */
  async enter(key: string): Promise<Leave> {
    const place = this.#places.get(key) ?? newPlace()
    this.#places.set(key, place)
    place.present += 1
    const turn = place.last.then(() => this.#take(key, place))
    place.last = turn.catch(() => undefined)
    try {
      await turn
    } catch (cause) {
      this.#forget(key, place)
      throw cause
    }
    return (hasFailed) => {
      place.running -= 1
      // in memory it is counted at once
      if (hasFailed) void this.#failures.penalty(key)
      place.onLeave()
      this.#forget(key, place)
    }
  }

  async #take(key: string, place: Place): Promise<void> {
    const { points } = this.#failures
    for (;;) {
      const someLeft = new Promise<void>((resolve) => {
        place.onLeave = resolve
      })
      const { running } = place
      const found = await this.#failures.get(key)
      const failed = found && found.msBeforeNext > 0 ? found.consumedPoints : 0
      // both were read at one time; an attempt that has ended since then has only made room
      if (failed + running < points) {
        place.running += 1
        return
      }
      if (found && failed >= points) {
        this.#onRefused()
        throw tooMany(found.msBeforeNext)
      }
      await someLeft
    }
  }

  #forget(key: string, place: Place): void {
    place.present -= 1
    if (place.present === 0) this.#places.delete(key)
  }
}

const newPlace = (): Place => ({
  present: 0,
  running: 0,
  last: Promise.resolve(),
  onLeave: () => undefined,
})

const tooMany = (ms: number): ServiceError =>
  new ServiceError('service.error.too_many_requests', 'too many failed logins: try again later', {
    headers: { 'retry-after': String(Math.ceil(ms / 1000)) },
  })
