/** An entry of the replicated map: the newest known version of a document, or the fact that it was deleted. */
import { createHash } from 'node:crypto'
import { canonicalParts } from '#component/codec/json.ts'
import { runAtOnce, type Steps } from '#component/yielding.ts'
import type { Stamp } from './stamp.ts'

/** The kinds of replicated documents. */
export type Kind =
  | 'realm'
  | 'realm_key'
  | 'revocation'
  | 'api_key'
  | 'oidc_user'
  | 'id_token'
  | 'api_spec'

/** All kinds, in the order in which changes are made live: API Specifications name realms. */
export const kinds: readonly Kind[] = [
  'realm',
  'realm_key',
  'revocation',
  'api_key',
  'oidc_user',
  'id_token',
  'api_spec',
]

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
}

/** The `hash` of a document. */
export const hashOf = (document: Document): string => runAtOnce(hashing(document))

/** Characters that are hashed in one step. */
const stepLength = 65_536

/** {@link hashOf} in steps; of any JSON value. */
export function* hashing(document: unknown): Steps<string> {
  const hash = createHash('sha256')
  let text = ''
  for (const part of canonicalParts(document)) {
    text += part
    if (text.length < stepLength) continue
    hash.update(text)
    text = ''
    yield
  }
  return hash.update(text).digest('hex')
}
