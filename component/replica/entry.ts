/** An entry of the replicated map: the newest known version of a document, or the fact that it was deleted; and its changes. */
import { canonicalParts } from '#component/codec/json.ts'
import { runAtOnce, type Steps } from '#component/yielding.ts'
import { type DocumentText, hashingPieces } from './document-text.ts'
import type { Stamp } from './stamp.ts'

/** The kinds of replicated documents, in the order in which changes are made live: API Specifications name realms. */
export const kinds = [
  'realm',
  'realm_key',
  'revocation',
  'api_key',
  'oidc_user',
  'id_token',
  'trace',
  'endpoint',
  'api_spec',
] as const

/** A kind of replicated documents. */
export type Kind = (typeof kinds)[number]

/** A JSON object as it was loaded. */
export type Document = Readonly<Record<string, unknown>>

/** One version of one document (behaviour: Several nodes). */
export interface Entry {
  readonly kind: Kind
  /** `id` of an API Specification, `uri` of a realm, `kid` of a key of a realm, … */
  readonly id: string
  readonly stamp: Stamp
  /** The version that it replaced on the node where it was made; null for none. */
  readonly parent: Stamp | null
  /** Stamps before the parent, newest first; at most nine. Absent: not known. */
  readonly ancestors?: readonly Stamp[]
  /** SHA-256, hex, of the document's canonical JSON (RFC 8785); null in a tombstone. */
  readonly hash: string | null
  /** Null in a tombstone, which is never removed. */
  readonly document: Document | null
  /** Who has loaded or deleted it, as the log says it. Absent: not known, such as by an earlier version of the gateway. */
  readonly by?: string
}

/** The part of an entry that two nodes compare. */
export type Summary = Pick<Entry, 'kind' | 'id' | 'stamp' | 'hash'>

/** Names a document; the kind holds no space, so that no two have one name. */
export const keyOf = ({ kind, id }: Pick<Entry, 'kind' | 'id'>): string => `${kind} ${id}`

/** The next version of a document; null deletes it. */
export interface Draft extends Pick<Entry, 'id' | 'document' | 'by'> {
  /** The texts of the document, where they are there already. */
  readonly written?: DocumentText | undefined
}

/** The texts of the documents of entries, as far as they are there. */
export type Texts = ReadonlyMap<Entry, string>

/** A change that was made. */
export interface Change {
  readonly entry: Entry
  /** The version that it replaced here, tombstones included. */
  readonly before: Entry | undefined
}

/** Makes changes live. The replica waits for it, so it must not wait for the replica. */
export type Watcher = (changes: readonly Change[]) => void | Promise<void>

/** The `hash` of a document. */
export const hashOf = (document: Document): string => runAtOnce(hashing(document))

/** {@link hashOf} in steps; of any JSON value. */
export const hashing = (document: unknown): Steps<string> => hashingPieces(canonicalParts(document))
