/** Functions that compare values and choose between them. */
import { charge, depthLimit } from '#component/expression/budget.ts'
import type { Site } from '#component/expression/site.ts'
import { isList, isNumber, isScalar, kindOf } from '#component/expression/values.ts'
import { isMap } from '#component/syntax/values.ts'
import { booleanOf, wantedBoolean } from './conversions.ts'
import { numberOf } from './decimal.ts'
import {
  anything,
  type FunctionTable,
  ofAnything,
  ofScalar,
  type Parameter,
  type PipeFunction,
} from './function.ts'

/** A text that the document writes as an argument: it stands for the number or boolean that it spells as well. */
export class Written {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }

  equals(value: unknown): boolean {
    if (isNumber(value)) {
      const own = numberOf(this.text)
      return own !== undefined && isSameNumber(own, value)
    }
    return isScalar(value) && String(value) === this.text
  }
}

const isSameNumber = (a: number | bigint, b: number | bigint): boolean => !(a < b || a > b)

/** Whether two values are equal: numbers by value, maps whatever the order of their keys. */
function isEqual(a: unknown, b: unknown, site: Site, depth = 0): boolean {
  charge(1, site)
  if (depth > depthLimit) site.refuse(`equal: a value is nested more than ${depthLimit} deep`)
  if (isNumber(a) && isNumber(b)) return isSameNumber(a, b)
  if (isList(a) && isList(b)) {
    return a.length === b.length && a.every((item, at) => equal(item, b[at], site, depth + 1))
  }
  if (a instanceof Uint8Array && b instanceof Uint8Array) return Buffer.compare(a, b) === 0
  if (!isMap(a) || !isMap(b)) return a === b
  const keys = Object.keys(a)
  if (keys.length !== Object.keys(b).length) return false
  return keys.every((key) => Object.hasOwn(b, key) && isEqual(a[key], b[key], site, depth + 1))
}

/** Whether two values are equal, either of which the document may write as a text. */
export function equal(a: unknown, b: unknown, site: Site, depth = 0): boolean {
  if (a instanceof Written) return b instanceof Written ? a.text === b.text : a.equals(b)
  return b instanceof Written ? b.equals(a) : isEqual(a, b, site, depth)
}

/** A value that is compared. */
export const equatable: Parameter = { ...anything, written: (text) => new Written(text) }

/** Less than 0: a comes before b in the order of code points, which `<` does not follow beyond U+FFFF. */
function orderOfTexts(a: string, b: string, site: Site): number {
  const shared = Math.min(a.length, b.length)
  charge(shared, site)
  for (let at = 0; at < shared; at++) {
    const difference = (a.codePointAt(at) as number) - (b.codePointAt(at) as number)
    if (difference !== 0) return difference
  }
  return a.length - b.length
}

/** Less than 0: a comes before b, both of which are numbers or texts; undefined when no order holds for the two. */
function orderOf(a: unknown, b: unknown, site: Site): number | undefined {
  if (typeof a === 'string') return typeof b === 'string' ? orderOfTexts(a, b, site) : undefined
  const [own, other] = [numberOf(a), numberOf(b)]
  if (own === undefined || other === undefined) return undefined
  return own < other ? -1 : Number(own > other)
}

const isOrdered = (value: unknown): boolean => isNumber(value) || typeof value === 'string'

const ordered: Parameter = {
  wanted: 'a number or a string',
  read: (value) => (isOrdered(value) ? value : undefined),
}

/** Whether the piped value and the argument are in an order: two numbers by value, two texts by code points. */
function comparison(name: string, isSo: (order: number) => boolean): PipeFunction {
  return {
    usage: `${name}(value)`,
    least: 1,
    parameters: [ordered],
    takes: isOrdered,
    wanted: ordered.wanted,
    takesEmpty: true,
    apply: (value: unknown, site, other: unknown) => {
      const order = orderOf(value, other, site)
      if (order !== undefined) return isSo(order)
      const problem = `: ${kindOf(value)} cannot be compared with ${kindOf(other)}`
      return site.fail(`${name}${problem}; both must be numbers, or both strings`, problem)
    },
  }
}

/** By name. */
export const choices: FunctionTable = {
  default: {
    ...ofAnything,
    usage: 'default(value)',
    wanted: 'anything',
    least: 1,
    parameters: [anything],
    form: 'fallback',
    apply: (value: unknown) => value ?? undefined,
  },
  equal: {
    ...ofAnything,
    usage: 'equal(value) or equal(value, value)',
    wanted: 'anything',
    least: 1,
    parameters: [equatable, equatable],
    takesEmpty: true,
    apply: (value: unknown, site, first: unknown, second: unknown) =>
      second === undefined ? equal(value, first, site) : equal(first, second, site),
  },
  less: comparison('less', (order) => order < 0),
  greater: comparison('greater', (order) => order > 0),
  if: {
    ...ofScalar,
    usage: 'if(value, value)',
    wanted: wantedBoolean,
    least: 2,
    parameters: [anything, anything],
    form: 'choice',
    madeOf: [1, 2],
    apply: booleanOf,
  },
}
