/** What a cache of verified credentials tells of itself, for metrics. */

/** A cache of verified tokens or logins. */
export interface Remembered {
  /** How often a credential was known, and how often it had to be verified. */
  readonly lookups: { readonly hit: number; readonly miss: number }
  /** Those that are known now. */
  readonly entries: number
}
