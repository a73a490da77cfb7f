/** A change of an API Specification: the realm it is limited to, and its result. */
import { type Issue, ServiceError } from '#component/errors.ts'
import type { Entry } from '#component/replica/entry.ts'
import type { RoutingTable } from '#component/routes/routing-table.ts'
import { type JsonMap, memberOf } from '#component/syntax/values.ts'

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

/** A document with its `ts`, and the hash of its version. */
export interface Shown {
  readonly document: JsonMap
  readonly hash: string
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

/** A document that could be loaded, and what would be served then. */
export interface Tried<R> extends Pick<Loaded, 'id' | 'warnings'> {
  /** As a load would keep it. */
  readonly document: JsonMap
  readonly table: RoutingTable<R>
}

/** The result of a deletion. */
export interface Removed {
  readonly id: string
  /** Milliseconds since the epoch, of the deletion. */
  readonly ts: number
}

/** There is no API Specification of an id. */
export const unknownId = (): ServiceError =>
  new ServiceError('service.error.not_found', 'there is no API Specification with this id')
