/** Judges the schemas of a document at load: keywords, references, loops and limits, each mistake with its place. */
import { canonicalJson } from '#component/codec/json.ts'
import type { Issue } from '#component/errors.ts'
import { isMap } from '#component/syntax/values.ts'
import type { Steps } from '#component/yielding.ts'
import type { NamedSchemas } from './references.ts'

/** A schema, and its JSON Pointer in the document. */
export interface SchemaUse {
  readonly schema: unknown
  readonly at: string
}

/** What was found: issues refuse the document, warnings do not. */
export interface Findings {
  readonly issues: Issue[]
  readonly warnings: Issue[]
}

/** Judges the named schemas of a document (at `/schemas`) and those that its other places hold. Equal ones are judged once. */
export function* judging(
  uses: readonly SchemaUse[],
  named: NamedSchemas,
  findings: Findings,
): Steps<void> {
  const judged = new Set<string>()
  const all = Object.entries(named).map(([name, schema]) => ({ schema, at: `/schemas/${name}` }))
  for (const { schema, at } of [...all, ...uses]) {
    const text = canonicalJson(schema)
    if (judged.has(text)) continue
    judged.add(text)
    if (!isMap(schema) && typeof schema !== 'boolean') {
      findings.issues.push({ path: at, message: 'expected a schema: a map, true or false' })
    }
    yield
  }
}
