/** The result of loading or editing a realm document; issues in a part of it are named by pointers into that part. */
import { InvalidSpecError, type Issue } from '#component/errors.ts'
import type { Change } from '#component/replica/entry.ts'

/** A document that was written. */
export interface Written {
  readonly id: string
  /** Milliseconds since the epoch. */
  readonly ts: number
  /** SHA-256, hex, of the stored document. */
  readonly hash: string
  /** The change; undefined when the document was there already, word for word. */
  readonly change: Change | undefined
}

/** The result of loading one document. */
export interface LoadedRealm {
  readonly uri: string
  /** Milliseconds since the epoch. */
  readonly ts: number
  /** SHA-256, hex, of the stored document: its ETag. */
  readonly hash: string
  readonly warnings: readonly Issue[]
  /** False when it took the place of another version, or of itself. */
  readonly isNew: boolean
}

/** The result of an edit. */
export interface EditedRealm extends LoadedRealm {
  /** Whether the user or grant that was set was not there before. */
  readonly isNewPart: boolean
}

/** The result of a written document. */
export const loaded = (
  { id, ts, hash, change }: Written,
  warnings: readonly Issue[],
): LoadedRealm => {
  const isNew = change !== undefined && (change.before?.document ?? null) === null
  return { uri: id, ts, hash, warnings, isNew }
}

const isIn = ({ path }: Issue, part: string | undefined): boolean =>
  part !== undefined && path.startsWith(`${part}/`)

/** The issues in a part of a document, by pointers into it. @param part JSON Pointer; undefined: no part, so no issues */
export const issuesIn = (issues: readonly Issue[], part: string | undefined): Issue[] =>
  issues
    .filter((issue) => isIn(issue, part))
    .map(({ path, message }) => ({ path: path.slice(part?.length), message }))

/** The refusal of an edit: issues in the part that it sets, by pointers into it, then those elsewhere in the document. */
export function ofPart(error: unknown, part: string | undefined): unknown {
  if (!(error instanceof InvalidSpecError)) return error
  const outside = error.issues.filter((issue) => !isIn(issue, part))
  return new InvalidSpecError([...issuesIn(error.issues, part), ...outside])
}
