/** The names of properties that schemas of a document write. Only these are logged: all other names are data of a request. */
import { isMap } from '#component/syntax/values.ts'

function collect(schema: unknown, names: Set<string>): void {
  if (Array.isArray(schema)) for (const item of schema) collect(item, names)
  if (!isMap(schema)) return
  for (const [keyword, value] of Object.entries(schema)) {
    if (keyword === 'properties' && isMap(value)) {
      for (const name of Object.keys(value)) names.add(name)
    }
    if (keyword === 'required' && Array.isArray(value)) {
      for (const name of value) if (typeof name === 'string') names.add(name)
    }
    collect(value, names)
  }
}

/** Those of all schemas. */
export function writtenNames(schemas: Iterable<unknown>): ReadonlySet<string> {
  const names = new Set<string>()
  for (const schema of schemas) collect(schema, names)
  return names
}
