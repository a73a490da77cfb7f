/** Leaves schemas out of an imported document that has more of them than a gateway takes. */
import { canonicalJson, pointer } from '#component/codec/json.ts'
import { mostCharacters, mostSchemas } from '#component/schema/judge.ts'
import { isMap, type JsonMap } from '#component/syntax/values.ts'
import type { Losses } from './losses.ts'
import { originOf } from './origins.ts'
import { schemasWithin } from './schema-places.ts'

/** Named schemas of one text, which count once. */
interface Group {
  readonly names: string[]
  readonly characters: number
}

/**
 * Lets named schemas allow any value until the rest fits: those that no operation refers to, then the shortest where there are too
 * many, and the longest where they are too long. Each is told.
 * @param named the schemas of the document, which are changed
 */
export function fitSchemas(
  document: JsonMap,
  named: Record<string, unknown>,
  losses: Losses,
): void {
  const inPlace = new Set<string>()
  for (const [, schema] of schemasWithin(document.versions)) inPlace.add(canonicalJson(schema))
  const groups = new Map<string, Group>()
  for (const [name, schema] of Object.entries(named)) {
    const text = canonicalJson(schema)
    const group = groups.get(text) ?? { names: [], characters: text.length }
    group.names.push(name)
    groups.set(text, group)
  }
  for (const text of inPlace) groups.delete(text)
  const texts = [...groups.keys(), ...inPlace]
  let count = texts.length
  let characters = texts.reduce((sum, text) => sum + text.length, 0)
  const isTooMuch = () => count > mostSchemas || characters > mostCharacters
  if (!isTooMuch()) return
  // the schema that allows any value is one, too
  count++
  characters += 'true'.length
  const used = usedFrom(document.versions, named)
  const left = [...groups.values()].sort((one, other) => one.characters - other.characters)
  const unused = left.filter(({ names }) => !names.some((name) => used.has(name)))
  const rest = left.filter((group) => !unused.includes(group))
  while (isTooMuch()) {
    const next = unused.pop() ?? (characters > mostCharacters ? rest.pop() : rest.shift())
    if (next === undefined) return
    count--
    characters -= next.characters
    for (const name of next.names) {
      const at = originOf(document, pointer('/schemas', name))
      named[name] = true
      losses.tell(
        at,
        `a document has at most ${mostSchemas} schemas of ${mostCharacters} characters together: this one allows any value`,
      )
    }
  }
}

/** The names that a value refers to, and those that they refer to. */
function usedFrom(value: unknown, named: JsonMap, found = new Set<string>()): Set<string> {
  const open: unknown[] = [value]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next !== 'object' || next === null) continue
    const name = isMap(next) ? /^#\/schemas\/([^/]+)/.exec(String(next.$ref))?.[1] : undefined
    if (name !== undefined && !found.has(name)) {
      found.add(name)
      open.push(named[name])
    }
    for (const member of Object.values(next)) open.push(member ?? false)
  }
  return found
}
