/** Functions on numbers: integers are exact up to 64 bits, and nothing is rounded to one. */
import { charge } from '#component/expression/budget.ts'
import type { Site } from '#component/expression/site.ts'
import { isList, isNumber } from '#component/expression/values.ts'
import { floatOf, integerOf, numberOf } from './decimal.ts'
import {
  type FunctionTable,
  number,
  ofAnything,
  ofScalar,
  type PipeFunction,
  position,
} from './function.ts'

type Number64 = number | bigint

function extreme(isBetter: (a: Number64, b: Number64) => boolean) {
  return (value: Number64 | readonly unknown[], site: Site, limit?: Number64) => {
    if (!isList(value)) return limit === undefined || !isBetter(value, limit) ? limit : value
    if (limit !== undefined) return undefined
    charge(value.length, site)
    let best: Number64 | undefined
    for (const item of value) {
      if (!isNumber(item)) return undefined
      if (best === undefined || isBetter(item, best)) best = item
    }
    return best
  }
}

const ofNumbers = {
  least: 0,
  parameters: [number],
  takes: (value: unknown) => isNumber(value) || isList(value),
  wanted: 'a list of at least one number, or a number and an argument',
}

const isWhole = (value: Number64): boolean =>
  typeof value === 'bigint' || Number.isSafeInteger(value)

/** An operation on two numbers: of integers an integer, else a float. */
function calculation(
  name: string,
  onFloats: (a: number, b: number) => number,
  onIntegers: (a: bigint, b: bigint) => bigint,
): PipeFunction {
  const fail = (site: Site, what: string): never =>
    site.fail(`${name}: the result ${what}`, `: the result ${what}`)
  return {
    ...ofScalar,
    usage: `${name}(n)`,
    least: 1,
    parameters: [number],
    wanted: 'a number, or the text of a decimal number',
    apply: (value: unknown, site, other: Number64) => {
      const own = numberOf(value)
      if (own === undefined) return undefined
      if (isWhole(own) && isWhole(other)) {
        const quick = onFloats(Number(own), Number(other))
        if (typeof own === typeof other && Number.isSafeInteger(quick)) return quick + 0 // no -0
        const exact = integerOf(onIntegers(BigInt(own), BigInt(other)))
        return exact ?? fail(site, 'has more than 64 bits')
      }
      const [a, b] = [floatOf(own), floatOf(other)]
      const result = a === undefined || b === undefined ? Number.NaN : onFloats(a, b)
      return Number.isFinite(result) ? result + 0 : fail(site, 'is none that a float can hold')
    },
  }
}

/** The sum of a value and a number, as `add` makes it; undefined where the value is no number. */
export const plus = calculation(
  'sum',
  (a, b) => a + b,
  (a, b) => a + b,
).apply as (value: unknown, site: Site, other: Number64) => Number64 | undefined

/** By name. */
export const arithmetic: FunctionTable = {
  abs: {
    ...ofScalar,
    takes: isNumber,
    wanted: 'a number',
    apply: (value: Number64) =>
      typeof value === 'bigint' ? integerOf(value < 0n ? -value : value) : Math.abs(value),
  },
  min: { ...ofNumbers, usage: 'min or min(n)', apply: extreme((a, b) => a < b) },
  max: { ...ofNumbers, usage: 'max or max(n)', apply: extreme((a, b) => a > b) },
  add: calculation(
    'add',
    (a, b) => a + b,
    (a, b) => a + b,
  ),
  sub: calculation(
    'sub',
    (a, b) => a - b,
    (a, b) => a - b,
  ),
  mul: calculation(
    'mul',
    (a, b) => a * b,
    (a, b) => a * b,
  ),
  random: {
    ...ofAnything,
    usage: 'random(n)',
    wanted: 'anything',
    least: 1,
    parameters: [position],
    isRandom: true,
    madeOf: [],
    apply: (_value: unknown, _site, n: number, _second: never, context) =>
      Math.floor(context.random() * n) + 1,
  },
}
