/** Preconditions of a change: who changes a version that is not there any more is told so (RFC 9110 §13.1). */
import { ServiceError } from '#component/errors.ts'

/** Versions by the hash of their document; `*` is any that is there. */
export type Hashes = '*' | readonly string[]

/** What must hold for a change to be made; nothing when absent. */
export interface Conditions {
  /** The version that is there must be one of these. */
  readonly ifMatch?: Hashes
  /** The version that is there must be none of these; `*`: there must be none. */
  readonly ifNoneMatch?: Hashes
}

const refuse = (message: string) => new ServiceError('service.error.conflict', message)

const isOneOf = (hash: string, hashes: Hashes): boolean => hashes === '*' || hashes.includes(hash)

/**
 * Judges a change of a document.
 * @param hash of the version that is there; null or undefined when there is none
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
        ? 'If-Match: there is no API Specification with this id'
        : `If-Match: the current version has the ETag "${found}"`,
    )
  }
  if (ifNoneMatch !== undefined && found !== undefined && isOneOf(found, ifNoneMatch)) {
    throw refuse(`If-None-Match: the current version has the ETag "${found}"`)
  }
}
