/** How long the series of a route are kept once nothing serves it. */

/** As long as Prometheus looks back; milliseconds. */
const keptMs = 300_000

/** At most this many removed routes keep series, or twice the number of served routes where that is more. */
const leastKept = 100

/** A new series starts a sweep of the routes at most once in this time; milliseconds. */
const sweepMs = 60_000

/** What decides whether a route is served. */
export interface RoutePorts {
  /** Milliseconds since the epoch. */
  now(): number
  /** Whether something serves the route now. */
  isServed(route: string): boolean
}

/** The removed routes among those that have series. */
export class FormerRoutes {
  /** With the time when that was noticed; oldest first. */
  readonly #gone = new Map<string, number>()
  readonly #ports: RoutePorts
  #sweptAt = Number.NEGATIVE_INFINITY

  constructor(ports: RoutePorts) {
    this.#ports = ports
  }

  /** Whether a new series may start a sweep: the number of series grows only then. */
  get isSweepDue(): boolean {
    return this.#ports.now() - this.#sweptAt >= sweepMs
  }

  /**
   * The routes whose series end now: those that were removed {@link keptMs} ago, and the oldest ones beyond a bound.
   * @param known all that have series
   */
  *sweep(known: ReadonlySet<string> | ReadonlyMap<string, unknown>): Generator<string> {
    const now = this.#ports.now()
    this.#sweptAt = now
    for (const route of known.keys()) {
      if (this.#ports.isServed(route)) this.#gone.delete(route)
      else if (!this.#gone.has(route)) this.#gone.set(route, now)
    }
    const most = Math.max(leastKept, 2 * (known.size - this.#gone.size))
    for (const [route, since] of this.#gone) {
      if (now - since < keptMs && this.#gone.size <= most) break
      this.#gone.delete(route)
      yield route
    }
  }
}
