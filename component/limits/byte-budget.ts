/** A limit on the bytes held for peers: they are taken before they are kept, and given back afterwards. */

/** Bytes that may be held at once, by the whole process or by one peer. */
export class ByteBudget {
  readonly limit: number
  readonly #whole: ByteBudget | undefined
  #used = 0
  #most = 0

  /**
   * @param limit most bytes held at once
   * @param whole the budget that this one is a share of: bytes taken here are taken there, too
   */
  constructor(limit: number, whole?: ByteBudget) {
    this.limit = limit
    this.#whole = whole
  }

  /** Bytes held now. */
  get used(): number {
    return this.#used
  }

  /** Takes bytes; false, with nothing taken, when the limit of this budget or of the whole would be passed. */
  tryTake(bytes: number): boolean {
    if (this.#used + bytes > this.limit) return false
    if (this.#whole !== undefined && !this.#whole.tryTake(bytes)) return false
    this.#used += bytes
    if (this.#used > this.#most) this.#most = this.#used
    return true
  }

  /** The most bytes that were held at once since the last call. */
  takeMost(): number {
    const most = this.#most
    this.#most = this.#used
    return most
  }

  /** Gives back bytes that were taken here; more than are held count as all of them. */
  give(bytes: number): void {
    const given = Math.min(bytes, this.#used)
    this.#used -= given
    this.#whole?.give(given)
  }
}
