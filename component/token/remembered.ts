/** The cache of verified tokens, and what such a cache tells of itself, for metrics. */
import { LRUCache } from 'lru-cache'

/** A cache of verified tokens or logins. */
export interface Remembered {
  /** How often a credential was known, and how often it had to be verified. */
  readonly lookups: { readonly hit: number; readonly miss: number }
  /** Those that are known now. */
  readonly entries: number
}

/** The number of tokens, and their characters in total. */
const most = { max: 10_000, maxSize: 16_000_000 }

/** What is known of verified tokens, by their text; those that were not used for the longest time go first. */
export class VerifiedTokens<V extends object> implements Remembered {
  readonly lookups = { hit: 0, miss: 0 }
  readonly #tokens = new LRUCache<string, V>({
    ...most,
    sizeCalculation: (_verified, token) => token.length,
  })

  get entries(): number {
    return this.#tokens.size
  }

  /** What is known of a token; it is counted. */
  find(token: string): V | undefined {
    const known = this.#tokens.get(token)
    this.lookups[known ? 'hit' : 'miss'] += 1
    return known
  }

  /** Remembers a token. */
  add(token: string, verified: V): void {
    this.#tokens.set(token, verified)
  }
}
