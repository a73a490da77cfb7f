/** Values kept by what they are equal to, as `equal` says: numbers by value, maps whatever the order of their keys. */
import { charge, treeSize } from '#component/expression/budget.ts'
import type { Site } from '#component/expression/site.ts'
import { isMap } from '#component/syntax/values.ts'

/** A number as one key for all that are equal to it: a float beyond the safe integers is as an integer of as many digits. */
const numberKey = (value: unknown): unknown =>
  typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value)
    ? BigInt(value)
    : value

/** The same text for equal values, and for no others. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value)
  if (typeof value !== 'object' || value === null) return String(numberKey(value))
  if (Array.isArray(value)) return `[${value.map(textOf).join()}]`
  if (!isMap(value)) return `<${Buffer.from(value as Uint8Array).toString('base64')}>`
  const members = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${textOf(value[key])}`)
  return `{${members.join()}}`
}

/** What is kept by values of data. */
export class ByValue<T> {
  readonly #site: Site
  readonly #scalars = new Map<unknown, T>()
  /** Of lists, maps and bytes, by their texts. */
  readonly #others = new Map<string, T>()

  /** @param site is charged with the texts of lists and maps */
  constructor(site: Site) {
    this.#site = site
  }

  get(value: unknown): T | undefined {
    return isScalarKey(value)
      ? this.#scalars.get(numberKey(value))
      : this.#others.get(this.#textOf(value))
  }

  /** @returns what is kept now */
  set(value: unknown, kept: T): T {
    if (isScalarKey(value)) this.#scalars.set(numberKey(value), kept)
    else this.#others.set(this.#textOf(value), kept)
    return kept
  }

  #textOf(value: unknown): string {
    charge(treeSize(value), this.#site)
    return textOf(value)
  }
}

const isScalarKey = (value: unknown): boolean => typeof value !== 'object' || value === null
