/** The history of a document: its versions, and the conditions on the current one under which a change is made. */
import { ServiceError } from '#component/errors.ts'
import type { Document, Entry } from './entry.ts'

/** Versions by the hash of their document; `*` is any version. */
export type Hashes = '*' | readonly string[]

/** Preconditions of a change; none when absent. */
export interface Conditions {
  /** The current version must be one of these. */
  readonly ifMatch?: Hashes
  /** The current version must not be one of these; `*`: there must be no version. */
  readonly ifNoneMatch?: Hashes
}

const refuse = (message: string) => new ServiceError('service.error.conflict', message)

const isOneOf = (hash: string, hashes: Hashes): boolean => hashes === '*' || hashes.includes(hash)

/**
 * Judges a change of a document.
 * @param hash of the current version; null or undefined for none
 * @throws ServiceError `service.error.conflict`
 */
export function checkConditions(
  hash: string | null | undefined,
  { ifMatch, ifNoneMatch }: Conditions,
): void {
  const found = hash ?? undefined
  if (ifMatch !== undefined && (found === undefined || !isOneOf(found, ifMatch))) {
    throw refuse(
      found === undefined
        ? 'If-Match: there is no such document'
        : `If-Match: the current version has the ETag "${found}"`,
    )
  }
  if (ifNoneMatch !== undefined && found !== undefined && isOneOf(found, ifNoneMatch)) {
    throw refuse(`If-None-Match: the current version has the ETag "${found}"`)
  }
}

/** One version in the history of a document. */
export interface VersionInfo {
  /** Milliseconds since the epoch. */
  readonly ts: number
  /** null: the document was deleted. */
  readonly hash: string | null
  /** The node on which it was loaded or deleted. */
  readonly node: string
  /** Who has done that, as the log says it; null: not known. */
  readonly by: string | null
  readonly is_current: boolean
  readonly is_deleted: boolean
}

/** The history as management shows it. @param versions newest first */
export const describeHistory = (versions: readonly Entry[]): VersionInfo[] =>
  versions.map(({ stamp, hash, document, by = null }, index) => ({
    ts: stamp.ms,
    hash,
    node: stamp.node,
    by,
    is_current: index === 0,
    is_deleted: document === null,
  }))

/** A version that is not a deletion. */
export type Version = Entry & { readonly document: Document; readonly hash: string }

const isVersion = (entry: Entry): entry is Version => entry.document !== null && entry.hash !== null

/** A hash may be shortened to as many characters. */
const leastCharacters = 6

/**
 * The newest version of a hash.
 * @param versions newest first
 * @param start the hash, or its first characters: at least 6
 * @throws ServiceError `service.error.not_found`, `wamp.error.invalid_argument` when versions of different hashes begin so
 */
export function versionOf(versions: readonly Entry[], start: string): Version {
  if (start.length < leastCharacters) {
    const message = `hash: at least the first ${leastCharacters} characters are needed`
    throw new ServiceError('service.error.not_found', message)
  }
  const [found, ...others] = versions.filter(isVersion).filter(({ hash }) => hash.startsWith(start))
  if (!found) {
    const message = 'the history has no version with this hash'
    throw new ServiceError('service.error.not_found', message)
  }
  if (others.every(({ hash }) => hash === found.hash)) return found
  const message = 'hash: several versions begin with these characters; give more of them'
  throw new ServiceError('wamp.error.invalid_argument', message)
}

/** The current version. @param versions newest first @throws ServiceError `service.error.not_found` when it is a deletion */
export function currentOf(versions: readonly Entry[]): Version {
  const [newest] = versions
  if (newest && isVersion(newest)) return newest
  throw new ServiceError('service.error.not_found', 'the document is deleted: name two versions')
}
