/** The shared parts of a description, each once under a name: `components` of OpenAPI. */

/** Names that are given once. */
export class FreeNames {
  readonly #taken: Set<string>
  /** By name: the number that its next namesake is tried with. */
  readonly #next = new Map<string, number>()

  constructor(taken: Iterable<string> = []) {
    this.#taken = new Set(taken)
  }

  /** The name, or the first free one of `name_2`, `name_3` and so on. */
  take(name: string): string {
    let free = name
    let count = this.#next.get(name) ?? 2
    while (this.#taken.has(free)) {
      free = `${name}_${count}`
      count += 1
    }
    this.#next.set(name, count)
    this.#taken.add(free)
    return free
  }
}

/** Values by name; equal values have one name. */
export class NamedParts {
  readonly #values: Map<string, unknown>
  readonly #names: FreeNames
  readonly #known = new Map<string, string>()

  /** @param given parts that keep their names */
  constructor(given: Readonly<Record<string, unknown>> = {}) {
    this.#values = new Map(Object.entries(given))
    this.#names = new FreeNames(this.#values.keys())
  }

  /** The name of a value: `preferred`, or one that begins with it. */
  nameOf(preferred: string, value: unknown): string {
    const key = `${preferred}\n${JSON.stringify(value)}`
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const name = this.#names.take(preferred)
    this.#values.set(name, value)
    this.#known.set(key, name)
    return name
  }

  get(name: string): unknown {
    return this.#values.get(name)
  }

  /** undefined where there is none. */
  toMap(): Readonly<Record<string, unknown>> | undefined {
    return this.#values.size > 0 ? Object.fromEntries(this.#values) : undefined
  }
}
