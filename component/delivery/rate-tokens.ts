/** How many attempts a second may begin: a bucket of tokens. */

/** Of one delivery. Times are milliseconds. */
export class RateTokens {
  #tokens = 1
  #at: number | undefined

  /**
   * Takes a token.
   * @param rate tokens a second
   * @returns 0: it is taken; else how long until there is one
   */
  take(now: number, rate: number): number {
    const since = Math.max(now - (this.#at ?? now), 0)
    this.#at = now
    this.#tokens = Math.min(this.#tokens + (since * rate) / 1_000, Math.max(rate, 1))
    if (this.#tokens >= 1) {
      this.#tokens -= 1
      return 0
    }
    return Math.ceil(((1 - this.#tokens) * 1_000) / rate)
  }
}
