/** What clients of a gateway know: of each thing the values that it may have, as far as they were answered. */

/** The client has sent something that makes this the value; it has been told so; an upstream has performed a request; its client has the answer. */
export type Known =
  | { readonly begin: string; readonly value: Value }
  | { readonly end: string; readonly value: Value }
  | { readonly performed: string }
  | { readonly answered: string; readonly body: string }

/** null: it is not there. */
export type Value = string | number | null

/** As of some moment. */
export class Knowledge {
  readonly #values = new Map<string, Set<Value>>()
  /** Requests with an Idempotency-Key that were performed, with the answer that their clients have got. */
  readonly performed = new Map<string, string | undefined>()

  add(known: Known): void {
    if ('performed' in known) this.performed.set(known.performed, undefined)
    else if ('answered' in known) this.performed.set(known.answered, known.body)
    else if ('end' in known) this.#values.set(known.end, new Set([known.value]))
    else this.#values.set(known.begin, this.possible(known.begin).add(known.value))
  }

  get count(): number {
    return this.#values.size + this.performed.size
  }

  /** What a thing may be: one value, unless somebody is waiting for an answer, or has got none. */
  possible(name: string): Set<Value> {
    return this.#values.get(name) ?? new Set<Value>([null])
  }

  /** The names of the things of a kind that are known. */
  of(kind: string): string[] {
    return [...this.#values.keys()].filter((name) => name.startsWith(`${kind} `))
  }
}
