/** Documents as text in the store: with every digit, and without the limits that hold for what comes from outside. */
import { parseJson, stringifyJson } from '#component/json.ts'

/** A JSON object as it was stored. */
export type StoredDocument = Readonly<Record<string, unknown>>

const limits = { depth: 256, values: 50_000_000 }

/** The document of a row. */
export const readDocument = (text: string): StoredDocument =>
  parseJson(text, { limits, allowLoneSurrogates: true, allowProtoKeys: true }) as StoredDocument

/** The text for a row. */
export const writeDocument = (document: StoredDocument): string => stringifyJson(document)
