/** Leaves out of an imported document what a load refuses: keywords of schemas, and paths. */
import { canonicalJson, keysOfPointer, pointer } from '#component/codec/json.ts'
import type { Issue } from '#component/errors.ts'
import { isMap, type JsonMap, memberOf } from '#component/syntax/values.ts'
import type { Losses } from './losses.ts'
import { originOf } from './origins.ts'
import { schemasWithin, usersOf } from './schema-places.ts'

/** What a load finds in a document. */
export type Judge = (document: unknown) => {
  readonly issues: readonly Issue[]
  readonly warnings: readonly Issue[]
}

/** What one round leaves out may be what the next one misses. */
const mostRounds = 10

/** Leaves out what it can, and tells it. @returns the issues that remain, at places of the OpenAPI document */
export function mend(document: JsonMap, judge: Judge, losses: Losses): readonly Issue[] {
  for (let round = 0; ; round++) {
    const { issues: told, warnings } = judge(document)
    const issues = told.length === 0 ? told : ofEqualSchemas(document, told)
    const origins = issues.map(({ path }) => originOf(document, path))
    // the last item of a list first: places of the others stay
    const mended = issues.toReversed().filter(({ path }) => leaveOut(document, path))
    if (mended.length === 0 || round === mostRounds) {
      for (const { path, message } of warnings) losses.tell(originOf(document, path), message)
      return issues.map(({ path, message }, index) => ({ path: origins[index] ?? path, message }))
    }
    for (const [index, { path, message }] of issues.entries())
      if (mended.some((each) => each.path === path))
        losses.tell(origins[index] ?? '', `${message}; it is left out`)
  }
}

/** The issues, and those of equal schemas at other places: a load judges a text once. */
function ofEqualSchemas(document: JsonMap, issues: readonly Issue[]): readonly Issue[] {
  const textAt = new Map<string, string>()
  const placesOf = new Map<string, string[]>()
  const add = (path: string, schema: unknown): void => {
    const text = canonicalJson(schema)
    textAt.set(path, text)
    placesOf.set(text, [...(placesOf.get(text) ?? []), path])
  }
  for (const [name, schema] of Object.entries(memberOf(document, 'schemas') ?? {}))
    add(pointer('/schemas', name), schema)
  for (const [path, schema] of schemasWithin(usersOf(document))) add(path, schema)
  const all = new Map<string, Issue>()
  for (const { path, message } of issues) {
    all.set(`${path}\n${message}`, { path, message })
    const keys = keysOfPointer(path)
    const root = keys
      .map((_, index) => pointer('', ...keys.slice(0, index + 1)))
      .find((place) => textAt.has(place))
    if (root === undefined) continue
    const below = path.slice(root.length)
    for (const place of placesOf.get(textAt.get(root) ?? '') ?? [])
      all.set(`${place}${below}\n${message}`, { path: `${place}${below}`, message })
  }
  return [...all.values()]
}

/** Whether the value at a place could be left out; of what is missing, that which misses it. */
function leaveOut(document: unknown, path: string): boolean {
  const keys = keysOfPointer(path)
  for (; keys.length > 0; keys.pop()) {
    const last = keys.at(-1) ?? ''
    const parent = keys.slice(0, -1).reduce(memberAt, document)
    if (memberAt(parent, last) === undefined) continue
    return mayBeLeftOut(keys) && remove(parent, last, keys)
  }
  return false
}

const memberAt = (value: unknown, key: string): unknown =>
  Array.isArray(value) ? value[Number(key)] : memberOf(value, key)

/** @param keys that lead to the value */
function remove(parent: unknown, key: string, keys: readonly string[]): boolean {
  // others may refer to a named schema
  const isNamed = keys.length === 2 && keys[0] === 'schemas'
  if (Array.isArray(parent)) {
    const index = Number(key)
    // an item of `required`, `enum` or `tags` is no schema
    if (isMap(parent[index]) && keys[2] !== 'openapi') parent[index] = {}
    else parent.splice(index, 1)
    return true
  }
  if (!isMap(parent) || (isNamed && parent[key] === true)) return false
  if (isNamed) (parent as Record<string, unknown>)[key] = true
  else delete (parent as Record<string, unknown>)[key]
  return true
}

/** A schema or something within it, a path, a procedure, or what is published about a version. */
function mayBeLeftOut([first, second, third, fourth, ...below]: readonly string[]): boolean {
  if (first === 'schemas') return second !== undefined
  if (first === 'procedures')
    return second !== undefined && (third === undefined || (third === 'input' && below.length > 0))
  if (fourth === undefined) return false
  if (third === 'openapi' || (third === 'paths' && below.length === 0)) return true
  return below.some((key) => key === 'request' || key === 'schema' || key === 'responses')
}
