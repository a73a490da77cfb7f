/** The representations of a stored document in management: the document with `versions` as a map and `ts`, or its info. */

import type { JsonMap } from '#component/syntax/values.ts'
import { versionLabel } from './versions.ts'

/** The full document as it was loaded, `versions` as a map, plus `ts` (milliseconds since the epoch). */
export function represent(document: JsonMap, ts: number): JsonMap {
  const { versions } = document
  if (!Array.isArray(versions)) return { ...document, ts }
  const labelled = versions.map((version: JsonMap) => [versionLabel(version), version])
  return { ...document, versions: Object.fromEntries(labelled), ts }
}

/** The keys of the info representation; those absent in the document are absent. */
const infoKeys = ['id', 'name', 'host', 'realm_uri', 'meta'] as const

/** `{id, name, host, realm_uri, meta, ts}`. */
export function info(document: JsonMap, ts: number): JsonMap {
  const result: Record<string, unknown> = {}
  for (const key of infoKeys) if (Object.hasOwn(document, key)) result[key] = document[key]
  result.ts = ts
  return result
}
