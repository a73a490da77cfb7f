/** What is registered or subscribed under which URI or pattern, found by the URI of a message. */
import { comparePatterns, fits, type Match } from './uri.ts'

interface Wildcard<E> {
  readonly uri: string
  readonly components: readonly string[]
  readonly entry: E
}

/** Entries by pattern. Precedence (WAMP: Pattern-based Registrations): exact, then the longest prefix, then the best wildcard. */
export class UriIndex<E> {
  readonly #exact = new Map<string, E>()
  readonly #prefix = new Map<string, E>()
  /** The distinct lengths of the prefixes, longest first: one look-up each. */
  #lengths: readonly number[] = []
  readonly #wildcard = new Map<string, E>()
  /** By number of components, best first. */
  readonly #wildcards = new Map<number, Wildcard<E>[]>()

  #map(match: Match): Map<string, E> {
    if (match === 'exact') return this.#exact
    return match === 'prefix' ? this.#prefix : this.#wildcard
  }

  /** The entry of this very pattern. */
  get(match: Match, uri: string): E | undefined {
    return this.#map(match).get(uri)
  }

  values(match: Match): Iterable<E> {
    return this.#map(match).values()
  }

  set(match: Match, uri: string, entry: E): void {
    this.#map(match).set(uri, entry)
    if (match === 'prefix') this.#measure()
    if (match === 'wildcard') {
      const components = uri.split('.')
      const list = this.#others(components.length, uri)
      list.push({ uri, components, entry })
      list.sort((a, b) => comparePatterns(a.components, b.components))
      this.#wildcards.set(components.length, list)
    }
  }

  delete(match: Match, uri: string): void {
    this.#map(match).delete(uri)
    if (match === 'prefix') this.#measure()
    if (match === 'wildcard') {
      const { length } = uri.split('.')
      const list = this.#others(length, uri)
      if (list.length > 0) this.#wildcards.set(length, list)
      else this.#wildcards.delete(length)
    }
  }

  /** The wildcard patterns of that many components, without one. */
  #others(length: number, uri: string): Wildcard<E>[] {
    return (this.#wildcards.get(length) ?? []).filter((one) => one.uri !== uri)
  }

  #measure(): void {
    const lengths = new Set<number>()
    for (const prefix of this.#prefix.keys()) lengths.add(prefix.length)
    this.#lengths = [...lengths].sort((a, b) => b - a)
  }

  /** The one entry that a call goes to. */
  best(uri: string): E | undefined {
    const exact = this.#exact.get(uri)
    if (exact !== undefined) return exact
    for (const length of this.#lengths) {
      const entry = length <= uri.length ? this.#prefix.get(uri.slice(0, length)) : undefined
      if (entry !== undefined) return entry
    }
    if (this.#wildcards.size === 0) return undefined
    const components = uri.split('.')
    return this.#wildcards
      .get(components.length)
      ?.find((wildcard) => fits(wildcard.components, components))?.entry
  }

  /** Every entry that an event goes to, in order of precedence. */
  all(uri: string): E[] {
    const found: E[] = []
    const exact = this.#exact.get(uri)
    if (exact !== undefined) found.push(exact)
    for (const length of this.#lengths) {
      const entry = length <= uri.length ? this.#prefix.get(uri.slice(0, length)) : undefined
      if (entry !== undefined) found.push(entry)
    }
    if (this.#wildcards.size > 0) {
      const components = uri.split('.')
      for (const wildcard of this.#wildcards.get(components.length) ?? []) {
        if (fits(wildcard.components, components)) found.push(wildcard.entry)
      }
    }
    return found
  }
}
