/** The history of an API Specification: its last versions, as the store keeps them. */
import { ServiceError } from '#component/errors.ts'
import type { Entry } from '#component/replica/entry.ts'
import type { Replica } from '#component/replica/replica.ts'

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
