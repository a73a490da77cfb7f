/** The levels of an API Specification: a key that is unknown at one of them may belong to another. */
import { object, type Rule, type Shape } from './rules.ts'

/** The keys of each level, by its name. */
const keysOf = new Map<string, readonly string[]>()

const list = new Intl.ListFormat('en')

/** `it is a key of …` for a key of other levels; undefined for a key of none. */
function homeOf(key: string): string | undefined {
  const names = [...keysOf].filter(([, keys]) => keys.includes(key)).map(([name]) => name)
  return names.length === 0 ? undefined : `it is a key of ${list.format(names.sort())}`
}

/**
 * A map with known keys that is a level of the document. The warning of an unknown key says to which levels the key belongs.
 * @param name as the subject of "a key of …"
 * @param allowed describes the map where it is something else
 */
export function level(name: string, shape: Shape, allowed = name): Rule {
  keysOf.set(name, Object.keys(shape.keys))
  return object(allowed, { ...shape, homeOf })
}
