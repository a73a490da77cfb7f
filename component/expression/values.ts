/** The kinds of values of the language, their names, and access to maps. */

import { isMap, type JsonMap } from '#component/syntax/values.ts'
import type { Site } from './site.ts'

export const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value)

export const isNumber = (value: unknown): value is number | bigint =>
  typeof value === 'bigint' || (typeof value === 'number' && Number.isFinite(value))

/** Whether the value is neither a list nor a map: only such values convert to numbers or booleans. */
export const isScalar = (value: unknown): boolean => typeof value !== 'object' || value === null

/** The value of a map's own key; undefined when it is absent. */
export const ownValue = (map: JsonMap, key: string): unknown =>
  Object.hasOwn(map, key) ? map[key] : undefined

/** The kind of a value for messages, with its article; never the value itself. */
export function kindOf(value: unknown): string {
  switch (typeof value) {
    case 'boolean':
      return 'a boolean'
    case 'bigint':
      return 'an integer'
    case 'number':
      return Number.isInteger(value) ? 'an integer' : 'a float'
    case 'string':
      return 'a string'
    default:
      if (value === null || value === undefined) return 'null'
      if (Array.isArray(value)) return 'a list'
      return isMap(value) ? 'a map' : 'binary data'
  }
}

/** Throws the type error of a function. */
export function unexpected(site: Site, name: string, wanted: string, found: unknown): never {
  const expected = `: expected ${wanted}, got ${kindOf(found)}`
  return site.fail(`${name}${expected}`, expected)
}
