/** What a document is as text: made once when it is loaded, for those who hash, measure, store and announce it. */
import { createHash, hash as digestOf, type Hash } from 'node:crypto'
import { canonicalParts, copyingJson } from '#component/codec/json.ts'
import type { Steps } from '#component/yielding.ts'

/** The texts of a document. */
export interface DocumentText {
  /** One line of JSON, its keys in the order of its author. */
  readonly text: string
  /** Canonical JSON (RFC 8785) in pieces, for the hash of what holds the document. */
  readonly canonical: readonly string[]
  /** SHA-256, hex, of the canonical JSON. */
  readonly hash: string
}

/** A document that is to be loaded: its value, which no other code changes, and its texts. */
export interface LoadedDocument extends DocumentText {
  readonly value: unknown
}

/** Characters that are hashed in one step. */
const stepLength = 65_536

/** SHA-256, hex, in steps, of pieces of text. */
export function* hashingPieces(pieces: Iterable<string>): Steps<string> {
  let hash: Hash | undefined
  let text = ''
  for (const piece of pieces) {
    text += piece
    if (text.length < stepLength) continue
    hash ??= createHash('sha256')
    hash.update(text)
    text = ''
    yield
  }
  return hash ? hash.update(text).digest('hex') : digestOf('sha256', text)
}

/**
 * Copies a document, so that its sender cannot change it afterwards, without the `ts` that answers add to it.
 * @throws ServiceError `service.error.payload_too_large`
 */
export function* loadingDocument(document: unknown): Steps<LoadedDocument> {
  const { value, text } = yield* copyingJson(document, 'ts')
  return { value, text, ...(yield* canonicalOf(value)) }
}

function* canonicalOf(value: unknown): Steps<Pick<DocumentText, 'canonical' | 'hash'>> {
  const canonical: string[] = []
  let piece = ''
  for (const part of canonicalParts(value)) {
    piece += part
    if (piece.length < stepLength) continue
    canonical.push(piece)
    piece = ''
    yield
  }
  canonical.push(piece)
  return { canonical, hash: yield* hashingPieces(canonical) }
}
