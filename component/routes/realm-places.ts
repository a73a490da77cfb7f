/** The places of all documents by the realm that they belong to: those of other realms are found by host, however many there are. */
import type { HostPattern } from '#component/syntax/host-pattern.ts'
import type { KeyedForm } from '#component/syntax/path-pattern.ts'
import { readEntry } from './entry-patterns.ts'
import { forkOf, type TextMap } from './fork-map.ts'
import { HostTree } from './host-tree.ts'
import { type Found, PathTree } from './path-tree.ts'
import type { RouteEntry } from './routing-table.ts'

/** A route, without its actions. */
export type Place = RouteEntry<unknown>

/** The places of one form: several documents may want it, of which one is served. */
export type Rivals = readonly Place[]

/** Places of one document; all have one host. */
export interface OwnedPlaces {
  /** Undefined: they are those of another realm for every realm. */
  readonly realm_uri: string | undefined
  readonly places: readonly Place[]
}

type Hosts = HostTree<Found<Rivals>, PathTree<Rivals>>

/** No realm has this URI. */
const ofNone = ''

/** Changed after it was forked, then only read. */
export class RealmPlaces {
  #realms: TextMap<Hosts> = new Map()
  /** The realms whose places this one may change; others share them. */
  readonly #own = new Set<string>()

  /** The same places: changing it leaves this one as it is. */
  fork(): RealmPlaces {
    const fork = new RealmPlaces()
    fork.#realms = forkOf(this.#realms)
    this.#own.clear()
    return fork
  }

  /** Puts places of a document in the place of its former ones. */
  replace(former: readonly OwnedPlaces[], now: readonly OwnedPlaces[]): void {
    for (const { realm_uri, places } of former) {
      const hosts = this.#hostsOf(realm_uri)
      for (const place of places) {
        for (const [tree, { form }] of claimsOf(hosts, place)) {
          const left = (tree.valueOf(form) ?? []).filter((other) => other !== place)
          setValue(tree, form, left)
        }
      }
      for (const { host } of places.slice(0, 1).map(readEntry)) if (host) hosts.prune(host)
    }
    for (const { realm_uri, places } of now) {
      const hosts = this.#hostsOf(realm_uri)
      for (const place of places) {
        for (const [tree, { form }] of claimsOf(hosts, place)) {
          setValue(tree, form, [...(tree.valueOf(form) ?? []), place])
        }
      }
    }
  }

  /** The places of other realms on hosts that a pattern overlaps. */
  *ofOthers(realm_uri: string | undefined, host: HostPattern): Generator<PathTree<Rivals>> {
    for (const other of this.#realms.keys()) {
      if (other === realm_uri) continue
      yield* this.#realms.get(other)?.overlapping(host) ?? []
    }
  }

  #hostsOf(realm_uri: string = ofNone): Hosts {
    const known = this.#realms.get(realm_uri)
    if (known && this.#own.has(realm_uri)) return known
    const hosts: Hosts = known?.fork() ?? new HostTree()
    this.#realms.set(realm_uri, hosts)
    this.#own.add(realm_uri)
    return hosts
  }
}

/** Every form of the place on every form of its host; none of a broken pattern. */
function* claimsOf(hosts: Hosts, place: Place): Generator<[PathTree<Rivals>, KeyedForm]> {
  const { host, forms } = readEntry(place)
  // documents of other realms register other procedures
  if (host === undefined || place.procedure) return
  for (const { value } of hosts.place(host, () => new PathTree<Rivals>())) {
    for (const form of forms) yield [value, form]
  }
}

function setValue(tree: PathTree<Rivals>, form: KeyedForm['form'], rivals: Rivals): void {
  const known = tree.valueOf(form)
  if (known) tree.remove(form, known)
  if (rivals.length > 0) tree.add(form, rivals)
}
