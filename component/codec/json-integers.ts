/** Reads JSON text whose integers beyond 2^53 become BigInt, and beyond 64 bits doubles or text; JSON.parse with a reviver is much slower. */
import { isInteger64 } from '#component/syntax/integers.ts'
import { setOwn } from '#component/syntax/values.ts'

const quote = 0x22
const comma = 0x2c
const minus = 0x2d
const backslash = 0x5c

/** Every integer of at most this many characters fits a double. */
const safeLength = 15

/** No integer of 64 bits has more characters. */
const longestOf64 = 20

/** V8 copies parts of this length; longer ones keep the whole text in memory. */
const copiedLength = 12

/** Reads text that the scan has accepted: nothing is checked again, and nesting is as deep as the scan allows. */
class Reader {
  readonly #text: string
  readonly #allowsDoubles: boolean
  #at = 0

  constructor(text: string, allowsDoubles: boolean) {
    this.#text = text
    this.#allowsDoubles = allowsDoubles
  }

  /** Skips white space; the code of the next character. */
  #next(): number {
    for (;;) {
      const code = this.#text.charCodeAt(this.#at)
      if (code > 0x20) return code
      this.#at++
    }
  }

  value(): unknown {
    switch (this.#next()) {
      case 0x7b:
        return this.#object()
      case 0x5b:
        return this.#array()
      case quote:
        return this.#string()
      case 0x74:
        this.#at += 4
        return true
      case 0x66:
        this.#at += 5
        return false
      case 0x6e:
        this.#at += 4
        return null
      case 0x4e: // NaN
        this.#at += 3
        return null
      case 0x49: // Infinity
        this.#at += 8
        return null
      default:
        return this.#number()
    }
  }

  #array(): unknown[] {
    const values: unknown[] = []
    this.#at++
    if (this.#next() === 0x5d) {
      this.#at++
      return values
    }
    do values.push(this.value())
    while (this.#hasMore())
    return values
  }

  #object(): object {
    const members: Record<string, unknown> = {}
    this.#at++
    if (this.#next() === 0x7d) {
      this.#at++
      return members
    }
    do {
      this.#next()
      const key = this.#string()
      this.#next()
      this.#at++ // the colon
      setOwn(members, key, this.value())
    } while (this.#hasMore())
    return members
  }

  /** Behind a member: steps over the comma, or over the closing bracket. */
  #hasMore(): boolean {
    const code = this.#next()
    this.#at++
    return code === comma
  }

  #string(): string {
    const text = this.#text
    const start = this.#at
    let isPlain = true
    let at = start + 1
    for (let code = text.charCodeAt(at); code !== quote; code = text.charCodeAt(at)) {
      if (code === backslash) {
        isPlain = false
        at++
      }
      at++
    }
    this.#at = at + 1
    if (isPlain && at - start <= copiedLength) return text.slice(start + 1, at)
    return JSON.parse(text.slice(start, at + 1)) as string
  }

  #number(): number | bigint | string | null {
    const text = this.#text
    const start = this.#at
    const isNegative = text.charCodeAt(start) === minus
    if (isNegative && text.charCodeAt(start + 1) === 0x49) {
      this.#at += 9
      return null
    }
    let at = isNegative ? start + 1 : start
    let value = 0
    let code = text.charCodeAt(at)
    for (; code >= 0x30 && code <= 0x39; code = text.charCodeAt(++at)) {
      value = value * 10 + code - 0x30
    }
    const isInteger = code !== 0x2e && (code | 0x20) !== 0x65
    if (isInteger && at - start <= safeLength) {
      this.#at = at
      return isNegative ? -value : value
    }
    if (!isInteger) while (isOfNumber(text.charCodeAt(at))) at++
    this.#at = at
    const literal = text.slice(start, at)
    const number = Number(literal)
    if (!isInteger) return Number.isFinite(number) ? number : null
    return Number.isSafeInteger(number)
      ? number
      : greatInteger(literal, number, this.#allowsDoubles)
  }
}

/** Of more than 64 bits, where the scan has let them pass: the double, or the literal. */
function greatInteger(literal: string, double: number, allowsDoubles: boolean) {
  const beyond = allowsDoubles ? double : literal
  if (literal.length > longestOf64) return beyond
  const integer = BigInt(literal)
  return isInteger64(integer) ? integer : beyond
}

/** Digits, `+`, `-`, `.`, `e` and `E`. */
const isOfNumber = (code: number): boolean =>
  (code >= 0x2b && code <= 0x39 && code !== comma) || (code | 0x20) === 0x65

/** @param text that the scan has accepted */
export const readWithBigIntegers = (text: string, allowsDoubles: boolean): unknown =>
  new Reader(text, allowsDoubles).value()
