/** Reads decimal numbers without rounding: integers beyond 2^53 are BigInt, integers beyond 64 bits are refused. */
import { isInteger64 } from '#component/syntax/integers.ts'

/** Most decimal digits of a 64-bit integer. */
const mostDigits = 20

/** Integers of at most this many digits are exact as a number. */
const exactDigits = 15

/** A decimal number taken apart; offsets into its text. */
interface Decimal {
  readonly isNegative: boolean
  readonly intStart: number
  readonly intEnd: number
  /** The digits of the fraction end here; they begin behind the point. */
  readonly fractionEnd: number
  readonly exponent: number
}

function digitsEnd(text: string, start: number): number {
  let end = start
  while (end < text.length) {
    const code = text.charCodeAt(end)
    if (code < 48 || code > 57) break
    end++
  }
  return end
}

/** Scans `[+-]digits[.digits][e[+-]digits]`; undefined for any other text. */
function scanDecimal(text: string): Decimal | undefined {
  const isNegative = text[0] === '-'
  const intStart = isNegative || text[0] === '+' ? 1 : 0
  const intEnd = digitsEnd(text, intStart)
  if (intEnd === intStart) return undefined
  let fractionEnd = intEnd
  if (text[intEnd] === '.') {
    fractionEnd = digitsEnd(text, intEnd + 1)
    if (fractionEnd === intEnd + 1) return undefined
  }
  let end = fractionEnd
  let exponent = 0
  if (text[end] === 'e' || text[end] === 'E') {
    const sign = text[end + 1]
    const start = sign === '-' || sign === '+' ? end + 2 : end + 1
    end = digitsEnd(text, start)
    if (end === start) return undefined
    const size = Number(text.slice(start, end))
    exponent = sign === '-' ? -size : size
  }
  return end === text.length ? { isNegative, intStart, intEnd, fractionEnd, exponent } : undefined
}

/** An integer of at most 64 bits, as a number where a number is exact; undefined beyond. */
function normalInteger(value: bigint): number | bigint | undefined {
  if (!isInteger64(value)) return undefined
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : value
}

function integerOfText(text: string): number | bigint | undefined {
  const decimal = scanDecimal(text)
  if (!decimal) return undefined
  const { isNegative, intStart, intEnd, fractionEnd, exponent } = decimal
  if (intEnd === text.length && intEnd - intStart <= exactDigits) return Number(text) + 0 // no -0
  let first = intStart
  while (first < fractionEnd && (text[first] === '0' || text[first] === '.')) first++
  if (first === fractionEnd) return 0
  const digit = (offset: number): string => (offset < fractionEnd ? (text[offset] ?? '0') : '0')
  // How many digits stand before the point, once the exponent has moved it.
  const before = (first < intEnd ? intEnd - first : intEnd + 1 - first) + exponent
  if (before <= 0) return 0
  if (before > mostDigits) return undefined
  let digits = ''
  for (let offset = first; digits.length < before; offset++) {
    if (offset !== intEnd) digits += digit(offset)
  }
  return normalInteger(BigInt(isNegative ? `-${digits}` : digits))
}

/** A number, or the text of a decimal number, truncated; undefined for other values and beyond 64 bits. */
export function integerOf(value: unknown): number | bigint | undefined {
  if (typeof value === 'string') return integerOfText(value)
  if (typeof value === 'bigint') return normalInteger(value)
  if (typeof value !== 'number' || !Number.isFinite(value)) return undefined
  const whole = Math.trunc(value) + 0 // + 0: there is no -0 among integers
  return Number.isSafeInteger(whole) ? whole : normalInteger(BigInt(whole))
}

/** A number, or the text of one, as a float; undefined for other values, infinity, and integers that would lose digits. */
export function floatOf(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined
  if (typeof value === 'bigint') {
    const float = Number(value)
    return BigInt(float) === value ? float : undefined
  }
  if (typeof value !== 'string') return undefined
  const decimal = scanDecimal(value)
  if (!decimal) return undefined
  if (decimal.intEnd === value.length) {
    const whole = integerOfText(value)
    return whole === undefined ? undefined : floatOf(whole)
  }
  const float = Number(value)
  return Number.isFinite(float) ? float : undefined
}

/** A number as it is, or the text of one: as an integer when it is whole, else as a float. */
export function numberOf(value: unknown): number | bigint | undefined {
  if (typeof value === 'bigint') return value
  if (typeof value !== 'string') return floatOf(value)
  return scanDecimal(value)?.intEnd === value.length ? integerOfText(value) : floatOf(value)
}

/** An integer from 1 that a list or random() can count to; undefined for anything else. */
export function positionOf(value: unknown): number | undefined {
  const isWhole =
    typeof value === 'string' ? digitsEnd(value, 0) === value.length : Number.isInteger(value)
  const position = isWhole ? integerOf(value) : undefined
  return typeof position === 'number' && position >= 1 ? position : undefined
}
