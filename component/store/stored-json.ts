/** Documents as text in the store: with every digit, and without the limits that hold for what comes from outside. */
import { parseJson, stringifyJson } from '#component/json.ts'
import type { Document } from '#component/replica/entry.ts'

const limits = { depth: 256, values: 50_000_000 }

/** The document of a row. */
export const readDocument = (text: string): Document =>
  parseJson(text, { limits, allowLoneSurrogates: true, allowProtoKeys: true }) as Document

/** The text for a row. */
export const writeDocument = (document: Document): string => stringifyJson(document)
