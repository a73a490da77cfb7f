/** Arithmetic on numbers and BigInt as people wrote them: with every digit, and without the errors of binary fractions. */

/** A number of a checked value. */
export type Numeric = number | bigint

/** Whether a value counts as a number; NaN and infinities do not. */
export const isNumeric = (value: unknown): value is Numeric =>
  typeof value === 'bigint' || (typeof value === 'number' && Number.isFinite(value))

/** Whether a value is a number without a fraction. */
export const isInteger = (value: unknown): boolean =>
  typeof value === 'bigint' || Number.isInteger(value)

/** `digits` × 10^`power`. */
interface Decimal {
  readonly digits: bigint
  readonly power: number
}

/** The shortest decimal that reads as this number: what its author wrote. */
function decimalOf(value: Numeric): Decimal {
  if (typeof value === 'bigint') return { digits: value, power: 0 }
  const [mantissa = '0', exponent = '0'] = String(value).split('e')
  const [whole = '0', fraction = ''] = mantissa.split('.')
  return { digits: BigInt(whole + fraction), power: Number(exponent) - fraction.length }
}

/** Whether a number is a multiple of another one; exact, so 19.99 is a multiple of 0.01. */
export function isMultiple(value: Numeric, of: Numeric): boolean {
  if (Number.isSafeInteger(value) && Number.isSafeInteger(of))
    return Number(value) % Number(of) === 0
  const a = decimalOf(value)
  const b = decimalOf(of)
  const power = Math.min(a.power, b.power)
  return (
    (a.digits * 10n ** BigInt(a.power - power)) % (b.digits * 10n ** BigInt(b.power - power)) === 0n
  )
}
