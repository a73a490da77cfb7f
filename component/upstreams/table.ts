/** The upstreams of all realms in this process: a load of a realm makes a new table beside the old one, which is then swapped. */
import { isDeepStrictEqual } from 'node:util'
import type { JsonMap } from '#component/syntax/values.ts'
import type { ToldHealth } from './active-checks.ts'
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

  /** Those of a realm. */
  of(realm_uri: string): readonly Upstream[] {
    return [...(this.#realms.get(realm_uri)?.upstreams.values() ?? [])]
  }

  /** All of them. */
  get all(): readonly Upstream[] {
    return [...this.#realms.values()].flatMap(({ upstreams }) => [...upstreams.values()])
  }

  /** Ends what goes on by itself. */
  close(): void {
    this.take([])
  }

  /** What the checks of another process say. */
  mark({ realm_uri, upstream: name, target: id, isDown, reason }: ToldHealth): void {
    const upstream = this.find(realm_uri, name)
    const target = upstream?.targets.find((one) => one.id === id)
    if (target) upstream?.mark(target, isDown, reason)
  }

  /** Takes the realms as they are now; those whose upstreams are the same keep them. */
  take(realms: Iterable<RealmOfUpstreams>): void {
    const former = this.#realms
    const next = new Map<string, OfRealm>()
    for (const { uri, info } of realms) {
      const { upstreams: written } = info
      if (written === undefined) continue
      const before = former.get(uri)
      const isSame = before !== undefined && isDeepStrictEqual(before.written, written)
      next.set(uri, isSame ? before : this.#make(uri, info, before))
    }
    this.#realms = next
    for (const [uri, { upstreams }] of next) {
      if (former.get(uri) !== next.get(uri)) for (const one of upstreams.values()) one.start()
    }
    for (const [uri, before] of former) {
      const after = next.get(uri)
      if (after === before) continue
      for (const [name, upstream] of before.upstreams) upstream.retire(after?.upstreams.get(name))
    }
  }

  #make(uri: string, info: JsonMap, before: OfRealm | undefined): OfRealm {
    const made = readUpstreams(info).map((settings): [string, Upstream] => {
      const { name } = settings
      return [name, new Upstream(uri, settings, this.#ports, before?.upstreams.get(name))]
    })
    return { written: info.upstreams, upstreams: new Map(made) }
  }
}
