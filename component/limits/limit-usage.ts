/** The limits that a process holds its clients to: how much of each is used, and how often it has refused something. */

/** A limit as it is now. */
export interface LimitState {
  /** The key of the configuration, such as `limits.streams`. */
  readonly key: string
  /** The most there may be; undefined: any number. */
  readonly bound: number | undefined
  /** What is used of it now; undefined where that says nothing, as of a rate. */
  readonly used: number | undefined
  /** How often something was refused for it. */
  readonly refused: number
}

interface Limit {
  bound: number | undefined
  used: (() => number) | undefined
  refused: number
}

/** One for each process. */
export class LimitUsage {
  readonly #limits = new Map<string, Limit>()

  /**
   * Names a limit.
   * @param bound undefined: any number
   * @param used how much is used now; of a limit that holds for each network or user, how much the one has that has most
   */
  declare(key: string, bound: number | undefined, used?: () => number): void {
    const limit = this.#limit(key)
    limit.bound = bound
    limit.used = used
  }

  /** Counts something that was refused for a limit. */
  refuse(key: string): void {
    this.#limit(key).refused += 1
  }

  /** All limits. */
  get all(): readonly LimitState[] {
    return Array.from(this.#limits, ([key, { bound, used, refused }]) => ({
      ...{ key, bound, refused },
      used: used?.(),
    }))
  }

  #limit(key: string): Limit {
    const known = this.#limits.get(key)
    if (known) return known
    const limit: Limit = { bound: undefined, used: undefined, refused: 0 }
    this.#limits.set(key, limit)
    return limit
  }
}
