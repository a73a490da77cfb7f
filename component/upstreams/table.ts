/** The upstreams of all realms in this process: a load of a realm makes a new table beside the old one, which is then swapped. */
import { isDeepStrictEqual } from 'node:util'
import type { JsonMap } from '#component/syntax/values.ts'
import { readUpstreams } from './settings.ts'
import { Upstream, type UpstreamPorts } from './upstream.ts'

/** Finds an upstream of a realm by its name; undefined: the realm has none of this name. */
export type FindUpstream = (realm_uri: string, name: string) => Upstream | undefined

/** A realm, as far as its upstreams go. */
interface RealmOfUpstreams {
  readonly uri: string
  readonly info: JsonMap
}

/** What one realm has. */
interface OfRealm {
  /** `info.upstreams`, of which the others are made. */
  readonly written: unknown
  readonly upstreams: ReadonlyMap<string, Upstream>
}

/** Follows the realms of the process. */
export class UpstreamTable {
  readonly #ports: UpstreamPorts
  #realms: ReadonlyMap<string, OfRealm> = new Map()

  constructor(ports: UpstreamPorts) {
    this.#ports = ports
  }

  readonly find: FindUpstream = (realm_uri, name) =>
    this.#realms.get(realm_uri)?.upstreams.get(name)

  /** Takes the realms as they are now; those whose upstreams are the same keep them. */
  take(realms: Iterable<RealmOfUpstreams>): void {
    const next = new Map<string, OfRealm>()
    for (const { uri, info } of realms) {
      const { upstreams: written } = info
      if (written === undefined) continue
      const before = this.#realms.get(uri)
      next.set(
        uri,
        isDeepStrictEqual(before?.written, written) && before ? before : this.#make(uri, info),
      )
    }
    this.#realms = next
  }

  #make(uri: string, info: JsonMap): OfRealm {
    const made = readUpstreams(info).map((settings): [string, Upstream] => [
      settings.name,
      new Upstream(uri, settings, this.#ports),
    ])
    return { written: info.upstreams, upstreams: new Map(made) }
  }
}
