/** Arithmetic on numbers and BigInt as people wrote them: with every digit, and without the errors of binary fractions. */

import { spendVisits } from './budget.ts'

/** A number of a checked value. */
type Numeric = number | bigint

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

/** More digits behind the point are compared as BigInt. */
const mostPlaces = 12

/** Visits that a comparison of BigInt takes, and those that a digit of it takes. */
const visitsOfComparison = 150

/** Whether values are multiples of a number; exact, so 19.99 is a multiple of 0.01. Other values than numbers pass. */
export function multipleTest(of: Numeric): (value: unknown) => boolean {
  const unit = decimalOf(of)
  const scale = 10 ** -unit.power
  const isSmall =
    unit.power <= 0 && -unit.power <= mostPlaces && Number.isSafeInteger(Number(unit.digits))
  const step = Number(unit.digits)
  return (value) => {
    if (typeof value !== 'number' && typeof value !== 'bigint') return true
    if (!isNumeric(value)) return false
    if (isSmall && typeof value === 'number') {
      const scaled = Math.round(value * scale)
      // the double that is nearest to `scaled` units is the value, or the value has more places than a multiple can have
      if (Number.isSafeInteger(scaled)) return scaled / scale === value && scaled % step === 0
    }
    return isMultiple(decimalOf(value), unit)
  }
}

function isMultiple(a: Decimal, b: Decimal): boolean {
  const power = Math.min(a.power, b.power)
  spendVisits(visitsOfComparison + a.power + b.power - 2 * power)
  return (
    (a.digits * 10n ** BigInt(a.power - power)) % (b.digits * 10n ** BigInt(b.power - power)) === 0n
  )
}
