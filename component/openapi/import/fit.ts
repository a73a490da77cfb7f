/** Leaves schemas out of an imported document that has more of them than a gateway takes. */
import { canonicalJson, pointer, stringifyJson } from '#component/codec/json.ts'
import { maxDocumentBytes } from '#component/codec/limits.ts'
import { methods } from '#component/request.ts'
import { mostCharacters, mostSchemas } from '#component/schema/judge.ts'
import { isMap, type JsonMap, memberOf } from '#component/syntax/values.ts'
import type { Losses } from './losses.ts'
import { originOf } from './origins.ts'
import { schemasWithin } from './schema-places.ts'

/** Named schemas of one text, which count once. */
interface Group {
  readonly names: string[]
  readonly characters: number
}

/** Whether a document is longer than a gateway takes; bytes of its JSON. */
const isTooLong = (document: JsonMap): boolean =>
  Buffer.byteLength(stringifyJson(document)) > maxDocumentBytes

/** Takes a part out of the declared responses of an operation. @returns whether there was one */
function dropOfResponses(operation: unknown, part: 'schema' | 'headers'): boolean {
  let isFound = false
  for (const each of Object.values(memberOf(operation, 'responses') ?? {})) {
    if (!isMap(each) || each[part] === undefined) continue
    delete (each as Record<string, unknown>)[part]
    isFound = true
  }
  return isFound
}

/** Leaves a part of all responses out, and the named schemas that nothing else refers to: what checks requests stays. */
function leaveOutOfResponses(
  part: 'schema' | 'headers',
  document: JsonMap,
  named: Record<string, unknown>,
  losses: Losses,
): void {
  const paths = Object.values(document.versions ?? {}).flatMap((version) =>
    Object.values(memberOf(version, 'paths') ?? {}),
  )
  const operations = paths.flatMap((path) => methods.map((method) => memberOf(path, method)))
  const count = operations.filter((operation) => dropOfResponses(operation, part)).length
  if (count === 0) return
  const used = usedFrom(document.versions, named)
  for (const name of Object.keys(named)) if (!used.has(name)) delete named[name]
  const what = part === 'schema' ? 'schemas' : 'header fields'
  losses.tell(
    '/paths',
    `a document has at most ${maxDocumentBytes} bytes: the ${what} of the responses of ${count} operations are left out`,
  )
}

/**
 * Leaves out the schemas of responses where the document is longer than a gateway takes; then lets named schemas allow any value until the rest fits: those that no operation refers to, then the shortest where there are too
 * many, and the longest where they are too long. Each is told.
 * @param named the schemas of the document, which are changed
 */
export function fitSchemas(
  document: JsonMap,
  named: Record<string, unknown>,
  losses: Losses,
): void {
  for (const part of ['schema', 'headers'] as const) {
    if (isTooLong(document)) leaveOutOfResponses(part, document, named, losses)
  }
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
