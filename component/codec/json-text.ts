/** The small parts of JSON text: its digits, its escapes, and the keys of one object. */

/** Whether a character is a digit, by its code. */
export const isDigit = (code: number) => code >= 0x30 && code <= 0x39

/** The value of a hexadecimal digit; -1 for other characters. */
export const hexValue = (code: number): number => {
  if (isDigit(code)) return code - 0x30
  const lower = code | 0x20
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1
}

/** Letters after a backslash, `u` aside (RFC 8259 §7). */
export const escapes = new Set([...'"\\/bfnrt'].map((letter) => letter.charCodeAt(0)))

/** The keys of one object; for the few keys of most objects a list is faster than a Set. */
export class Keys {
  readonly #few: string[] = []
  #many: Set<string> | undefined

  /** @returns whether the key is new */
  add(key: string): boolean {
    if (this.#many === undefined) {
      if (this.#few.includes(key)) return false
      if (this.#few.push(key) > 12) this.#many = new Set(this.#few)
      return true
    }
    if (this.#many.has(key)) return false
    this.#many.add(key)
    return true
  }

  get size(): number {
    return this.#many?.size ?? this.#few.length
  }
}
