/** Leaves out of an imported document what a load refuses: keywords of schemas, and paths. */
import { keysOfPointer, pointer } from '#component/codec/json.ts'
import type { Issue } from '#component/errors.ts'
import { isMap } from '#component/syntax/values.ts'
import type { Losses } from './losses.ts'
import { originOf } from './origins.ts'

/** What a load finds in a document. */
export type Judge = (document: unknown) => {
  readonly issues: readonly Issue[]
  readonly warnings: readonly Issue[]
}

/** What one round leaves out may be what the next one misses. */
const mostRounds = 10

/** Leaves out what it can, and tells it. @returns the issues that remain, at places of the OpenAPI document */
export function mend(document: unknown, judge: Judge, losses: Losses): readonly Issue[] {
  for (let round = 0; ; round++) {
    const { issues, warnings } = judge(document)
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

/** Whether the value at a place could be left out. */
function leaveOut(document: unknown, path: string): boolean {
  const keys = keysOfPointer(path)
  const last = keys.pop() ?? ''
  if (!mayBeLeftOut(keys, last)) return false
  const parent = keys.reduce<unknown>(
    (value, key) => (isMap(value) || Array.isArray(value) ? (value as never)[key] : undefined),
    document,
  )
  if (Array.isArray(parent)) {
    if (!(Number(last) in parent)) return false
    // an item of `required` or `enum` is no schema
    if (isMap(parent[Number(last)])) parent[Number(last)] = {}
    else parent.splice(Number(last), 1)
    return true
  }
  if (!isMap(parent) || !Object.hasOwn(parent, last)) return false
  // others refer to a named schema
  if (pointer('', ...keys) === '/schemas') {
    if (parent[last] === true) return false
    ;(parent as Record<string, unknown>)[last] = true
  } else delete (parent as Record<string, unknown>)[last]
  return true
}

/** A path, or something within a schema. */
function mayBeLeftOut(keys: readonly string[], last: string): boolean {
  const [first, , third, , ...below] = keys
  if (first === 'schemas') return true
  if (keys.length === 3 && third === 'paths') return true
  const inSchema = below.some((key) => key === 'request' || key === 'schema' || key === 'responses')
  return inSchema || last === 'request'
}
