/** Shares equal parts among the routes of a document, so that thousands of them are small. */

/** The parts made so far; each run of the compiler has its own. */
export class Interner {
  readonly #shared = new Map<object, Map<string, unknown>>()

  /**
   * The part for a key, made when it is first asked for. A key always names one type.
   * @param owner the object that the part belongs to, where a key alone does not identify it
   */
  share<T>(key: string, make: () => T, owner: object = this): T {
    const parts = this.#shared.get(owner) ?? new Map<string, unknown>()
    this.#shared.set(owner, parts)
    if (!parts.has(key)) parts.set(key, make())
    return parts.get(key) as T
  }
}
