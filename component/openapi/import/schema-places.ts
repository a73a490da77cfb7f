/** Where the schemas of an imported document stand. */
import { pointer } from '#component/codec/json.ts'

/** Keys of `request` whose values are schemas. */
const ofRequest = new Set(['body', 'bindings', 'query_params', 'headers'])

/** Finds the schemas of paths and operations. @yields the JSON Pointer below `at`, and the schema */
export function* schemasWithin(
  value: unknown,
  at = '',
  key = '',
  within = '',
): Generator<readonly [path: string, schema: object]> {
  if (typeof value !== 'object' || value === null) return
  if (key === 'schema' || (within === 'request' && ofRequest.has(key))) yield [at, value]
  else
    for (const [name, member] of Object.entries(value))
      yield* schemasWithin(member, pointer(at, name), name, key)
}
