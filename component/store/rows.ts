/** Converts versions of documents to rows of the store and back; an unreadable row does not hide the others. */
import { jsonParts, parseOwnJson, stringifyJson } from '#component/codec/json.ts'
import type { Damaged } from '#component/replica/damage.ts'
import type { Document, Entry } from '#component/replica/entry.ts'
import type { Stamp } from '#component/replica/stamp.ts'
import type { Steps } from '#component/yielding.ts'
import type { VersionRow } from './tables.ts'

/** The document of a row: every digit is kept, and the limits for documents from outside do not apply. */
const readDocument = (text: string): Document => parseOwnJson(text) as Document

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

const writeAncestors = (stamps: readonly Stamp[]): string =>
  JSON.stringify(stamps.map(({ ms, counter, node }) => [ms, counter, node]))

const readAncestors = (text: string): Stamp[] =>
  (JSON.parse(text) as [number, number, string][]).map(([ms, counter, node]) => ({
    ms,
    counter,
    node,
  }))

/** The row of an entry, with the text of its document. */
export const rowOf = (
  { kind, id, stamp, parent, ancestors, hash }: Entry,
  document: string | null,
): VersionRow => ({
  kind,
  id,
  ...stamp,
  parent_ms: parent?.ms ?? null,
  parent_counter: parent?.counter ?? null,
  parent_node: parent?.node ?? null,
  ancestors: ancestors ? writeAncestors(ancestors) : null,
  hash,
  document,
})

/** The entry of a row. */
function entryOf(row: VersionRow): Entry {
  const { kind, id, ms, counter, node, parent_ms, parent_counter, parent_node, hash } = row
  const parent = { ms: parent_ms ?? 0, counter: parent_counter ?? 0, node: parent_node ?? '' }
  return {
    kind,
    id,
    stamp: { ms, counter, node },
    parent: parent_node === null ? null : parent,
    ...(row.ancestors === null ? {} : { ancestors: readAncestors(row.ancestors) }),
    hash,
    document: row.document === null ? null : readDocument(row.document),
  }
}

/** The versions of rows, and the names of those that cannot be read. */
export function entriesOf(rows: readonly VersionRow[]): { entries: Entry[]; damaged: Damaged[] } {
  const entries: Entry[] = []
  const damaged: Damaged[] = []
  for (const row of rows) {
    try {
      entries.push(entryOf(row))
    } catch {
      const { kind, id, ms, counter, node } = row
      damaged.push({ kind, id, stamp: { ms, counter, node } })
    }
  }
  return { entries, damaged }
}
