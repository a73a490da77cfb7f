/** The functions that may follow `|>`, one row each (behaviour §2, Functions). */

import { isMap, type JsonMap, setOwn } from '#component/syntax/values.ts'
import { charge, entryCost } from './budget.ts'
import type { Context } from './nodes.ts'
import { floatOf, integerOf, numberOf, positionOf } from './numbers.ts'
import type { Site } from './site.ts'
import { decodeBase64, encodeBase64, textOf } from './text.ts'
import { isList, isNumber, isScalar, ownValue, unexpected } from './values.ts'

/** Checks an argument and converts it for the function; undefined when it is not acceptable. */
interface Parameter {
  readonly wanted: string
  read(value: unknown, site: Site): unknown
}

/** One function of the language. */
export interface PipeFunction {
  /** The forms of a call, for messages; absent: its name. */
  readonly usage?: string
  /** How many arguments are required. */
  readonly least: number
  readonly parameters: readonly Parameter[]
  /** The values that it accepts from the pipe, in words. */
  readonly wanted: string
  takes(value: unknown): boolean
  /**
   * The result for a piped value and converted arguments.
   * @returns undefined when the value turns out not to be acceptable
   */
  apply(value: never, site: Site, first: never, second: never, context: Context): unknown
  /** Whether each call has another result, which is never known at load. */
  readonly isRandom?: boolean
  /** Whether the result enters a URL unescaped. */
  readonly isRaw?: boolean
  /** Whether the second argument replaces an undefined result; it is evaluated only then. */
  readonly hasDefault?: boolean
  /** What the result is made of: 0 is the piped value, 1 and 2 are the arguments; absent: all of them. */
  readonly madeOf?: readonly (0 | 1 | 2)[]
}

/** Where a function is written, and whose fault its failures are there. */
export interface Places {
  /** Failures of the piped value. */
  readonly piped: Site
  /** Failures of the piped value and the arguments together. */
  readonly either: Site
}

const isAnything = (): boolean => true
const isNumberOrList = (value: unknown): boolean => isNumber(value) || isList(value)

/** A key is a text; an integer is converted to one, because JSON has no other keys. */
function keyOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  return typeof value === 'bigint' || Number.isSafeInteger(value) ? String(value) : undefined
}

function keysOf(value: unknown): ReadonlySet<string> | undefined {
  if (!isList(value)) return undefined
  const keys = new Set<string>()
  for (const item of value) {
    const key = keyOf(item)
    if (key === undefined) return undefined
    keys.add(key)
  }
  return keys
}

const anything: Parameter = { wanted: 'a value', read: (value) => value }
const key: Parameter = { wanted: 'a string', read: keyOf }
const newKey: Parameter = {
  wanted: 'a string other than __proto__',
  // behaviour §2: the document's fault, whoever sends it
  read: (value, site) =>
    value === '__proto__'
      ? site.refuse('put: expected a string other than __proto__ as argument')
      : keyOf(value),
}
const keys: Parameter = { wanted: 'a list of keys', read: keysOf }
const map: Parameter = { wanted: 'a map', read: (value) => (isMap(value) ? value : undefined) }
const number: Parameter = { wanted: 'a number', read: numberOf }
const position: Parameter = { wanted: 'an integer from 1', read: positionOf }

const ofScalar = { least: 0, parameters: [], takes: isScalar }
const ofList = { least: 0, parameters: [], takes: isList, wanted: 'a list' }
const ofMap = { takes: isMap, wanted: 'a map' }
const ofText = { least: 0, parameters: [], takes: isAnything }

function extreme(isBetter: (a: number | bigint, b: number | bigint) => boolean) {
  return (value: number | bigint | readonly unknown[], site: Site, limit?: number | bigint) => {
    if (!isList(value)) return limit === undefined || !isBetter(value, limit) ? limit : value
    if (limit !== undefined) return undefined
    charge(value.length, site)
    let best: number | bigint | undefined
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
  takes: isNumberOrList,
  wanted: 'a list of at least one number, or a number and an argument',
}

function merged(under: JsonMap, over: JsonMap, site: Site): JsonMap {
  charge((Object.keys(under).length + Object.keys(over).length) * entryCost, site)
  return { ...under, ...over }
}

/** Every function by its name. `merge(x, _)` is a row of its own, under a name that cannot be written. */
export const functions: Readonly<Record<string, PipeFunction>> = {
  integer: {
    ...ofScalar,
    wanted: 'a number, or the text of a decimal number, of at most 64 bits',
    apply: integerOf,
  },
  float: {
    ...ofScalar,
    wanted: 'a number, or the text of a decimal number, that a float can hold',
    apply: floatOf,
  },
  boolean: {
    ...ofScalar,
    wanted: 'true, false, 1, 0 or the text of one of these',
    apply: (value: unknown) => {
      const text = String(value)
      if (text === 'true' || text === '1') return true
      return text === 'false' || text === '0' ? false : undefined
    },
  },
  string: { ...ofText, wanted: 'a value that JSON can hold', apply: textOf },
  abs: {
    ...ofScalar,
    takes: isNumber,
    wanted: 'a number',
    apply: (value: number | bigint) =>
      typeof value === 'bigint' ? integerOf(value < 0n ? -value : value) : Math.abs(value),
  },
  head: { ...ofList, apply: (list: readonly unknown[]) => (list.length === 0 ? '' : list[0]) },
  last: { ...ofList, apply: (list: readonly unknown[]) => (list.length === 0 ? '' : list.at(-1)) },
  tail: {
    ...ofList,
    apply: (list: readonly unknown[], site) => {
      charge(list.length * entryCost, site)
      return list.slice(1)
    },
  },
  nth: {
    ...ofList,
    usage: 'nth(n)',
    least: 1,
    parameters: [position],
    apply: (list: readonly unknown[], site, n: number) =>
      n > list.length
        ? site.fail('nth: the list has fewer items', ': the list has fewer items')
        : list[n - 1],
    madeOf: [0],
  },
  min: { ...ofNumbers, usage: 'min or min(n)', apply: extreme((a, b) => a < b) },
  max: { ...ofNumbers, usage: 'max or max(n)', apply: extreme((a, b) => a > b) },
  length: { ...ofList, apply: (list: readonly unknown[]) => list.length },
  size: {
    ...ofMap,
    least: 0,
    parameters: [],
    apply: (value: JsonMap) => Object.keys(value).length,
  },
  get: {
    ...ofMap,
    usage: 'get(key) or get(key, default)',
    least: 1,
    parameters: [key, anything],
    hasDefault: true,
    madeOf: [0, 2],
    apply: (value: JsonMap, _site, name: string) => ownValue(value, name),
  },
  put: {
    ...ofMap,
    usage: 'put(key, value)',
    least: 2,
    parameters: [newKey, anything],
    apply: (value: JsonMap, site, name: string, member: unknown) => {
      charge((Object.keys(value).length + 1) * entryCost, site)
      return { ...value, [name]: member }
    },
  },
  merge: {
    ...ofMap,
    usage: 'merge(map), merge(_, map) or merge(map, _)',
    least: 1,
    parameters: [map],
    apply: (value: JsonMap, site, other: JsonMap) => merged(value, other, site),
  },
  'merge under': {
    ...ofMap,
    least: 1,
    parameters: [map],
    apply: (value: JsonMap, site, other: JsonMap) => merged(other, value, site),
  },
  with: {
    ...ofMap,
    usage: 'with([key, …])',
    least: 1,
    parameters: [keys],
    madeOf: [0],
    apply: (value: JsonMap, site, wanted: ReadonlySet<string>) => {
      charge(wanted.size * entryCost, site)
      const chosen: Record<string, unknown> = {}
      for (const name of wanted) {
        if (Object.hasOwn(value, name)) setOwn(chosen, name, value[name])
      }
      return chosen
    },
  },
  without: {
    ...ofMap,
    usage: 'without([key, …])',
    least: 1,
    parameters: [keys],
    madeOf: [0],
    apply: (value: JsonMap, site, dropped: ReadonlySet<string>) => {
      const names = Object.keys(value)
      charge(names.length * entryCost, site)
      const rest: Record<string, unknown> = {}
      for (const name of names) if (!dropped.has(name)) setOwn(rest, name, value[name])
      return rest
    },
  },
  random: {
    ...ofText,
    usage: 'random(n)',
    wanted: 'anything',
    least: 1,
    parameters: [position],
    isRandom: true,
    madeOf: [],
    apply: (_value: unknown, _site, n: number, _second: never, context) =>
      Math.floor(context.random() * n) + 1,
  },
  'base64:encode': {
    ...ofText,
    wanted: 'a string without lone surrogates, or binary data',
    apply: encodeBase64,
  },
  'base64:decode': { ...ofText, wanted: 'the base64 of UTF-8 text', apply: decodeBase64 },
  'url:raw': {
    ...ofScalar,
    takes: (value) => typeof value === 'string',
    wanted: 'a string',
    isRaw: true,
    apply: (value: string) => value,
  },
}

/** The names that can be written after `|>`. */
export const functionNames: readonly string[] = Object.keys(functions).filter(
  (name) => !name.includes(' '),
)

/** Applies a function to values; refuses a value that it does not accept. */
export function applyFunction(
  name: string,
  row: PipeFunction,
  value: unknown,
  places: Places,
  first: unknown,
  second: unknown,
  context: Context,
): unknown {
  if (!row.takes(value)) unexpected(places.piped, name, row.wanted, value)
  const result = row.apply(value as never, places.either, first as never, second as never, context)
  return result === undefined ? unexpected(places.piped, name, row.wanted, value) : result
}
