/** What a function of the language is: the values that it takes, its arguments, and its result. */
import type { ItemForm } from '#component/expression/items.ts'
import type { Context } from '#component/expression/nodes.ts'
import type { Site } from '#component/expression/site.ts'
import { isList, isScalar } from '#component/expression/values.ts'
import { isMap } from '#component/syntax/values.ts'
import { numberOf, positionOf } from './decimal.ts'

/** Checks an argument and converts it for the function; undefined when it is not acceptable. */
export interface Parameter {
  readonly wanted: string
  read(value: unknown, site: Site): unknown
  /** A text that the document writes, where it differs from a text that is data. */
  written?(text: string): unknown
  /** Present where an expression with `_` is evaluated for each item; what the argument is otherwise. */
  readonly ofItem?: ItemForm
}

/** Functions whose arguments are evaluated only where they are needed; `items`: for each item of the list, as an {@link OfItem}. */
export type LazyForm = 'look-up' | 'fallback' | 'choice' | 'items'

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
   * @param site for failures of the piped value and the arguments together
   * @returns undefined when the value turns out not to be acceptable
   */
  apply(value: never, site: Site, first: never, second: never, context: Context): unknown
  /** Whether each call has another result, which is never known at load. */
  readonly isRandom?: boolean
  /** Whether the result enters a URL unescaped. */
  readonly isRaw?: boolean
  /** Whether `""` is a value like any other; the result of other functions for `""` is `""`. */
  readonly takesEmpty?: boolean
  /** Absent: all arguments are evaluated. */
  readonly form?: LazyForm
  /** What the result is made of: 0 is the piped value, 1 and 2 are the arguments; absent: all of them. */
  readonly madeOf?: readonly (0 | 1 | 2)[]
}

/** Functions by their names. */
export type FunctionTable = Readonly<Record<string, PipeFunction>>

const isAnything = (): boolean => true

/** A key is a text; an integer is converted to one, because JSON has no other keys. */
export function keyOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  return typeof value === 'bigint' || Number.isSafeInteger(value) ? String(value) : undefined
}

/** A parameter that takes any value. */
export const anything: Parameter = { wanted: 'a value', read: (value) => value }
/** A key of a map. */
export const key: Parameter = { wanted: 'a string', read: keyOf }
/** A text. */
export const text: Parameter = {
  wanted: 'a string',
  read: (value) => (typeof value === 'string' ? value : undefined),
}
/** A key of the items of a list, or what an expression with `_` makes of each. */
export const ofEach: Parameter = {
  ...key,
  wanted: 'a key, or an expression with _',
  ofItem: 'member',
}
/** A text to look for. */
export const someText: Parameter = {
  wanted: 'a string that is not empty',
  read: (value) => (typeof value === 'string' && value !== '' ? value : undefined),
}
/** A number, or the text of one. */
export const number: Parameter = { wanted: 'a number', read: numberOf }
/** A place in a list, or a count. */
export const position: Parameter = { wanted: 'an integer from 1', read: positionOf }

/** The beginning of a row whose function takes numbers, booleans, texts or null, and no argument unless the row has one. */
export const ofScalar = { least: 0, parameters: [], takes: isScalar }
/** The same for lists. */
export const ofList = { least: 0, parameters: [], takes: isList, wanted: 'a list' }
/** The same for maps; the row says how many arguments. */
export const ofMap = { takes: isMap, wanted: 'a map' }
/** The same for any value. */
export const ofAnything = { least: 0, parameters: [], takes: isAnything }
/** The same for texts. */
export const ofText = {
  least: 0,
  parameters: [],
  takes: (value: unknown) => typeof value === 'string',
  wanted: 'a string',
}
