/** Finds the version of a document that this node can serve: the newest one, else the last that compiles here (behaviour: Several nodes). */
import type { Issue } from '#component/errors.ts'
import type { OpenedEntry } from '#component/replica/envelope.ts'
import { compareStamps } from '#component/replica/stamp.ts'
import type { RouteEntry } from '#component/routes/routing-table.ts'
import { isFeature } from '#component/spec/features.ts'
import type { RegistryPorts } from './registry-ports.ts'
import type { Known, LiveEntry, Served } from './selection.ts'
import type { SpecReplica } from './spec-replica.ts'

/** How many issues of a document the log shows. */
const maxLogged = 10

const isLive = (entry: OpenedEntry): entry is LiveEntry & OpenedEntry =>
  entry.document !== null && entry.hash !== null

/** Compiles entries, with a fallback to the history. */
export class FallbackDocuments<R> {
  readonly #ports: RegistryPorts<R>
  readonly #replica: Pick<SpecReplica, 'versions'>

  constructor(ports: RegistryPorts<R>, replica: Pick<SpecReplica, 'versions'>) {
    this.#ports = ports
    this.#replica = replica
  }

  /**
   * The new state of a document on this node; undefined when it is deleted. A version that does not compile is
   * reported: here, once.
   * @param before the state until now
   * @param compiled what the document of the entry has been compiled to already
   */
  async of(
    entry: OpenedEntry,
    before: Known<R> | undefined,
    compiled?: Served<R>,
  ): Promise<Known<R> | undefined> {
    if (!isLive(entry)) return undefined
    const { id, stamp, hash } = entry
    const { api, problem, places } = compiled
      ? { api: compiled, problem: undefined, places: [] }
      : await this.#compile(entry)
    if (api) return { entry, good: { stamp, hash, api } }
    const good = before?.good ?? (await this.#newestGood(entry))
    this.#ports.log.error(
      { api_spec: id, hash, from: stamp.node, ...problem, serves: good?.stamp.ms ?? null },
      'the document does not compile on this node: its last version that compiles is served, if there is one',
    )
    return { entry, good, places }
  }

  /** After a restart: the newest version in the history that compiles, since it was last deleted. */
  async #newestGood({ id, stamp }: OpenedEntry): Promise<Known<R>['good']> {
    const versions = await this.#replica.versions(id).catch((err: unknown) => {
      this.#ports.log.warn({ err, api_spec: id }, 'the history of the document cannot be read')
      return []
    })
    for (const version of versions) {
      if (compareStamps(version.stamp, stamp) >= 0) continue
      if (!isLive(version)) return undefined
      const { api } = await this.#compile(version)
      if (api) return { stamp: version.stamp, hash: version.hash, api }
    }
    return undefined
  }

  async #compile(entry: LiveEntry & OpenedEntry): Promise<{
    api?: Served<R>
    problem?: { issues: readonly Issue[] } | { err: unknown }
    places: readonly RouteEntry<never>[]
  }> {
    const { id, document, features = [] } = entry
    const unknown = features.filter((name) => !isFeature(name))
    if (unknown.length > 0) {
      const message = `this gateway does not know ${unknown.join(', ')}, which the document needs: upgrade it`
      return { problem: { issues: [{ path: '', message }] }, places: [] }
    }
    const checked = this.#ports.checked?.find(entry)
    if (checked) return { api: checked, places: [] }
    try {
      const { api, issues, places } = await this.#ports.compile(document)
      if (api?.id === id) return { api, places }
      return { problem: { issues: issues.slice(0, maxLogged) }, places }
    } catch (err) {
      return { problem: { err }, places: [] } // a document that another version of the gateway took
    }
  }
}
