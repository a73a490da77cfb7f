/** A limit on what is held for peers, such as bytes or connections: taken before it is kept, and given back afterwards. */

/** The amount that may be held at once, by the whole process or by one peer. */
export class Quota {
  readonly limit: number
  readonly #whole: Quota | undefined
  #used = 0
  #most = 0

  /**
   * @param limit most held at once
   * @param whole the quota that this one is a share of: what is taken here is taken there, too
   */
  constructor(limit: number, whole?: Quota) {
    this.limit = limit
    this.#whole = whole
  }

  /** The amount held now. */
  get used(): number {
    return this.#used
  }

  /** Takes an amount; false, with nothing taken, when the limit of this quota or of the whole would be passed. */
  tryTake(amount: number): boolean {
    if (this.#used + amount > this.limit) return false
    if (this.#whole !== undefined && !this.#whole.tryTake(amount)) return false
    this.#used += amount
    if (this.#used > this.#most) this.#most = this.#used
    return true
  }

  /** The most that was held at once since the last call. */
  takeMost(): number {
    const most = this.#most
    this.#most = this.#used
    return most
  }

  /** Gives back what was taken here; more than is held counts as all of it. */
  give(amount: number): void {
    const given = Math.min(amount, this.#used)
    this.#used -= given
    this.#whole?.give(given)
  }
}
