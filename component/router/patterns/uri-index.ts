/** Finds registrations and subscriptions by the URI of a message. */
import type { Match } from '#component/syntax/wamp-uri.ts'
import { Wildcards } from './wildcards.ts'

/** The most characters of a URI that is matched in each way: patterns are kept, and looked through with each message. */
export const maxLength: Readonly<Record<Match, number>> = {
  exact: 1_024,
  prefix: 255,
  wildcard: 255,
}

/** Entries by pattern. Precedence (WAMP: Pattern-based Registrations): exact, then the longest prefix, then the best wildcard. */
export class UriIndex<E> {
  readonly #exact = new Map<string, E>()
  readonly #prefix = new Map<string, E>()
  /** The number of prefixes of each length. */
  readonly #counts = new Uint32Array(maxLength.prefix + 1)
  /** The distinct lengths of the prefixes, longest first: one look-up each. */
  #lengths: readonly number[] = []
  readonly #wildcards = new Wildcards<E>()

  #map(match: Match): Map<string, E> {
    if (match === 'exact') return this.#exact
    return match === 'prefix' ? this.#prefix : this.#wildcards.entries
  }

  /** The entry of this very pattern. */
  get(match: Match, uri: string): E | undefined {
    return this.#map(match).get(uri)
  }

  values(match: Match): Iterable<E> {
    return this.#map(match).values()
  }

  /** Whether the pattern may be added; false when the search through the patterns would take too long. */
  hasRoom(match: Match, uri: string): boolean {
    return match !== 'wildcard' || this.#wildcards.hasRoom(uri)
  }

  /** @param uri of at most {@link maxLength} characters */
  set(match: Match, uri: string, entry: E): void {
    const isNew = !this.#map(match).has(uri)
    this.#map(match).set(uri, entry)
    if (!isNew) return
    if (match === 'prefix') this.#measure(uri.length, 1)
    if (match === 'wildcard') this.#wildcards.added(uri)
  }

  delete(match: Match, uri: string): void {
    if (!this.#map(match).delete(uri)) return
    if (match === 'prefix') this.#measure(uri.length, -1)
    if (match === 'wildcard') this.#wildcards.deleted(uri)
  }

  /** One prefix of the length more, or less. */
  #measure(length: number, change: 1 | -1): void {
    const count = this.#counts[length] ?? 0
    this.#counts[length] = count + change
    if (count > 0 && count + change > 0) return
    const others = this.#lengths.filter((one) => one !== length)
    this.#lengths = change === 1 ? [...others, length].sort((a, b) => b - a) : others
  }

  /** The one entry that a call goes to. */
  best(uri: string): E | undefined {
    const exact = this.#exact.get(uri)
    if (exact !== undefined) return exact
    for (const length of this.#lengths) {
      const entry = length <= uri.length ? this.#prefix.get(uri.slice(0, length)) : undefined
      if (entry !== undefined) return entry
    }
    return this.#wildcards.best(uri)
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
    this.#wildcards.find(uri, found)
    return found
  }
}
