/** The history of realm documents: their versions, what each of them said, and what changed between two; without secrets. */
import type { Difference } from '#component/codec/json-diff.ts'
import type { RealmDocument } from '#component/realm/documents/model.ts'
import { realmDifferences, shownRealm } from '#component/realm/documents/shown-realm.ts'
import type { Entry } from '#component/replica/entry.ts'
import {
  currentOf,
  describeHistory,
  type Version,
  type VersionInfo,
  versionOf,
} from '#component/replica/history.ts'
import type { Replica } from '#component/replica/replica.ts'
import { unknownRealm } from './realm-writer.ts'

/** Reads the history. Every method throws ServiceError `service.error.not_found`, `service.error.unavailable`. */
export class RealmHistory {
  readonly #replica: Pick<Replica, 'versions'>

  constructor(replica: Pick<Replica, 'versions'>) {
    this.#replica = replica
  }

  /** The last versions of a realm document, newest first. */
  async list(uri: string): Promise<VersionInfo[]> {
    return describeHistory(await this.#entries(uri))
  }

  /** A version as it is stored. @param hash of the stored document; it may be shortened, here and below */
  async find(uri: string, hash: string): Promise<Version> {
    return versionOf(await this.#entries(uri), hash)
  }

  /** A version with its `ts`, without secrets, and its whole hash. */
  async get(
    uri: string,
    hash: string,
  ): Promise<{ readonly document: RealmDocument; readonly hash: string }> {
    const found = await this.find(uri, hash)
    return {
      document: { ...shownRealm(found.document), ts: found.stamp.ms },
      hash: found.hash,
    }
  }

  /**
   * The differences between two versions; of secrets only that they differ.
   * @param from hash of the one
   * @param to hash of the other; undefined: the current one
   */
  async differences(uri: string, from: string, to?: string): Promise<readonly Difference[]> {
    const versions = await this.#entries(uri)
    const later = to === undefined ? currentOf(versions) : versionOf(versions, to)
    return realmDifferences(versionOf(versions, from).document, later.document)
  }

  async #entries(uri: string): Promise<readonly Entry[]> {
    const versions = await this.#replica.versions('realm', uri)
    if (versions.length > 0) return versions
    throw unknownRealm()
  }
}
