/** Divides a large schema: which of its parts become functions of their own, so that ajv and V8 take milliseconds to compile each. */
import { isMap, type JsonMap } from '#component/syntax/values.ts'
import { keywords, partsOf } from './keywords.ts'
import { countedPart, exactlyOne } from './own-keywords.ts'

/** A cold V8 compiles a function of this many subschemas and keywords in about 5 ms, which one turn of the event loop may take. */
const mostOfFunction = 192
/** A part has a unit for itself and one for its keyword beside what it takes. */
const mostOfPart = mostOfFunction - 2

/** A part of fewer saves less than the call of its function takes. */
const leastOfPart = 16

type Entry = readonly [name: string, schema: unknown]

/** How the schemas of one keyword are divided among several schemas. */
interface Division {
  readonly keyword: string
  /** What stays in the place of the keyword, where others beside it go by its names or its length. */
  readonly rest?: (value: never) => unknown
  /** A schema of some entries. @param first the index of the first of them */
  readonly part: (entries: readonly Entry[], first: number) => unknown
  /** The keyword that holds the parts. */
  readonly parts: 'allOf' | 'anyOf' | 'oneOf'
}

const names = (map: JsonMap): unknown =>
  Object.fromEntries(Object.keys(map).map((name) => [name, true]))
const places = (list: readonly unknown[]): unknown => list.map(() => true)
const schemasOf = (entries: readonly Entry[]): readonly unknown[] =>
  entries.map(([, schema]) => schema)

const divisions: readonly Division[] = [
  ...['properties', 'patternProperties', 'dependentSchemas'].map(
    (keyword): Division => ({
      keyword,
      ...(keyword !== 'dependentSchemas' && { rest: names }),
      part: (entries) => ({ [keyword]: Object.fromEntries(entries) }),
      parts: 'allOf',
    }),
  ),
  {
    keyword: 'prefixItems',
    rest: places,
    part: (entries, first) => ({
      prefixItems: [...Array(first).fill(true), ...schemasOf(entries)],
    }),
    parts: 'allOf',
  },
  { keyword: 'allOf', part: (entries) => ({ allOf: schemasOf(entries) }), parts: 'allOf' },
  { keyword: 'anyOf', part: (entries) => ({ anyOf: schemasOf(entries) }), parts: 'anyOf' },
  {
    keyword: 'oneOf',
    part: (entries) => ({ oneOf: counting(countedPart, schemasOf(entries)) }),
    parts: 'oneOf',
  },
]

/** Lists of `oneOf` that were divided, or are parts of such: the keyword that counts what fits of them. */
const countingKeywords = new WeakMap<readonly unknown[], string>()

function counting(keyword: string, list: readonly unknown[]): readonly unknown[] {
  countingKeywords.set(list, keyword)
  return list
}

/** The keyword by which ajv gets a keyword and its value. */
export const keywordFor = (keyword: string, value: unknown): string =>
  (keyword === 'oneOf' && countingKeywords.get(value as readonly unknown[])) || keyword

/** Keywords whose schemas must fit where the schema around them does. */
const demands = new Set(['allOf', 'then', 'else', 'dependentSchemas'])

/** Divides the schemas of one document. */
export class Divider {
  /**
   * Whether some part is a demand on the same value as the schema that it was taken from: what a part has evaluated that does not fit
   * is not known, so that all mistakes would have some about members that `unevaluatedProperties` does not know.
   */
  hasDemands = false
  readonly #units = new WeakMap<object, number>()
  /** Schemas that {@link divided} has made of several. */
  readonly #parts = new WeakSet<object>()

  /** The subschemas and keywords of a schema, without those that it refers to. */
  #unitsOf(schema: unknown): number {
    if (!isMap(schema)) return schema === true ? 0 : 1
    let units = this.#units.get(schema)
    if (units === undefined) {
      const own = Object.keys(schema).filter((keyword) => isChecked(keyword))
      units = partsOf(schema)
        .filter(({ keyword }) => isChecked(keyword))
        .reduce((sum, part) => sum + this.#unitsOf(part.schema), 1 + own.length)
      this.#units.set(schema, units)
    }
    return units
  }

  #isLarge(schema: unknown): boolean {
    return this.#unitsOf(schema) > mostOfFunction
  }

  /**
   * Whether a schema becomes a function of its own.
   * @param whole the schema that it is a part of
   */
  isPart(keyword: string, schema: unknown, whole: JsonMap): boolean {
    if (isMap(schema) && this.#parts.has(schema)) return true
    const isPart =
      this.#isLarge(schema) || (this.#isLarge(whole) && this.#unitsOf(schema) >= leastOfPart)
    if (isPart && demands.has(keyword)) this.hasDemands = true
    return isPart
  }

  /** The same schema; of a large one, the many schemas of one keyword are in several schemas. */
  divided(schema: JsonMap): JsonMap {
    let whole = schema
    if (!this.#isLarge(schema)) return schema
    for (const { keyword, rest, part, parts } of divisions) {
      const value = schema[keyword]
      if (typeof value !== 'object' || value === null) continue
      const entries = Object.entries(value)
      const groups = this.#groupsOf(entries)
      if (groups.length === 1 && !this.#isWorthPart(entries, schema)) continue
      let first = 0
      const made = groups.map((entries) => {
        const [entry] = entries
        first += entries.length
        if (parts === keyword && keyword !== 'oneOf' && entries.length === 1) return entry?.[1]
        const schema = part(entries, first - entries.length)
        this.#parts.add(schema as object)
        return schema
      })
      if (demands.has(keyword)) this.hasDemands = true
      const { [keyword]: _divided, ...others } = whole
      const list = keyword === parts ? [] : listIn(others[parts])
      whole = {
        ...others,
        ...(rest && { [keyword]: rest(value as never) }),
        [parts]: parts === 'oneOf' ? counting(exactlyOne, made) : [...list, ...made],
      }
    }
    return whole
  }

  /** Whether the schemas of one keyword become one part of a large schema: something else is in it, too. */
  #isWorthPart(entries: readonly Entry[], whole: JsonMap): boolean {
    const units = entries.reduce((sum, [, schema]) => sum + this.#unitsOf(schema), 0)
    return entries.length > 1 && units >= leastOfPart && units + 2 < this.#unitsOf(whole)
  }

  /** Neighbours together, as long as they are at most one function. */
  #groupsOf(entries: readonly Entry[]): Entry[][] {
    const groups: Entry[][] = []
    let units = Infinity
    for (const entry of entries) {
      const own = this.#unitsOf(entry[1])
      if (units + own > mostOfPart) {
        groups.push([])
        units = 0
      }
      groups.at(-1)?.push(entry)
      units += own
    }
    return groups
  }
}

function isChecked(keyword: string): boolean {
  const known = keywords.get(keyword)
  return known !== undefined && !known.isAnnotation
}

const listIn = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
