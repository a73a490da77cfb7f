/** Functions on whole lists: what they choose, order, join and make of their items. `_` is the item. */
import { charge, entryCost } from '#component/expression/budget.ts'
import { type OfItem, spend } from '#component/expression/items.ts'
import type { Context } from '#component/expression/nodes.ts'
import type { Site } from '#component/expression/site.ts'
import { isList, isScalar, kindOf, ownValue } from '#component/expression/values.ts'
import { isMap, type JsonMap, setOwn } from '#component/syntax/values.ts'
import { plus } from './arithmetic.ts'
import { ByValue } from './by-value.ts'
import { equal, equatable, Written } from './choices.ts'
import { booleanOf, wantedBoolean } from './conversions.ts'
import { positionOf } from './decimal.ts'
import {
  type FunctionTable,
  keyOf,
  ofAnything,
  ofEach,
  ofList,
  ofMap,
  type Parameter,
  position,
} from './function.ts'
import { sorted } from './sorted.ts'

type List = readonly unknown[]

/** The beginning of a row whose arguments are evaluated for each item. */
const ofItems = { ...ofList, form: 'items' } as const

/** A value to compare the items with. */
const compared: Parameter = { ...equatable, ofItem: 'value' }

const list: Parameter = {
  wanted: 'a list',
  read: (value) => (isList(value) ? value : undefined),
}

const direction: Parameter = {
  wanted: 'asc or desc',
  read: (value) => (value === 'asc' || value === 'desc' ? value : undefined),
}

const count: Parameter = {
  wanted: 'an integer from 0',
  read: (value) => (value === 0 || value === '0' ? 0 : positionOf(value)),
}

const self: OfItem = (item) => item

/** Charges a list that is made of as many items. */
const chargeItems = (length: number, site: Site): void => charge(length * entryCost, site)

/** Charges a function that walks through the items of a list, and makes one of at most as many. */
function walk({ length }: List, site: Site, context: Context): void {
  spend(length, site, context)
  chargeItems(length, site)
}

/** The row of a function that makes a list of a map. */
const listOf = (made: (map: JsonMap) => unknown[]) => ({
  ...ofMap,
  least: 0,
  parameters: [],
  apply: (map: JsonMap, site: Site, _first: unknown, _second: unknown, context: Context) => {
    const list = made(map)
    walk(list, site, context)
    return list
  },
})

function isTrue(value: unknown, site: Site): boolean {
  // the item lacks the member
  if (value === undefined) return false
  const found = `: expected ${wantedBoolean} of the test, got ${kindOf(value)}`
  const truth = isScalar(value) ? booleanOf(value) : undefined
  return truth ?? site.fail(`where${found}`, found)
}

/** A key of a map that is made of a list. */
function newKey(name: string, value: unknown, site: Site): string {
  const key = keyOf(value)
  if (key !== undefined && key !== '__proto__') return key
  const wanted = ': expected a string other than __proto__, or an integer, as the key of an item'
  const found = `${wanted}, got ${key === undefined ? kindOf(value) : 'that'}`
  return site.fail(name + found, found)
}

/** The items in groups of equal values, in the order of their first ones. */
function groups(
  list: List,
  site: Site,
  of: OfItem,
  _second: never,
  context: Context,
): readonly unknown[] {
  walk(list, site, context)
  const byValue = new ByValue<unknown[]>(site)
  const made: { readonly key: unknown; readonly items: unknown[] }[] = []
  for (const item of list) {
    const key = of(item) ?? null
    const items = byValue.get(key)
    if (items) items.push(item)
    else made.push({ key, items: byValue.set(key, [item]) })
  }
  chargeItems(3 * made.length, site)
  return made
}

/** By name. */
export const items: FunctionTable = {
  map: {
    ...ofItems,
    usage: 'map(key) or map({{…_…}})',
    wanted: 'a list of maps',
    least: 1,
    parameters: [ofEach],
    madeOf: [0, 1],
    apply: (list: List, site, of: OfItem) => {
      chargeItems(list.length, site)
      const made = list.map(of)
      if (!made.includes(undefined)) return made
      if (!list.every(isMap)) return undefined
      const lacks = ': a map in the list has no such key'
      return site.fail(`map${lacks}`, lacks)
    },
  },
  where: {
    ...ofItems,
    usage: 'where(key), where(key, value) or where({{…_…}})',
    least: 1,
    parameters: [ofEach, compared],
    madeOf: [0],
    apply: (list: List, site, of: OfItem, value: OfItem | undefined, context) => {
      walk(list, site, context)
      if (value === undefined) return list.filter((item) => isTrue(of(item), site))
      return list.filter((item) => {
        const own = of(item)
        return own !== undefined && equal(own, value(item), site)
      })
    },
  },
  sort: {
    ...ofItems,
    usage: 'sort, sort(key[, desc]) or sort({{…_…}}[, desc])',
    parameters: [ofEach, direction],
    madeOf: [0],
    apply: (list: List, site, of: OfItem = self, order: string | undefined, context) => {
      walk(list, site, context)
      return sorted(list, of, order === 'desc', site, context)
    },
  },
  group: {
    ...ofItems,
    usage: 'group(key) or group({{…_…}})',
    least: 1,
    parameters: [ofEach],
    madeOf: [0, 1],
    apply: groups,
  },
  key_by: {
    ...ofItems,
    usage: 'key_by(key) or key_by({{…_…}})',
    least: 1,
    parameters: [ofEach],
    madeOf: [0, 1],
    apply: (list: List, site, of: OfItem, _second, context) => {
      walk(list, site, context)
      const made: Record<string, unknown> = {}
      for (const item of list) {
        const key = newKey('key_by', of(item), site)
        charge(key.length, site)
        setOwn(made, key, item)
      }
      return made
    },
  },
  sum: {
    ...ofItems,
    usage: 'sum, sum(key) or sum({{…_…}})',
    parameters: [ofEach],
    madeOf: [0, 1],
    apply: (list: List, site, of: OfItem = self, _second, context) => {
      walk(list, site, context)
      let total: number | bigint = 0
      for (const item of list) {
        const value = of(item)
        const found = `: expected a number, or the text of a decimal number, got ${kindOf(value)}`
        total = plus(value, site, total) ?? site.fail(`sum${found}`, found)
      }
      return total
    },
  },
  unique: {
    ...ofItems,
    usage: 'unique, unique(key) or unique({{…_…}})',
    parameters: [ofEach],
    madeOf: [0],
    apply: (list: List, site, of: OfItem = self, _second, context) => {
      walk(list, site, context)
      const seen = new ByValue<true>(site)
      return list.filter((item) => {
        const value = of(item) ?? null
        return seen.get(value) === undefined && seen.set(value, true)
      })
    },
  },
  flatten: {
    ...ofList,
    apply: (list: List, site, _first, _second, context) => {
      const length = list.reduce((sum: number, item) => sum + (isList(item) ? item.length : 1), 0)
      spend(list.length + length, site, context)
      chargeItems(length, site)
      return list.flat()
    },
  },
  concat: {
    ...ofList,
    usage: 'concat(list)',
    least: 1,
    parameters: [list],
    apply: (list: List, site, other: List, _second, context) => {
      walk(list, site, context)
      walk(other, site, context)
      return [...list, ...other]
    },
  },
  reverse: {
    ...ofList,
    apply: (list: List, site, _first, _second, context) => {
      walk(list, site, context)
      return list.toReversed()
    },
  },
  slice: {
    ...ofList,
    usage: 'slice(from) or slice(from, n)',
    least: 1,
    parameters: [position, count],
    madeOf: [0],
    apply: (list: List, site, from: number, n: number = list.length, context) => {
      const part = list.slice(from - 1, from - 1 + n)
      walk(part, site, context)
      return part
    },
  },
  contains: {
    ...ofAnything,
    usage: 'contains(value)',
    takes: (value) => isList(value) || typeof value === 'string',
    wanted: 'a list or a string',
    takesEmpty: true,
    least: 1,
    parameters: [equatable],
    apply: (value: List | string, site, part: unknown, _second, context) => {
      if (typeof value !== 'string') {
        spend(value.length, site, context)
        return value.some((item) => equal(item, part, site))
      }
      charge(value.length, site)
      const text = part instanceof Written ? part.text : part
      if (typeof text === 'string') return value.includes(text)
      const wanted = `: expected a string as a part of a string, got ${kindOf(text)}`
      return site.fail(`contains${wanted}`, wanted)
    },
  },
  keys: listOf(Object.keys),
  values: listOf(Object.values),
  entries: {
    ...ofMap,
    least: 0,
    parameters: [],
    apply: (map: JsonMap, site, _first, _second, context) => {
      const keys = Object.keys(map)
      spend(keys.length, site, context)
      chargeItems(3 * keys.length, site)
      return keys.map((key) => ({ key, value: map[key] }))
    },
  },
  from_entries: {
    ...ofList,
    wanted: 'a list of maps with key and value',
    apply: (list: List, site, _first, _second, context) => {
      walk(list, site, context)
      const made: Record<string, unknown> = {}
      for (const item of list) {
        if (!isMap(item)) return undefined
        const key = newKey('from_entries', ownValue(item, 'key'), site)
        charge(key.length, site)
        setOwn(made, key, ownValue(item, 'value') ?? null)
      }
      return made
    },
  },
}
