/** The OpenAPI documents of test/cases/openapi. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseJson } from '#component/codec/json.ts'
import { documentRules } from '#component/codec/limits.ts'
import { parseYaml } from '#component/codec/yaml.ts'
import { compileDocument } from '#component/compile/compile-document.ts'
import type { Json } from './imported.ts'

/** Where they and what becomes of them are. */
export const folder = join(import.meta.dirname, '../../../cases/openapi')

/** Their names. */
export const corpus: readonly string[] = readdirSync(folder).filter(
  (name) => /\.(yaml|json)$/.test(name) && !name.endsWith('.api-spec.json'),
)

/** One of them. */
export const read = (name: string): Json => {
  const text = readFileSync(join(folder, name), 'utf8')
  const parse = name.endsWith('.json') ? parseJson : parseYaml
  return parse(text, documentRules) as Json
}

/** What a load finds. */
export const judge = (document: unknown) => compileDocument(document, { callTimeout: 1000 })
