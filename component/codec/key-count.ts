/** Counts the keys of a text before values are built of it: a new key costs many times what a value does. */
import type { ReadRules } from './limits.ts'

/** A key with its value and what separates it takes this much of a text at least; characters or bytes. */
const leastOfKey = 3

/** The different keys of all maps of one text. */
export class KeyCount {
  readonly #rules: ReadRules
  /** Absent where the text is too short to hold too many. */
  readonly #names: Set<string> | undefined

  /** @param length of the text, in characters or bytes */
  constructor(rules: ReadRules, length: number) {
    this.#rules = rules
    this.#names = length > rules.names * leastOfKey ? new Set() : undefined
  }

  /**
   * Counts a key.
   * @param count of keys of its map, with it
   * @returns what is wrong
   */
  problemOf(key: string, count: number): string | undefined {
    const { keys, names } = this.#rules
    if (count > keys) return `more than ${keys} keys in one map`
    if (this.#names === undefined || this.#names.add(key).size <= names) return undefined
    return `more than ${names} different keys`
  }
}
