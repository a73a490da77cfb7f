/** Leaves schemas out of an imported document that has more of them than a gateway takes. */
import { canonicalJson, pointer, stringifyJson } from '#component/codec/json.ts'
import { maxDocumentBytes } from '#component/codec/limits.ts'
import { methods } from '#component/request.ts'
import { mostSchemas } from '#component/schema/judge.ts'
import { isMap, type JsonMap, memberOf } from '#component/syntax/values.ts'
import type { Losses } from './losses.ts'
import { originOf } from './origins.ts'
import { schemasWithin, usersOf } from './schema-places.ts'

/** Named schemas of one text, which count once. */
interface Group {
  readonly names: string[]
  /** Of the text. */
  readonly bytes: number
}

const most = `a document has at most ${mostSchemas} different schemas and ${maxDocumentBytes} bytes`

/** The schema in place of one that is left out. */
const anyValue = true

/** Bytes of a value as JSON. */
const bytesOf = (value: unknown): number => Buffer.byteLength(stringifyJson(value))

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
  leaveUnused(usersOf(document), named)
  const what = part === 'schema' ? 'schemas' : 'header fields'
  losses.tell('/paths', `${most}: the ${what} of the responses of ${count} operations are left out`)
}

/** Leaves out the named schemas that a value does not refer to. */
export function leaveUnused(value: unknown, named: Record<string, unknown>): void {
  const used = usedFrom(value, named)
  for (const name of Object.keys(named)) if (!used.has(name)) delete named[name]
}

/** The texts of schemas in place, and the named schemas of other texts, by their text. */
function textsOf(document: JsonMap, named: JsonMap) {
  const inPlace = new Set<string>()
  for (const [, schema] of schemasWithin(usersOf(document))) inPlace.add(canonicalJson(schema))
  const groups = new Map<string, Group>()
  for (const [name, schema] of Object.entries(named)) {
    const text = canonicalJson(schema)
    if (inPlace.has(text)) continue
    const group = groups.get(text) ?? { names: [], bytes: Buffer.byteLength(text) }
    group.names.push(name)
    groups.set(text, group)
  }
  return { count: groups.size + inPlace.size, groups: [...groups.values()] }
}

/**
 * Leaves out the schemas of responses where the document has more, or is longer, than a gateway takes, and their header fields where it
 * is still too long; then lets named schemas allow any value until the rest fits: those first that no operation refers to, of them the
 * longest; then the longest where the document is too long, else the shortest. Each is told.
 * @param named the schemas of the document, which are changed
 */
export function fitSchemas(
  document: JsonMap,
  named: Record<string, unknown>,
  losses: Losses,
): void {
  const isTooLong = (): boolean => bytesOf(document) > maxDocumentBytes
  if (isTooLong() || textsOf(document, named).count > mostSchemas)
    leaveOutOfResponses('schema', document, named, losses)
  if (isTooLong()) leaveOutOfResponses('headers', document, named, losses)
  const texts = textsOf(document, named)
  let { count } = texts
  let bytes = bytesOf(document)
  const isTooMuch = () => count > mostSchemas || bytes > maxDocumentBytes
  if (!isTooMuch()) return
  // the schema that allows any value is one, too
  count++
  const used = usedFrom(usersOf(document), named)
  const left = texts.groups.sort((one, other) => one.bytes - other.bytes)
  const unused = left.filter(({ names }) => !names.some((name) => used.has(name)))
  const rest = left.filter((group) => !unused.includes(group))
  while (isTooMuch()) {
    const next = unused.pop() ?? (bytes > maxDocumentBytes ? rest.pop() : rest.shift())
    if (next === undefined) return
    count--
    for (const name of next.names) {
      const at = originOf(document, pointer('/schemas', name))
      bytes -= next.bytes - bytesOf(anyValue)
      named[name] = anyValue
      losses.tell(at, `${most}: this one allows any value`)
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
