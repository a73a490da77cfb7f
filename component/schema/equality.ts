/** Sets of JSON values that are equal as JSON Schema counts it: numbers by value, maps whatever the order of their members. */
import { canonicalJson } from '#component/codec/json.ts'
import { spendVisits } from './budget.ts'

/** What a character of a canonical text costs, in visits. */
const visitsOfCharacter = 3

/** Equal numbers become the same one: 5 and 5n, or 2^60 as a double and as a BigInt. */
function scalarKey(value: unknown): unknown {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? BigInt(value as number) : value
}

const isComposite = (value: unknown): value is object => typeof value === 'object' && value !== null

/** Different JSON values; a look-up takes as long as its value is large, however many values the set has. */
export class ValueSet {
  readonly #scalars = new Set<unknown>()
  /** The canonical texts of lists and maps. */
  readonly #texts = new Set<string>()

  /** Whether the value is new to the set. @throws tooCostly */
  add(value: unknown): boolean {
    const key = isComposite(value) ? textOf(value) : scalarKey(value)
    const set: Set<unknown> = isComposite(value) ? this.#texts : this.#scalars
    const before = set.size
    set.add(key)
    return set.size > before
  }

  /** @throws tooCostly */
  has(value: unknown): boolean {
    if (!isComposite(value)) return this.#scalars.has(scalarKey(value))
    return this.#texts.size > 0 && this.#texts.has(textOf(value))
  }
}

function textOf(value: object): string {
  const text = canonicalJson(value)
  spendVisits(text.length * visitsOfCharacter)
  return text
}
