/** The API Specification of docs/tutorial.md as the end of the page leaves it. */
import { documentRules } from '#component/codec/limits.ts'
import { parseYaml } from '#component/codec/yaml.ts'
import type { JsonMap } from '#component/syntax/values.ts'
import { textOfFile } from './files.ts'
import { tutorial } from './tutorial.ts'

/** Its versions are published. */
export function bookshopDocument(): JsonMap {
  const text = textOfFile(tutorial.values(), 'bookshop.yaml')
  const document = parseYaml(text, documentRules) as { readonly versions: JsonMap }
  const versions = Object.entries(document.versions).map(([label, version]) => [
    label,
    { openapi: { path: '/openapi' }, ...(version as JsonMap) },
  ])
  return { ...document, versions: Object.fromEntries(versions) }
}
