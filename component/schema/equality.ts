/** Sets of JSON values that are equal as JSON Schema counts it: numbers by value, maps whatever the order of their members. */
import { canonicalJson } from '#component/codec/json.ts'
import { spendVisits } from './budget.ts'

/** What a value of a list or map costs whose canonical text is made, and a character of it, in visits. */
const visitsOfText = { value: 100, character: 3 }

/** What an integer beyond 2^53 costs, in visits. */
const visitsOfBigInt = 20

/** What a value costs that is compared with another one, in visits. */
const visitsOfComparison = 10
const visitsOfKey = 10

/** Equal numbers become the same one: 5 and 5n, or 2^60 as a double and as a BigInt. */
function scalarKey(value: unknown): unknown {
  if (typeof value === 'bigint') {
    spendVisits(visitsOfBigInt)
    return Number.isSafeInteger(Number(value)) ? Number(value) : value
  }
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? BigInt(value as number) : value
}

const isComposite = (value: unknown): value is object => typeof value === 'object' && value !== null

/** Different JSON values; a look-up takes as long as its value is large, however many values the set has. */
export class ValueSet {
  readonly #scalars = new Set<unknown>()
  /** The canonical texts of lists and maps. */
  readonly #texts = new Set<string>()
  /** Values that the largest of them has, itself included. */
  #most = 0

  /** Whether the value is new to the set. @throws tooCostly */
  add(value: unknown): boolean {
    if (isComposite(value)) this.#most = Math.max(this.#most, spentFor(value))
    const key = isComposite(value) ? canonicalJson(value) : scalarKey(value)
    const set: Set<unknown> = isComposite(value) ? this.#texts : this.#scalars
    const before = set.size
    set.add(key)
    return set.size > before
  }

  /** @throws tooCostly */
  has(value: unknown): boolean {
    if (!isComposite(value)) return this.#scalars.has(scalarKey(value))
    // a larger value is none of them
    return spentFor(value, this.#most) <= this.#most && this.#texts.has(canonicalJson(value))
  }
}

/**
 * Spends what the canonical text of a value will cost, before it is made.
 * @param most no more values are counted
 * @returns the number of its values, itself included
 */
function spentFor(value: object, most = Number.POSITIVE_INFINITY): number {
  let count = 0
  const visit = (part: unknown): void => {
    count += 1
    if (count > most) return
    if (typeof part === 'string') spendVisits(part.length * visitsOfText.character)
    spendVisits(visitsOfText.value)
    if (!isComposite(part)) return
    const parts: readonly unknown[] = Array.isArray(part) ? part : Object.values(part)
    for (let index = 0; index < parts.length && count <= most; index++) visit(parts[index])
  }
  visit(value)
  return count
}

type Members = Readonly<Record<string, unknown>>

/** Whether values are equal to one; ends at the first difference. @throws tooCostly */
export const equalTo =
  (constant: unknown) =>
  (value: unknown): boolean =>
    areEqual(value, constant)

function areEqual(a: unknown, b: unknown): boolean {
  if (!isComposite(a) || !isComposite(b)) return scalarKey(a) === scalarKey(b)
  spendVisits(visitsOfComparison)
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false
    spendVisits(visitsOfComparison * a.length)
    return a.every((item, index) => areEqual(item, b[index]))
  }
  const keys = Object.keys(a)
  spendVisits(visitsOfKey * keys.length)
  if (keys.length !== Object.keys(b).length) return false
  return keys.every(
    (key) => Object.hasOwn(b, key) && areEqual((a as Members)[key], (b as Members)[key]),
  )
}
