/** A change of an API Specification: the conditions that it is made under, and its result. */
import { type Issue, ServiceError } from '#component/errors.ts'
import type { Entry } from '#component/replica/entry.ts'
import { memberOf } from '#component/syntax/values.ts'

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

const isOf = (document: unknown, realm_uri: string): boolean =>
  memberOf(document, 'realm_uri') === realm_uri

const notAuthorized = (message: string) => new ServiceError('wamp.error.not_authorized', message)

/** May it be managed by somebody who is kept within a realm? undefined: within none. */
export const isWithin = (document: unknown, within: string | undefined): boolean =>
  within === undefined || isOf(document, within)

/**
 * Refuses what belongs to another realm; what there is none of belongs to nobody.
 * @param within the realm that who asks is kept within; undefined: none
 * @throws ServiceError `wamp.error.not_authorized`
 */
export function checkWithin(document: unknown, within: string | undefined): void {
  if (document === undefined || isWithin(document, within)) return
  throw notAuthorized('the API Specification belongs to another realm')
}

/** Refuses the history of a document that belongs to another realm: deleted, it is that of its last version. Throws as {@link checkWithin} does. */
export function checkHistoryWithin(versions: readonly Entry[], within: string | undefined): void {
  checkWithin(versions.find(({ document }) => document !== null)?.document ?? undefined, within)
}

/** What a load came to. */
export interface Loaded {
  readonly id: string
  /** Milliseconds since the epoch; not smaller than that of the version before. */
  readonly ts: number
  /** SHA-256, hex, of the document's canonical JSON. */
  readonly hash: string
  readonly warnings: readonly Issue[]
  /** False when it took the place of another version. */
  readonly isNew: boolean
}

/** What a deletion came to. */
export interface Removed {
  readonly id: string
  /** Milliseconds since the epoch, of the deletion. */
  readonly ts: number
}
