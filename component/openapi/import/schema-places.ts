/** Where the schemas of an imported document stand. */
import { pointer } from '#component/codec/json.ts'
import type { JsonMap } from '#component/syntax/values.ts'

/** Keys of `request` whose values are schemas. */
const ofRequest = new Set(['body', 'bindings', 'query_params', 'headers'])

/** The members of a document that use schemas. */
export const usersOf = ({ versions, procedures }: JsonMap): JsonMap => ({ versions, procedures })

/** Finds the schemas of paths, operations and procedures. @yields the JSON Pointer below `at`, and the schema */
export function* schemasWithin(
  value: unknown,
  at = '',
  key = '',
  within = '',
): Generator<readonly [path: string, schema: object]> {
  if (typeof value !== 'object' || value === null) return
  const isOfInput = within === 'input' && (key === 'args' || key === 'kwargs')
  if (key === 'schema' || isOfInput || (within === 'request' && ofRequest.has(key)))
    yield [at, value]
  else
    for (const [name, member] of Object.entries(value))
      yield* schemasWithin(member, pointer(at, name), name, key)
}
