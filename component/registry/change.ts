/** A change of an API Specification: the conditions that it is made under, its result, and the versions that changes leave. */
import { type Issue, ServiceError } from '#component/errors.ts'
import type { Entry } from '#component/replica/entry.ts'
import type { Replica } from '#component/replica/replica.ts'
import { memberOf } from '#component/syntax/values.ts'

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

/** Whether an operator limited to this realm may manage the document; undefined: the operator is not limited. */
export const isWithin = (document: unknown, within: string | undefined): boolean =>
  within === undefined || isOf(document, within)

/**
 * Refuses a document of another realm.
 * @param within the realm that the operator is limited to; undefined: not limited
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

/** The result of a load. */
export interface Loaded {
  readonly id: string
  /** Milliseconds since the epoch; not smaller than that of the version before. */
  readonly ts: number
  /** SHA-256, hex, of the document's canonical JSON. */
  readonly hash: string
  readonly warnings: readonly Issue[]
  /** False when it replaced another version. */
  readonly isNew: boolean
}

/** The result of a deletion. */
export interface Removed {
  readonly id: string
  /** Milliseconds since the epoch, of the deletion. */
  readonly ts: number
}

/** One version in the history of a document. */
export interface VersionInfo {
  /** Milliseconds since the epoch. */
  readonly ts: number
  /** null: the document was deleted. */
  readonly hash: string | null
  /** The node on which it was loaded or deleted. */
  readonly node: string
  readonly is_current: boolean
  readonly is_deleted: boolean
}

/** There is no API Specification of an id. */
export const unknownId = (): ServiceError =>
  new ServiceError('service.error.not_found', 'there is no API Specification with this id')

/** The last versions of an id, newest first. @throws ServiceError `service.error.not_found`, `service.error.unavailable` */
export async function historyOf(
  replica: Pick<Replica, 'versions'>,
  id: string,
): Promise<readonly Entry[]> {
  const versions = await replica.versions('api_spec', id)
  if (versions.length > 0) return versions
  throw unknownId()
}

/** The history as management shows it. */
export const describeHistory = (versions: readonly Entry[]): VersionInfo[] =>
  versions.map(({ stamp, hash, document }, index) => ({
    ts: stamp.ms,
    hash,
    node: stamp.node,
    is_current: index === 0,
    is_deleted: document === null,
  }))
