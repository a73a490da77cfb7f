/** `$ref`: which schema of a document it names. */
import { keysOfPointer, pointer } from '#component/codec/json.ts'
import { isMap } from '#component/syntax/values.ts'
import { keywords } from './keywords.ts'

/** The schemas of a document by their names. */
export type NamedSchemas = Readonly<Record<string, unknown>>

/** What a reference names. */
export interface Target {
  readonly name: string
  /** JSON Pointer of the schema in the document: one text for one schema, however the reference is written. */
  readonly at: string
  readonly schema: unknown
}

const start = '#/schemas/'

/** The keys of a reference below `#/schemas/`; undefined when it is written otherwise. */
function keysOf(reference: string): string[] | undefined {
  if (!reference.startsWith(start)) return undefined
  try {
    return keysOfPointer(decodeURIComponent(reference.slice(start.length - 1)))
  } catch {
    return undefined // a malformed escape
  }
}

/** What a reference names, or the problem that it has. */
export function resolve(reference: string, named: NamedSchemas): Target | string {
  const keys = keysOf(reference)
  const [name = ''] = keys ?? []
  if (keys === undefined || name === '') {
    return 'expected a reference to a schema of this document: #/schemas/<name>'
  }
  if (!Object.hasOwn(named, name))
    return `the document has no schema of the name ${JSON.stringify(name)}`
  const schema = schemaBelow(named[name], keys.slice(1))
  if (schema === undefined) return `no schema is at ${JSON.stringify(reference)}`
  return { name, at: pointer('/schemas', ...keys), schema }
}

/** The schema that some keys lead to, from keyword to keyword; undefined where none lies. */
function schemaBelow(root: unknown, keys: readonly string[]): unknown {
  let schema = root
  for (let index = 0; index < keys.length; index++) {
    const keyword = keys[index] ?? ''
    const holds = keywords.get(keyword)?.holds
    if (holds === undefined || !isMap(schema) || !Object.hasOwn(schema, keyword)) return undefined
    schema = schema[keyword]
    if (holds === 'schema') continue
    index++
    const key = keys[index] ?? ''
    const isThere =
      holds === 'list' ? Array.isArray(schema) && /^(0|[1-9]\d*)$/.test(key) : isMap(schema)
    if (!isThere || !Object.hasOwn(schema as object, key)) return undefined
    schema = (schema as Readonly<Record<string, unknown>>)[key]
  }
  return isMap(schema) || typeof schema === 'boolean' ? schema : undefined
}
