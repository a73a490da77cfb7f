/** Converts versions of documents to rows of the store and back; an unreadable row does not hide the others. */
import { jsonParts, parseOwnJson } from '#component/codec/json.ts'
import type { Damaged } from '#component/replica/damage.ts'
import type { Document, Entry } from '#component/replica/entry.ts'
import type { Stamp } from '#component/replica/stamp.ts'
import type { Steps } from '#component/yielding.ts'
import type { VersionRow } from './tables.ts'

const writeAncestors = (stamps: readonly Stamp[]): string =>
  JSON.stringify(stamps.map(({ ms, counter, node }) => [ms, counter, node]))

const readAncestors = (text: string): Stamp[] =>
  (JSON.parse(text) as [number, number, string][]).map(([ms, counter, node]) => ({
    ms,
    counter,
    node,
  }))

/**
 * The row of an entry, in steps: its document may be long.
 * @param text of the document, where it is there already
 */
export function* writingRow(entry: Entry, text?: string): Steps<VersionRow> {
  const { kind, id, stamp, parent, ancestors, hash, document, by } = entry
  const parts: string[] = text === undefined ? [] : [text]
  for (const part of document && text === undefined ? jsonParts(document) : []) {
    parts.push(part)
    yield
  }
  return {
    kind,
    id,
    ...stamp,
    parent_ms: parent?.ms ?? null,
    parent_counter: parent?.counter ?? null,
    parent_node: parent?.node ?? null,
    ancestors: ancestors ? writeAncestors(ancestors) : null,
    hash,
    document: document && parts.join(''),
    author: by === undefined ? null : JSON.stringify(by),
  }
}

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
    // every digit is kept, and the limits for documents from outside do not apply
    document: row.document === null ? null : (parseOwnJson(row.document) as Document),
    ...(row.author === null ? {} : { by: String(JSON.parse(row.author)) }),
  }
}

/** The version of a row, or the name of one that cannot be read. */
export function readRow(row: VersionRow): Entry | Damaged {
  try {
    return entryOf(row)
  } catch {
    const { kind, id, ms, counter, node } = row
    return { kind, id, stamp: { ms, counter, node } }
  }
}

/** Divides what {@link readRow} has read. */
export function divided(read: Iterable<Entry | Damaged>): {
  entries: Entry[]
  damaged: Damaged[]
} {
  const entries: Entry[] = []
  const damaged: Damaged[] = []
  for (const one of read) {
    if ('document' in one) entries.push(one)
    else damaged.push(one)
  }
  return { entries, damaged }
}
