/**
 * Documents with keys that gateways of an earlier version would ignore, and so serve without their checks. They are replicated in an
 * envelope: it has no `versions`, so that no earlier version compiles it; such a gateway serves the last version that it knows.
 */
import { canonicalJson, stringifyJson, withMember } from '#component/codec/json.ts'
import { isMap } from '#component/syntax/values.ts'
import type { Steps } from '#component/yielding.ts'
import { type DocumentText, hashingPieces } from './document-text.ts'
import type { Change, Document, Draft, Entry } from './entry.ts'

/** The next version of a document; with the names of what a gateway must know to serve it. */
export interface FeaturedDraft extends Draft {
  readonly features?: readonly string[]
}

/** An entry as its authors see it: with their document, the hash of that, and what a gateway must know to serve it. */
export interface OpenedEntry extends Entry {
  readonly features?: readonly string[]
}

/** A change of {@link OpenedEntry}s. */
export interface OpenedChange extends Change {
  readonly entry: OpenedEntry
  readonly before: OpenedEntry | undefined
}

/** The members that an earlier version shows in lists, and by which it knows the operators who may manage the document. */
const shown = ['id', 'name', 'host', 'realm_uri', 'meta']

/** @param hash of the document */
export function envelopeOf(
  document: Document,
  hash: string,
  features: readonly string[],
): Document {
  const members = shown.filter((key) => Object.hasOwn(document, key))
  return {
    ...Object.fromEntries(members.map((key) => [key, document[key]])),
    ...{ features, hash, document },
  }
}

/** The texts of an envelope, from those of its document. */
export function* writingEnvelope(
  { document: _, ...others }: Document,
  written: DocumentText,
): Steps<DocumentText> {
  const text = withMember(stringifyJson(others), 'document', written.text)
  // `document` is the first key in the order of RFC 8785
  const rest = canonicalJson(others).slice(1)
  const canonical = ['{"document":', ...written.canonical, `,${rest}`]
  return { text, canonical, hash: yield* hashingPieces(canonical) }
}

/** What is in an envelope; undefined for a document without one: a document has `versions`. */
function contentOf(
  document: Document | null,
): Pick<OpenedEntry, 'document' | 'hash' | 'features'> | undefined {
  if (document === null || Object.hasOwn(document, 'versions')) return undefined
  const { features, hash, document: content } = document
  const isEnvelope = Array.isArray(features) && typeof hash === 'string' && isMap(content)
  return isEnvelope ? { features: features.map(String), hash, document: content } : undefined
}

/** Takes the document of an entry out of its envelope; the same entry where it has none. */
export function opened<E extends Entry | undefined>(entry: E): E | (E & OpenedEntry) {
  const content = entry && contentOf(entry.document)
  return content ? { ...entry, ...content } : entry
}
