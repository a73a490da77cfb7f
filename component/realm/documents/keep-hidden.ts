/** What `get_realm` does not show is kept by a load that does not name it, so that loading what it gave changes nothing. */
import { isDeepStrictEqual } from 'node:util'
import { isMap } from '#component/syntax/values.ts'
import { memberLists } from './membership.ts'
import type { RealmDocument } from './model.ts'
import { showRealm } from './secrets.ts'

/** One place of a document: what is loaded there, what is stored there, and what of that is shown. */
interface Place {
  readonly loaded: unknown
  readonly stored: unknown
  readonly shown: unknown
}

/** Fills the environment in. */
type Fill = (value: unknown) => unknown

/** A hidden key that the load does not name is kept; `null` removes it. */
function keepInMap({ loaded, stored, shown }: Place, at: readonly string[], fill: Fill): unknown {
  if (!isMap(loaded) || !isMap(stored) || !isMap(shown)) return loaded
  const hidden = Object.entries(stored).filter(([key]) => !Object.hasOwn(shown, key))
  const absent = hidden.filter(([key]) => !Object.hasOwn(loaded, key))
  const isRemoved = (key: string) =>
    loaded[key] === null && Object.hasOwn(stored, key) && !Object.hasOwn(shown, key)
  const kept = Object.entries(loaded).flatMap(([key, value]) => {
    if (isRemoved(key)) return []
    const inner = { loaded: value, stored: stored[key], shown: shown[key] }
    return Object.hasOwn(shown, key) ? [[key, keep(inner, [...at, key], fill)]] : [[key, value]]
  })
  return Object.fromEntries([...kept, ...absent])
}

/** Users are known by their names; of other lists, items that are loaded as they were shown. */
function keepInList({ loaded, stored, shown }: Place, at: readonly string[], fill: Fill): unknown {
  if (!Array.isArray(loaded) || !Array.isArray(stored) || !Array.isArray(shown)) return loaded
  const list = memberLists.find(({ keys }) => isDeepStrictEqual(keys, at))
  const nameOf = (item: unknown) => (list && isMap(item) ? fill(item[list.name]) : undefined)
  const places = new Map(stored.map((item, index) => [nameOf(item), index]))
  return loaded.map((item: unknown) => {
    const index = list
      ? (places.get(nameOf(item)) ?? -1)
      : shown.findIndex((one) => isDeepStrictEqual(one, item))
    if (index < 0) return item
    return keep({ loaded: item, stored: stored[index], shown: shown[index] }, at, fill)
  })
}

function keep(place: Place, at: readonly string[], fill: Fill): unknown {
  // most of a document hides nothing
  if (isDeepStrictEqual(place.stored, place.shown)) return place.loaded
  return Array.isArray(place.loaded) ? keepInList(place, at, fill) : keepInMap(place, at, fill)
}

/**
 * The document that is loaded, with what is stored and not shown.
 * @param stored the document that is replaced, as written; undefined for a new realm
 * @param fill fills the environment in: names of users may be in it
 */
export function withHidden(
  loaded: RealmDocument,
  stored: RealmDocument | undefined,
  fill: Fill,
): RealmDocument {
  if (stored === undefined) return loaded
  const { ts: _, ...shown } = showRealm(stored, 0)
  return keep({ loaded, stored, shown }, [], fill) as RealmDocument
}
