/** Takes the JSON Schemas out of a response before its expressions are compiled: braces in a schema are text. */
import { isMap } from '#component/syntax/values.ts'

const declarations = ['on_result', 'on_error']

function withoutSchema(declaration: unknown): unknown {
  if (!isMap(declaration) || !Object.hasOwn(declaration, 'schema')) return declaration
  const { schema: _literal, ...evaluated } = declaration
  return evaluated
}

/** The response without the `schema` of `on_result` and `on_error`, as far as these are written as maps; the same one without any. */
export function withoutSchemas(response: unknown): unknown {
  if (!isMap(response)) return response
  const entries = Object.entries(response)
  const evaluated = entries.map(([key, value]): [string, unknown] => [
    key,
    declarations.includes(key) ? withoutSchema(value) : value,
  ])
  const isSame = evaluated.every(([, value], index) => value === entries[index]?.[1])
  return isSame ? response : Object.fromEntries(evaluated)
}
