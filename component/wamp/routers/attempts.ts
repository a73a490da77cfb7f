/** The attempts of a session to join: how long it waits before the next one, and which failures are news. */
import type { Clock } from '#component/clock.ts'

/** Milliseconds between attempts to join, at least and at most: below 2 s, so that a router that is back has us within 2 s. */
const backOff = { least: 100, most: 1500 }
/** After a session of at least this length the back-off starts again; milliseconds. */
const goodSessionMs = 5000

/** Counts the attempts of one session. */
export class Attempts {
  readonly #clock: Clock
  readonly #routers: number
  /** Failures since the last session that lived. */
  #failures = 0
  /** Routers that have not been tried since the last session. */
  #untried: number
  #joinedAt = 0
  /** The last reason of each router: an unreachable one would fill the log. */
  readonly #told = new Map<string | undefined, string>()

  /** @param routers how many there are to try */
  constructor(clock: Clock, routers: number) {
    this.#clock = clock
    this.#routers = routers
    this.#untried = routers
  }

  /** Whether the session has joined, and not ended since. */
  get hasJoined(): boolean {
    return this.#joinedAt > 0
  }

  /** Whether each router has failed once since the last session. */
  get haveTriedAll(): boolean {
    return this.#untried <= 0
  }

  joined(): void {
    this.#joinedAt = this.#clock.now()
    this.#untried = this.#routers
  }

  /**
   * An attempt has failed, or the session has ended.
   * @returns whether the router has not failed for this reason the last time, and milliseconds until the next attempt
   */
  failed(
    url: string | undefined,
    reason: string,
  ): { readonly isNews: boolean; readonly pause: number } {
    const lived = this.hasJoined ? this.#clock.now() - this.#joinedAt : 0
    this.#failures = lived >= goodSessionMs ? 0 : this.#failures + 1
    this.#joinedAt = 0
    this.#untried -= 1
    // the pauses grow with each round of the routers
    return {
      isNews: this.isNews(url, reason),
      pause: this.pause(Math.ceil(this.#failures / this.#routers)),
    }
  }

  /** Whether the router has not failed for this reason the last time. */
  isNews(url: string | undefined, reason: string): boolean {
    const isNews = reason !== this.#told.get(url)
    this.#told.set(url, reason)
    return isNews
  }

  /** Full jitter: anything between the least pause and one that doubles with each attempt. */
  pause(attempt: number): number {
    const { least, most } = backOff
    const longest = Math.min(most, least * 2 ** Math.min(attempt + 1, 10))
    return least + this.#clock.random() * (longest - least)
  }
}
