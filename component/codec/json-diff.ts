/** The members in which two JSON values differ. */
import { isMap, type JsonMap } from '#component/syntax/values.ts'
import { canonicalJson, pointer } from './json.ts'

/** A member that differs. */
export interface Difference {
  /** JSON Pointer; an item that only the first value has, by its place there. */
  readonly path: string
  readonly kind: 'added' | 'changed' | 'removed'
  /** The member of the first value; absent when it has none. */
  readonly from?: unknown
  /** The member of the second value; absent when it has none. */
  readonly to?: unknown
}

/** The name of an item of a list that may stand at another place; undefined for an item that has none. */
export type NameOf = (item: unknown) => string | undefined

/** Items by name; undefined when an item has none or shares it: then the place tells which items are the same. */
function byName(items: readonly unknown[], nameOf: NameOf): Map<string, number> | undefined {
  const places = new Map<string, number>()
  for (const [place, item] of items.entries()) {
    const name = nameOf(item)
    if (name === undefined || places.has(name)) return undefined
    places.set(name, place)
  }
  return places
}

/** Compares lists whose items are known by their names. The order of the items is no difference. */
function differencesOfNamed(
  lists: readonly [readonly unknown[], readonly unknown[]],
  [before, after]: readonly [ReadonlyMap<string, number>, ReadonlyMap<string, number>],
  path: string,
  nameOf: NameOf,
): readonly Difference[] {
  const [from, to] = lists
  const found = [...after].flatMap(([name, place]): readonly Difference[] => {
    const at = pointer(path, place)
    const old = before.get(name)
    if (old === undefined) return [{ path: at, kind: 'added', to: to[place] }]
    return differencesBetween(from[old], to[place], at, nameOf)
  })
  const gone = [...before].filter(([name]) => !after.has(name))
  const removed = gone.map(
    ([, place]): Difference => ({ path: pointer(path, place), kind: 'removed', from: from[place] }),
  )
  return [...found, ...removed]
}

/**
 * The members that differ, in the order of the second value, then those that it lacks; maps and lists are compared member by member.
 * @param nameOf finds an item of a list wherever it stands; absent: items are the same by their place
 */
export function differencesBetween(
  from: unknown,
  to: unknown,
  path = '',
  nameOf: NameOf = () => undefined,
): readonly Difference[] {
  if (Array.isArray(from) && Array.isArray(to)) {
    const [before, after] = [byName(from, nameOf), byName(to, nameOf)]
    if (before && after) return differencesOfNamed([from, to], [before, after], path, nameOf)
  } else if (!isMap(from) || !isMap(to)) {
    return canonicalJson(from) === canonicalJson(to) ? [] : [{ path, kind: 'changed', from, to }]
  }
  const [before, after] = [from as JsonMap, to as JsonMap]
  const keys = [...new Set([...Object.keys(after), ...Object.keys(before)])]
  return keys.flatMap((key): readonly Difference[] => {
    const at = pointer(path, key)
    if (!Object.hasOwn(before, key)) return [{ path: at, kind: 'added', to: after[key] }]
    if (!Object.hasOwn(after, key)) return [{ path: at, kind: 'removed', from: before[key] }]
    return differencesBetween(before[key], after[key], at, nameOf)
  })
}
