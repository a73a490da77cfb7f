/** How many attempts may fail in a minute, for each key; those under way may fail, too, so they count until they have ended. */
import { LRUCache } from 'lru-cache'
import { ServiceError } from '#component/errors.ts'
import { atMost } from '#component/limits/at-most.ts'

/** Milliseconds from the first failure until it is forgotten, with those that followed. */
const keptMs = 60_000

/**
 * Keys whose failures are kept at most: of more, the one that was tried least recently is forgotten. A network fails so often a minute as
 * `rate_limits.address_failures` says, so that no network pushes out more than its share.
 */
const mostKeys = 100_000

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
  readonly #failures: LRUCache<string, { count: number }>
  readonly #places = new Map<string, Place>()
  readonly #points: number
  readonly #onRefused: () => void

  /**
   * @param points failures a minute of one key
   * @param onRefused called for each attempt that may not run
   * @param most keys whose failures are kept
   */
  constructor(points: number, onRefused: () => void, most = mostKeys) {
    this.#points = points
    this.#failures = new LRUCache({ ttl: keptMs, ...atMost(most) })
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
      if (hasFailed) this.#count(key)
      place.onLeave()
      this.#forget(key, place)
    }
  }

  async #take(key: string, place: Place): Promise<void> {
    const points = this.#points
    for (;;) {
      const someLeft = new Promise<void>((resolve) => {
        place.onLeave = resolve
      })
      const failed = this.#failures.get(key)?.count ?? 0
      if (failed + place.running < points) {
        place.running += 1
        return
      }
      if (failed >= points) {
        this.#onRefused()
        throw tooMany(this.#failures.getRemainingTTL(key))
      }
      await someLeft
    }
  }

  #count(key: string): void {
    const failures = this.#failures.get(key)
    if (failures) failures.count += 1
    else this.#failures.set(key, { count: 1 })
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
