/** Documents as text in the store: with every digit, and without the limits that hold for what comes from outside. */
import { jsonParts, parseOwnJson, stringifyJson } from '#component/codec/json.ts'
import type { Document } from '#component/replica/entry.ts'
import type { Steps } from '#component/yielding.ts'

/** The document of a row. */
export const readDocument = (text: string): Document => parseOwnJson(text) as Document

/** The text for a row. */
export const writeDocument = (document: Document): string => stringifyJson(document)

/** {@link writeDocument} in steps. */
export function* writingDocument(document: Document): Steps<string> {
  const parts: string[] = []
  for (const part of jsonParts(document)) {
    parts.push(part)
    yield
  }
  return parts.join('')
}
