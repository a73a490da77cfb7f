/** The history of API Specifications: the versions of an id, what each of them said, and what changed between two. */
import { type Difference, differencesBetween } from '#component/codec/json-diff.ts'
import type { Entry } from '#component/replica/entry.ts'
import {
  currentOf,
  describeHistory,
  type Version,
  type VersionInfo,
  versionOf,
} from '#component/replica/history.ts'
import { represent } from '#component/spec/represent.ts'
import { checkHistoryWithin, checkWithin, type Shown, unknownId } from './change.ts'
import type { SpecReplica } from './spec-replica.ts'

/**
 * Reads the history. Every method takes the realm that the document must belong to (undefined: any), and throws ServiceError
 * `service.error.not_found`, `wamp.error.not_authorized`, `service.error.unavailable`.
 */
export class SpecHistory {
  readonly #replica: Pick<SpecReplica, 'versions'>

  constructor(replica: Pick<SpecReplica, 'versions'>) {
    this.#replica = replica
  }

  /** The last versions of an id, newest first. */
  async list(id: string, within?: string): Promise<VersionInfo[]> {
    return describeHistory(await this.#entries(id, within))
  }

  /** A version, as it was loaded. @param hash of its document; it may be shortened, here and below */
  async find(id: string, hash: string, within?: string): Promise<Version> {
    return versionWithin(await this.#entries(id, within), hash, within)
  }

  /** A version with its `ts`, as management shows the current one. */
  async get(id: string, hash: string, within?: string): Promise<Shown> {
    const found = await this.find(id, hash, within)
    return { document: represent(found.document, found.stamp.ms), hash: found.hash }
  }

  /**
   * The differences between two versions.
   * @param from hash of the one
   * @param to hash of the other; undefined: the current one
   */
  async differences(
    id: string,
    from: string,
    to: string | undefined,
    within?: string,
  ): Promise<readonly Difference[]> {
    const versions = await this.#entries(id, within)
    const hashes = [from, to ?? currentOf(versions).hash]
    const [old, now] = hashes.map((hash) => versionWithin(versions, hash, within).document)
    return differencesBetween(old, now)
  }

  /**
   * Whether a document was loaded at a time or later, and another one or a deletion has taken its place since.
   * @param since milliseconds since the epoch
   */
  async isReplaced(id: string, hash: string, since: number): Promise<boolean> {
    const versions = await this.#replica.versions(id)
    const newest = versions.findIndex((version) => version.hash === hash)
    return newest > 0 && (versions[newest]?.stamp.ms ?? 0) >= since
  }

  async #entries(id: string, within?: string): Promise<readonly Entry[]> {
    const versions = await this.#replica.versions(id)
    if (versions.length === 0) throw unknownId()
    checkHistoryWithin(versions, within)
    return versions
  }
}

/** An older version may have belonged to another realm. */
function versionWithin(versions: readonly Entry[], hash: string, within: string | undefined) {
  const found = versionOf(versions, hash)
  checkWithin(found.document, within)
  return found
}
