/** Walks values before they are encoded: finds their size, values that no encoding can hold, and values that the libraries would write with a loss. */
import { Buffer } from 'node:buffer'
import { ExpressionError } from '#component/errors.ts'
import { isInteger64 } from '#component/syntax/integers.ts'
import { isMap } from '#component/syntax/values.ts'
import { maxWrittenDepth } from './limits.ts'

/** Rules of a walk: how it counts sizes, and which values it refuses. */
export interface WalkRules {
  readonly maxDepth: number
  readonly maxValues: number
  /** Least sizes of an encoded value beside the characters of its text: characters of JSON, or bytes. */
  readonly sizes: Readonly<
    Record<'text' | 'key' | 'null' | 'bigint' | 'byte' | 'container', number>
  >
  /** Numbers from the one and to the other are special. */
  readonly special: readonly [from: number, to: number]
  /** Refuses what no peer could read: lone surrogates, integers beyond 64 bits, and anything but plain data. */
  readonly isStrict: boolean
  readonly refuse: (problem: string, isTooLarge: boolean) => never
}

/** Sizes and special numbers of the binary forms; each number and each head takes a byte at least. */
export const binaryWalk = {
  sizes: { text: 1, key: 1, null: 1, bigint: 8, byte: 1, container: 1 },
  special: [2 ** 32, -(2 ** 31) - 1],
} as const satisfies Partial<WalkRules>

/** Rules for JSON text: numbers that JSON.stringify writes like integers of more than 64 bits are special. */
export const jsonWalk: WalkRules = {
  maxDepth: maxWrittenDepth,
  maxValues: Infinity,
  sizes: { text: 2, key: 3, null: 4, bigint: 4, byte: 4 / 3, container: 2 },
  special: [2 ** 64, -(2 ** 63)],
  isStrict: false,
  refuse(problem) {
    throw new ExpressionError(problem)
  },
}

/** One walk. A value that several parents share counts each time. */
export class Walk {
  /** Size of the encoded value, at least. */
  size = 0
  /** Whether {@link mapLeaves} has work: special numbers, BigInt, bytes or undefined. */
  hasSpecials = false
  #values = 0
  readonly #rules: WalkRules
  readonly #maxSize: number
  readonly #isStrict: boolean
  readonly #specialFrom: number
  readonly #specialTo: number

  constructor(rules: WalkRules, maxSize: number) {
    this.#rules = rules
    this.#maxSize = maxSize
    this.#isStrict = rules.isStrict
    this.#specialFrom = rules.special[0]
    this.#specialTo = rules.special[1]
  }

  visit(value: unknown, depth = 0): void {
    switch (typeof value) {
      case 'string':
        this.size += this.#isStrict ? this.#strictLength(value) : value.length
        this.size += this.#rules.sizes.text
        break
      case 'number':
        this.size += 1
        // NaN is special, too
        if (!(value < this.#specialFrom && value > this.#specialTo)) this.hasSpecials = true
        break
      case 'boolean':
        this.size += 1
        break
      case 'object':
        if (value === null) this.size += this.#rules.sizes.null
        else this.#container(value, depth)
        break
      default:
        this.#unusual(value)
    }
    if (this.size > this.#maxSize || ++this.#values > this.#rules.maxValues) {
      this.#rules.refuse('the value is too large to be encoded', true)
    }
  }

  #unusual(value: unknown): void {
    const { refuse, sizes } = this.#rules
    this.hasSpecials = true
    this.size += typeof value === 'bigint' ? sizes.bigint : sizes.null
    if (!this.#isStrict || value === undefined) return
    if (typeof value !== 'bigint') refuse('a function or symbol cannot be encoded', false)
    else if (!isInteger64(value)) refuse('an integer has more than 64 bits', false)
  }

  #strictLength(text: string): number {
    if (!text.isWellFormed()) this.#rules.refuse('a text is not valid Unicode', false)
    // bytes matter for long text only, and take time to count
    return text.length < 256 ? text.length : Buffer.byteLength(text)
  }

  #container(value: object, depth: number): void {
    const rules = this.#rules
    if (depth >= rules.maxDepth) {
      rules.refuse(`the value is nested deeper than ${rules.maxDepth} levels`, false)
    }
    this.size += rules.sizes.container
    if (Array.isArray(value)) {
      for (const item of value) this.visit(item, depth + 1)
    } else if (value instanceof Uint8Array) {
      this.hasSpecials = true
      this.size += value.length * rules.sizes.byte
    } else if (this.#isStrict && !isMap(value)) {
      rules.refuse('an object is not a plain map', false)
    } else if (!this.#isStrict && hasToJson(value)) {
      this.visit(value.toJSON(), depth + 1)
    } else {
      const keySize = rules.sizes.key
      for (const key in value) {
        this.size += keySize + (this.#isStrict ? this.#strictLength(key) : key.length)
        this.visit((value as Record<string, unknown>)[key], depth + 1)
      }
    }
  }
}

const hasToJson = (value: object): value is { toJSON(): unknown } =>
  typeof (value as { readonly toJSON?: unknown }).toJSON === 'function'

/** A value with other leaves: all but lists and maps; what toJSON gives takes the place of its object. Copies only what changes. */
export function mapLeaves(value: unknown, leaf: (value: unknown) => unknown): unknown {
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return leaf(value)
  if (Array.isArray(value)) return mapList(value, leaf)
  if (hasToJson(value)) return mapLeaves(value.toJSON(), leaf)
  return mapMap(value as Readonly<Record<string, unknown>>, leaf)
}

function mapList(list: readonly unknown[], leaf: (value: unknown) => unknown): unknown {
  let copy: unknown[] | undefined
  for (let index = 0; index < list.length; index++) {
    const item = list[index]
    const mapped = mapLeaves(item, leaf)
    if (mapped === item) continue
    copy ??= [...list]
    copy[index] = mapped
  }
  return copy ?? list
}

function mapMap(
  map: Readonly<Record<string, unknown>>,
  leaf: (value: unknown) => unknown,
): unknown {
  let copy: Record<string, unknown> | undefined
  for (const key in map) {
    const mapped = mapLeaves(map[key], leaf)
    if (mapped === map[key]) continue
    copy ??= { ...map }
    copy[key] = mapped
  }
  return copy ?? map
}

const [greatFrom, greatTo] = binaryWalk.special

/** An integer up to 2^53, the greatest id, as BigInt; what is not finite as null; other floats as they are. */
function greatNumber(value: number): bigint | number | null {
  if (!Number.isFinite(value)) return null
  return Number.isInteger(value) && Math.abs(value) <= 2 ** 53 ? BigInt(value) : value
}

function binaryLeaf(value: unknown): unknown {
  switch (typeof value) {
    case 'number':
      return value < greatFrom && value > greatTo ? value : greatNumber(value)
    case 'string':
      if (!value.isWellFormed()) throw new ExpressionError('a text is not valid Unicode')
      return value
    case 'bigint':
      if (!isInteger64(value)) throw new ExpressionError('an integer has more than 64 bits')
      return value
    case 'undefined':
      return null
    default:
      return value
  }
}

/**
 * Makes a value ready for the libraries of the binary forms: they write integers beyond 32 bits as floats unless they are BigInt,
 * and lone surrogates as bytes over which a receiver drops the connection (reliability F5).
 * @throws ExpressionError for integers beyond 64 bits, and text that is not valid Unicode
 */
export const toBinary = (value: unknown): unknown => mapLeaves(value, binaryLeaf)
