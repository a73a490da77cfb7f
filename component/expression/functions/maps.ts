/** Functions on maps: their members, and maps made of them. */
import { charge, entryCost } from '#component/expression/budget.ts'
import type { Site } from '#component/expression/site.ts'
import { isList, ownValue } from '#component/expression/values.ts'
import { isMap, type JsonMap, setOwn } from '#component/syntax/values.ts'
import { anything, type FunctionTable, key, keyOf, ofMap, type Parameter } from './function.ts'

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

const newKey: Parameter = {
  wanted: 'a string other than __proto__',
  // behaviour §2: invalid_expression, even if the key comes from the request
  read: (value, site) =>
    value === '__proto__'
      ? site.refuse('put: expected a string other than __proto__ as argument')
      : keyOf(value),
}
const keys: Parameter = { wanted: 'a list of keys', read: keysOf }
const map: Parameter = { wanted: 'a map', read: (value) => (isMap(value) ? value : undefined) }

function merged(under: JsonMap, over: JsonMap, site: Site): JsonMap {
  charge((Object.keys(under).length + Object.keys(over).length) * entryCost, site)
  return { ...under, ...over }
}

/** By name. `merge(x, _)` is a row of its own, under a name that cannot be written. */
export const maps: FunctionTable = {
  size: {
    least: 0,
    parameters: [],
    wanted: 'a map or binary data',
    takes: (value) => isMap(value) || value instanceof Uint8Array,
    apply: (value: JsonMap | Uint8Array) =>
      value instanceof Uint8Array ? value.length : Object.keys(value).length,
  },
  get: {
    ...ofMap,
    usage: 'get(key) or get(key, default)',
    least: 1,
    parameters: [key, anything],
    form: 'look-up',
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
}
