/** OpenAPI documents of a few parts, imported. */
import { type Imported, importOpenApi } from '#component/openapi/import/import.ts'
import type { ImportOptions } from '#component/openapi/import/target.ts'
import { memberOf } from '#component/syntax/values.ts'

export type Json = Readonly<Record<string, unknown>>

/** Imports a document of these parts, as a load that refuses nothing would let it. */
export function imported(parts: Json, options: Partial<ImportOptions> = {}): Imported {
  const document = { openapi: '3.1.1', info: { title: 'Orders', version: '1.0' }, ...parts }
  const judge = () => ({ issues: [], warnings: [] })
  return importOpenApi(document, { realm_uri: 'com.example', ...options }, judge)
}

/** The value at a path of keys. */
export const at = (value: unknown, ...keys: readonly string[]): unknown =>
  keys.reduce(memberOf, value)

/** A path of the only version. */
export const pathOf = (found: Imported, pattern: string): unknown =>
  at(found.document, 'versions', '1.0', 'paths', pattern)

/** The only operation, `get /a`, of an import. */
export function get(operation: Json, parts: Json = {}) {
  const found = imported({ paths: { '/a': { get: operation } }, ...parts })
  return { operation: at(pathOf(found, '/a'), 'get'), losses: found.losses }
}

/** A named schema after an import, and the places of what is lost. */
export function schemaOf(schema: Json, openapi = '3.0.4') {
  const { document, losses } = imported({ openapi, components: { schemas: { S: schema } } })
  return { schema: at(document, 'schemas', 'S'), losses: losses.map(({ path }) => path) }
}
