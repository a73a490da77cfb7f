/** `x-wamp-gateway` of operations: keys that an author sets, and what an export for operators tells of them. */
import { pointer } from '#component/codec/json.ts'
import { isMap, type JsonMap, memberOf } from '#component/syntax/values.ts'
import type { Place, Source } from './source.ts'

const name = 'x-wamp-gateway'

/** What is read of the extension of one operation. */
export interface Extension {
  /** Keys of the operation that stand as they are. */
  readonly keys: JsonMap
  /** The action in words, as an export tells it: its type, and procedure, topic or host. */
  readonly action: JsonMap | undefined
}

/** @returns no keys where the operation has no such extension */
export function extensionOf({ map, at }: Place, source: Source): Extension {
  const extension = map[name]
  if (extension === undefined) return { keys: {}, action: undefined }
  const path = pointer(at, name)
  if (!isMap(extension)) {
    source.losses.tell(path, 'expected a map of keys of an operation')
    return { keys: {}, action: undefined }
  }
  const { action, procedure, topic, host, pattern: _, ...keys } = extension
  if (Array.isArray(action)) {
    source.losses.tell(pointer(path, 'action'), 'an export does not tell the steps of a list')
    return { keys, action: undefined }
  }
  if (typeof action !== 'string')
    return { keys: action === undefined ? keys : { action, ...keys }, action: undefined }
  if (action === 'static')
    source.losses.tell(path, 'an export does not tell the body of the action')
  const told = Object.entries({ procedure, topic, host }).filter(([, value]) => value !== undefined)
  return { keys, action: { type: action, ...Object.fromEntries(told) } }
}

/** The pattern of a path, as an export tells it; several templates may have one. */
export function exportedPattern(operations: readonly Place[]): string | undefined {
  for (const { map } of operations) {
    const pattern = memberOf(map[name], 'pattern')
    if (typeof pattern === 'string') return pattern
  }
  return undefined
}
