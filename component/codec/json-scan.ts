/** One linear pass over JSON text before it is parsed: refuses what JSON.parse lets through or takes too long for. */
import { type ErrorUri, ServiceError } from '#component/errors.ts'
import { maxInteger as greatest, minInteger as least } from '#component/syntax/integers.ts'
import { KeyCount } from './key-count.ts'
import { maxDigits, type ReadRules } from './limits.ts'

/** Whether a character is a digit, by its code. */
const isDigit = (code: number) => code >= 0x30 && code <= 0x39

/** The value of a hexadecimal digit; -1 for other characters. */
const hexValue = (code: number): number => {
  if (isDigit(code)) return code - 0x30
  const lower = code | 0x20
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1
}

/** Letters after a backslash, `u` aside (RFC 8259 §7). */
const escapes = new Set([...'"\\/bfnrt'].map((letter) => letter.charCodeAt(0)))

/** The keys of one object; for the few keys of most objects a list is faster than a Set. */
class Keys {
  readonly #few: string[] = []
  #many: Set<string> | undefined
  /** The key that was added last. */
  last = ''

  /** @returns whether the key is new */
  add(key: string): boolean {
    this.last = key
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

/** The greatest integers, by what they are for; all of a length compare as text. */
const maxSafeInteger = String(Number.MAX_SAFE_INTEGER)
const maxInteger = String(greatest)
const minInteger = String(-least)

/** Whether an unsigned integer, as text without leading zeros, is greater than another one. */
const isBeyond = (digits: string, limit: string): boolean =>
  digits.length === limit.length ? digits > limit : digits.length > limit.length

/** Longer text is tested for being plain, in parts; characters. */
const longText = 100_000
const testedLength = 32_768

const notPlain = /[^\x20-\x5b\x5d-\x7e]/

/** One pass over a text, of which a part is in memory at a time. */
export class Scanner {
  text: string
  readonly rules: ReadRules
  position = 0
  values = 0
  /** The containers that are open, from the outermost on: the keys of an object, nothing of an array. */
  readonly open: (Keys | undefined)[] = []
  /** Whether JSON.parse would refuse a number of it, or lose digits. */
  hasGreatNumbers = false
  /** Up to here, from the position on, the text holds only printable ASCII without a backslash: a string then ends at the next quote. */
  #plainEnd = 0
  /** Up to here it is known whether it does. */
  #testedEnd = Infinity
  /** Where the string begins of which a part has been read; undefined between values. */
  #stringStart: number | undefined
  /** Whether that part ends with the first half of a surrogate pair. */
  #isHalf = false
  /** Whether the string just read contains a backslash. */
  hasEscape = false
  readonly #keys: KeyCount
  /** Characters before {@link text}. */
  #before = 0

  /** @param length of the whole text, in characters or bytes */
  constructor(text: string, rules: ReadRules, length = text.length) {
    this.text = text
    this.rules = rules
    this.#keys = new KeyCount(rules, length)
    if (length >= longText) this.#testedEnd = 0
  }

  /** The position in the whole text. */
  get place(): number {
    return this.#before + this.position
  }

  /** Forgets the text before a position, and appends what comes next; between values, or within the string of one. */
  slide(from: number, next: string): void {
    this.text = this.text.slice(from) + next
    this.#before += from
    this.position -= from
    if (this.#stringStart !== undefined) this.#stringStart -= from
    // what was appended has not been tested
    if (this.#testedEnd !== Infinity) this.#testedEnd = this.#plainEnd = 0
  }

  fail(problem: string, at = this.position, uri: ErrorUri = 'service.error.bad_request'): never {
    throw new ServiceError(uri, `${problem} at position ${this.#before + at} of the JSON text`)
  }

  /** Skips white space; the code of the next character, NaN at the end. */
  next(): number {
    for (;;) {
      const code = this.text.charCodeAt(this.position)
      if (code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09) this.position++
      else return code
    }
  }

  /**
   * Reads the value with all that is in it, without recursion, so that it can be interrupted.
   * @param characters after which it ends in front of a value
   * @returns whether all of it has been read
   */
  read(characters = Number.POSITIVE_INFINITY): boolean {
    const end = this.position + characters
    while (this.position < end) {
      if (this.#stringStart === undefined) {
        this.#countValue()
        const code = this.next()
        const isContainer = code === 0x7b || code === 0x5b
        if (isContainer && this.isEntered(code)) continue
        if (code === 0x22) {
          if (!this.string(end)) return false
        } else if (!isContainer) this.scalar(code)
      } else if (!this.string(end)) return false
      if (this.hasLeftAll()) return true
    }
    return false
  }

  /** Whether the position is within a string, of which a part has been read. */
  get isInString(): boolean {
    return this.#stringStart !== undefined
  }

  #countValue(): void {
    if (this.position >= this.#testedEnd) this.#test()
    if (++this.values <= this.rules.values) return
    const problem = `more than ${this.rules.values} values`
    this.fail(problem, this.position, 'service.error.payload_too_large')
  }

  #test(): void {
    this.#testedEnd = this.position + testedLength
    const isPlain = !notPlain.test(this.text.slice(this.position, this.#testedEnd))
    this.#plainEnd = isPlain ? this.#testedEnd : 0
  }

  /** Behind the value: refuses what follows it. */
  end(): void {
    this.next()
    if (this.position < this.text.length) this.fail('more text after the value')
  }

  /** Enters a container up to its first value; false, behind it, when it is empty. */
  isEntered(open: number): boolean {
    if (this.open.length === this.rules.depth) this.fail(`nesting deeper than ${this.rules.depth}`)
    this.position++
    const isObject = open === 0x7b
    if (this.next() === (isObject ? 0x7d : 0x5d)) {
      this.position++
      return false
    }
    const keys = isObject ? new Keys() : undefined
    this.open.push(keys)
    if (keys) this.key(keys)
    return true
  }

  /** Behind a value: leaves the containers that end here, and goes on to the next value. True when none is left. */
  hasLeftAll(): boolean {
    for (;;) {
      if (this.open.length === 0) return true
      const keys = this.open.at(-1)
      if (!this.isClosed(keys ? 0x7d : 0x5d)) {
        if (keys) this.key(keys)
        return false
      }
      this.open.pop()
    }
  }

  /** A key and its colon. */
  key(keys: Keys): void {
    if (this.next() !== 0x22) this.fail('a missing key in quotes')
    const start = this.position
    this.string()
    const end = this.position
    const key = this.hasEscape
      ? (JSON.parse(this.text.slice(start, end)) as string)
      : this.text.slice(start + 1, end - 1)
    if (!keys.add(key)) this.fail('a duplicate key', start)
    const tooMany = this.#keys.problemOf(key, keys.size)
    if (tooMany) this.fail(tooMany, start, 'service.error.payload_too_large')
    if (key === '__proto__' && !this.rules.allowProtoKeys) {
      this.fail('the forbidden key __proto__', start)
    }
    if (this.next() !== 0x3a) this.fail('a missing colon')
    this.position++
  }

  scalar(code: number): void {
    if (code === 0x74) this.word('true')
    else if (code === 0x66) this.word('false')
    else if (code === 0x6e) this.word('null')
    else if (this.rules.isWamp && !this.isNumeral(code)) this.nonFinite()
    else this.number()
  }

  /** After a member: true at the end of its container, false after a comma. */
  isClosed(end: number): boolean {
    const code = this.next()
    if (code !== end && code !== 0x2c) this.fail('a missing comma or closing bracket')
    this.position++
    return code === end
  }

  /** @param limit where it pauses @returns whether its end has been read */
  string(limit = Number.POSITIVE_INFINITY): boolean {
    const { text } = this
    const start = this.#stringStart ?? this.position
    let at = this.position
    let isHalf = this.#isHalf
    if (this.#stringStart === undefined) {
      if (start < this.#plainEnd) {
        const end = text.indexOf('"', start + 1)
        if (end > 0 && end < this.#plainEnd) {
          this.position = end + 1
          this.hasEscape = false
          return true
        }
      }
      at++
      isHalf = false
      this.hasEscape = false
    }
    for (;;) {
      if (at >= limit) {
        this.#stringStart = start
        this.#isHalf = isHalf
        this.position = at
        return false
      }
      const code = text.charCodeAt(at)
      if (code === 0x22) break
      if (code !== 0x5c && code >= 0x20 && (code < 0xd800 || code > 0xdfff)) {
        if (isHalf) this.loneSurrogate(start)
        isHalf = false
        at++
        continue
      }
      let unit = code
      if (code === 0x5c) {
        this.hasEscape = true
        unit = this.escape(at)
        at += text.charCodeAt(at + 1) === 0x75 ? 6 : 2
      } else if (code >= 0xd800) at++
      else this.fail(at < text.length ? 'a control character in a string' : 'an open string', at)
      const isSecond = unit >= 0xdc00 && unit <= 0xdfff
      if (isHalf !== isSecond) this.loneSurrogate(start)
      isHalf = unit >= 0xd800 && unit < 0xdc00
    }
    if (isHalf) this.loneSurrogate(start)
    this.#stringStart = undefined
    this.position = at + 1
    return true
  }

  /** The UTF-16 unit that the escape at a backslash stands for, 0 for the short ones. */
  escape(at: number): number {
    const letter = this.text.charCodeAt(at + 1)
    if (letter !== 0x75) {
      if (!escapes.has(letter)) this.fail('an unknown escape', at)
      return 0
    }
    let unit = 0
    for (let digit = at + 2; digit < at + 6; digit++) {
      const value = hexValue(this.text.charCodeAt(digit))
      if (value < 0) this.fail('an unfinished escape', at)
      unit = unit * 16 + value
    }
    return unit
  }

  loneSurrogate(at: number): void {
    if (!this.rules.allowLoneSurrogates) this.fail('a lone surrogate in the string', at)
  }

  word(word: string): void {
    if (!this.text.startsWith(word, this.position)) this.fail('an unknown word')
    this.position += word.length
  }

  /** Whether a number in digits begins here. */
  isNumeral(code: number): boolean {
    return isDigit(code === 0x2d ? this.text.charCodeAt(this.position + 1) : code)
  }

  /** What JavaScript has for numbers that JSON cannot write, and json.dumps of Python writes. */
  nonFinite(): void {
    const word = nonFinites.find((one) => this.text.startsWith(one, this.position))
    if (word === undefined) this.digits()
    else this.word(word)
    this.hasGreatNumbers = true
  }

  digits(): void {
    const start = this.position
    while (isDigit(this.text.charCodeAt(this.position))) this.position++
    if (this.position === start) {
      this.fail(start < this.text.length ? 'an unexpected character' : 'an unexpected end')
    }
  }

  number(): void {
    const { text } = this
    const start = this.position
    if (text.charCodeAt(start) === 0x2d) this.position++
    if (text.charCodeAt(this.position) === 0x30) this.position++
    else this.digits()
    const end = this.position
    if (text.charCodeAt(end) === 0x2e) {
      this.position++
      this.digits()
    }
    if ((text.charCodeAt(this.position) | 0x20) === 0x65) {
      this.position++
      const sign = text.charCodeAt(this.position)
      if (sign === 0x2b || sign === 0x2d) this.position++
      this.digits()
    }
    if (this.position === end) this.integer(start)
    else if (!Number.isFinite(Number(text.slice(start, this.position)))) {
      if (!this.rules.isWamp) this.fail('a number beyond the range of a double', start)
      this.hasGreatNumbers = true
    }
  }

  /** Integers keep every digit or are refused (behaviour: Expressions). */
  integer(start: number): void {
    const end = this.position
    if (end - start < maxSafeInteger.length) return
    const isNegative = this.text.charCodeAt(start) === 0x2d
    const digits = this.text.slice(isNegative ? start + 1 : start, end)
    if (!isBeyond(digits, maxSafeInteger)) return
    if (isBeyond(digits, isNegative ? minInteger : maxInteger)) this.beyond64(digits, start)
    this.hasGreatNumbers = true
  }

  /** They become text in messages of WAMP, and doubles where the rules allow them. */
  beyond64(digits: string, start: number): void {
    const { isWamp, allowGreatIntegers } = this.rules
    const isDouble = allowGreatIntegers && Number.isFinite(Number(digits))
    if (!isWamp && !isDouble) this.fail('an integer of more than 64 bits', start)
    if (digits.length > maxDigits && !isDouble) {
      this.fail(`an integer of more than ${maxDigits} digits`, start)
    }
  }
}

const nonFinites = ['NaN', 'Infinity', '-Infinity'] as const

/**
 * Checks JSON text by RFC 8259 and the rules.
 * @returns whether it holds numbers that JSON.parse would refuse or round
 * @throws ServiceError 413 for too many values, else 400; the message names the position, never data
 */
export function scanJson(text: string, rules: ReadRules): boolean {
  const scanner = new Scanner(text, rules)
  scanner.read()
  scanner.end()
  return scanner.hasGreatNumbers
}

/** The containers around a position, from the outermost on: the key of the member of a map, undefined for a list. */
type Around = readonly (string | undefined)[]

/** A part of a text that was accepted: from one value to another one, or to the end. */
export interface Piece {
  readonly text: string
  readonly start: Around
  /** Nothing: it is the last piece. */
  readonly end: Around
  readonly hasGreatNumbers: boolean
}

/** Text that comes in parts. */
export interface ComingText {
  /** Of all of it, at most; characters. */
  readonly length: number
  readonly hasMore: boolean
  /** The next part. @param length of it about, in characters; absent: all of the rest */
  next(length?: number): string
}

/** Once a piece is longer than this many steps, the rest of the text is read at once. */
const mostOfPiece = 32

/** Appends the next part where fewer characters than three steps are left, so that what a step begins ends in the text, mostly. */
export function refill(scanner: Scanner, from: number, coming: ComingText, step: number): void {
  if (!coming.hasMore || scanner.text.length - scanner.position >= 3 * step) return
  const isLong = scanner.position - from > mostOfPiece * step
  scanner.slide(from, isLong ? coming.next() : coming.next(3 * step))
}

/**
 * {@link scanJson} piece by piece; undefined at a pause within a piece. What is wrong may also be that a key, a number or blanks are longer than two
 * steps and are taken for two, but where the status is 413.
 * @param characters of a piece at least, but for the last
 */
export function* scanPieces(
  coming: ComingText,
  rules: ReadRules,
  characters: number,
): Generator<Piece | undefined, void, undefined> {
  const scanner = new Scanner('', rules, coming.length)
  for (let start: Around = [], isLast = false; !isLast; ) {
    // each piece begins where the text does
    scanner.slide(scanner.position, '')
    scanner.hasGreatNumbers = false
    refill(scanner, 0, coming, characters)
    isLast = scanner.read(characters)
    while (scanner.isInString) {
      yield undefined
      refill(scanner, 0, coming, characters)
      isLast = scanner.read(characters)
    }
    if (isLast) {
      if (coming.hasMore) scanner.slide(0, coming.next())
      scanner.end()
    }
    const end = scanner.open.map((keys) => keys?.last)
    const { position, hasGreatNumbers } = scanner
    yield { text: scanner.text.slice(0, position), start, end, hasGreatNumbers }
    start = end
  }
}
