/** The one immutable table that a request is matched against: host, path, method ─▶ route and bindings. */
import type { Method } from '#component/request.ts'
import type { KeyedForm, Segment } from '#component/syntax/path-pattern.ts'
import type { Steps } from '#component/yielding.ts'
import type { DeclaredDelivery } from './delivery-place.ts'
import { formsOf, readEntry } from './entry-patterns.ts'
import { forkOf, type TextMap } from './fork-map.ts'
import { HostTree } from './host-tree.ts'
import type { IndexedApi } from './indexed-api.ts'
import { type Found, PathTree } from './path-tree.ts'
import type { RegisteredProcedure } from './procedure-place.ts'
import { realmsOfAddresses } from './realm-of-address.ts'

/** One path of one API. */
export interface RouteEntry<R> {
  /** The id of the specification. */
  readonly api: string
  readonly realm_uri: string
  /** The host pattern as written. */
  readonly host: string
  /** base_path + path, as written. */
  readonly pattern: string
  /** The forms of the pattern if it has been parsed already; empty for a broken pattern. */
  readonly forms?: readonly KeyedForm[]
  /** JSON Pointer of the path. */
  readonly path: string
  readonly routes: Readonly<Partial<Record<Method, R>>>
  /** Whether an escaped slash is text of its segment; absent: a request with one is refused. */
  readonly keepsSlashes?: boolean
  /** Whether several documents of one realm may own the path together: generated paths (OAuth2, OIDC). */
  readonly isShared?: boolean
  /** The purpose of a shared path: only paths of equal purpose are shared. */
  readonly purpose?: string
  /** The API, where its routes are compiled when they are read; absent: they are there. */
  readonly indexed?: IndexedApi
  /** The key of its version in the document; only of an indexed API. */
  readonly label?: string
  /** Of a procedure: what callees of a realm register. No request reaches it. */
  readonly procedure?: RegisteredProcedure | undefined
  /** Of a delivery: what the outbox sends for events. No request reaches it, and it has no routes. */
  readonly delivery?: DeclaredDelivery | undefined
}

/** Two entries that would answer the same requests; `path` is the one that came later. */
export interface Clash {
  readonly api: string
  readonly path: string
  readonly otherApi: string
  readonly otherPath: string
  readonly otherPattern: string
  /** The later one's pattern. */
  readonly pattern: string
}

/** A path that exists. */
interface FoundPath<R> {
  readonly entry: RouteEntry<R>
  /** Decoded values of the path's bindings; no prototype. */
  readonly bindings: Readonly<Record<string, string>>
}

/** The route of a request; HEAD has that of GET when it has none of its own. */
export interface Match<R> extends FoundPath<R> {
  readonly kind: 'match'
  readonly route: R
}

/** The path exists, the method does not: `method` is a 405, `options` an OPTIONS that the document does not declare. */
export interface Missed<R> extends FoundPath<R> {
  readonly kind: 'method' | 'options'
}

/** One form of an entry's pattern on one form of its host, which has one owner only. */
interface Claim<R> {
  readonly key: string
  readonly form: readonly Segment[]
  readonly tree: PathTree<RouteEntry<R>>
}

type Owners<R> = Map<string, RouteEntry<R>>

/** A table, and the clashes among its entries. */
interface Built<R> {
  readonly table: RoutingTable<R>
  readonly clashes: Clash[]
}

/** All that is served; only read, and swapped as a whole. Tables share what they have in common. */
export class RoutingTable<R> {
  /** By id, those of each API together. */
  readonly #apis: TextMap<readonly RouteEntry<R>[]>
  readonly #hosts: HostTree<Found<RouteEntry<R>>, PathTree<RouteEntry<R>>>
  /** The ids of APIs of which a path is shared. */
  readonly #sharing: Set<string>
  #entries: readonly RouteEntry<R>[] | undefined
  #realmOf: ReturnType<typeof realmsOfAddresses> | undefined

  private constructor(former?: RoutingTable<R>) {
    if (former === undefined) {
      this.#apis = new Map()
      this.#hosts = new HostTree()
      this.#sharing = new Set()
    } else {
      this.#apis = forkOf(former.#apis)
      this.#hosts = former.#hosts.fork()
      // nothing is replaced that shares a path
      this.#sharing = former.#sharing
    }
  }

  /** Its entries, without the APIs that {@link buildingWhole} left out. */
  get entries(): readonly RouteEntry<R>[] {
    this.#entries ??= [...this.#apis.values()].flat()
    return this.#entries
  }

  /** The entries of each API; the same list as long as the API is the same. */
  get apis(): Iterable<readonly RouteEntry<R>[]> {
    return this.#apis.values()
  }

  /** The entries of an API; none where it is not served. */
  entriesOf(api: string): readonly RouteEntry<R>[] {
    return this.#apis.get(api) ?? []
  }

  /**
   * Builds a table. Of entries that clash, or share a path, the first one serves. An entry with a broken pattern has no
   * routes, so that the clashes of a document are listed beside its other issues.
   */
  static build<R>(entries: readonly RouteEntry<R>[]): Built<R> {
    const table = new RoutingTable<R>()
    const clashes: Clash[] = []
    const owners: Owners<R> = new Map()
    for (const entry of entries) {
      const claims = table.#claims(entry)
      for (const clash of clashesOf(entry, claims, owners)) clashes.push(clash)
      table.#add(entry, claims, owners)
    }
    for (const [api, all] of Map.groupBy(entries, ({ api }) => api)) table.#apis.set(api, all)
    return { table, clashes }
  }

  /** Builds a table of whole APIs: an API that clashes with an earlier one has no entry in the table. */
  static *buildingWhole<R>(apis: readonly (readonly RouteEntry<R>[])[]): Steps<Built<R>> {
    const table = new RoutingTable<R>()
    const clashes: Clash[] = []
    const owners: Owners<R> = new Map()
    for (const entries of apis) {
      const claimed: { readonly entry: RouteEntry<R>; readonly claims: readonly Claim<R>[] }[] = []
      let hasClashes = false
      for (const entry of entries) {
        yield
        const claims = table.#claims(entry)
        for (const clash of clashesOf(entry, claims, owners)) {
          clashes.push(clash)
          hasClashes = true
        }
        claimed.push({ entry, claims })
      }
      if (hasClashes) continue
      for (const { entry, claims } of claimed) {
        yield
        table.#add(entry, claims, owners)
      }
      const [first] = entries
      if (first) table.#apis.set(first.api, entries)
    }
    return { table, clashes }
  }

  /**
   * The table with other entries of one API, which costs no more where many others are served. undefined: an entry clashes, or a
   * path is shared, so that the table has to be built of all.
   * @param entries none: the API is served no more
   */
  *replacing(api: string, entries: readonly RouteEntry<R>[]): Steps<RoutingTable<R> | undefined> {
    if (this.#sharing.has(api)) return undefined
    const table = new RoutingTable(this)
    const former = this.entriesOf(api)
    for (const entry of former) {
      yield
      for (const { form, tree } of table.#claims(entry)) tree.remove(form, entry)
    }
    for (const entry of entries) {
      yield
      for (const { form, tree } of table.#claims(entry)) {
        const owner = tree.valueOf(form)
        if (owner === undefined) tree.add(form, entry)
        else if (owner !== entry) return undefined
      }
    }
    // its paths, then its procedures
    for (const { host } of [...former.slice(0, 1), ...former.slice(-1)].map(readEntry)) {
      if (host) table.#hosts.prune(host)
    }
    table.#apis.delete(api)
    if (entries.length > 0) table.#apis.set(api, entries)
    return table
  }

  /**
   * The realm to which all paths of a host belong, or all that begin with the first segment of a path there; undefined: several,
   * or none. The first call reads all entries.
   */
  realmOf(host: string, path: string): string | undefined {
    this.#realmOf ??= realmsOfAddresses(this.apis)
    return this.#realmOf(host, path)
  }

  /** Every form of the entry; none when its path pattern is broken. */
  #claims(entry: RouteEntry<R>): Claim<R>[] {
    const { forms } = readEntry(entry)
    if (forms.length === 0) return []
    return this.#places(entry).flatMap(({ key, value }) =>
      forms.map((one) => ({ key: key + one.key, form: one.form, tree: value })),
    )
  }

  /** Adds the forms without an owner. */
  #add(entry: RouteEntry<R>, claims: readonly Claim<R>[], owners: Owners<R>): void {
    for (const { key, form, tree } of claims) {
      const owner = owners.get(key)
      if (owner === undefined) {
        owners.set(key, entry)
        tree.add(form, entry)
      } else if (owner.api !== entry.api) this.#sharing.add(owner.api).add(entry.api)
    }
  }

  /** The path trees of the hosts that a pattern stands for; a broken one has a tree that no request reaches. */
  #places(entry: RouteEntry<R>): { key: string; value: PathTree<RouteEntry<R>> }[] {
    const { host } = readEntry(entry)
    if (host === undefined) return [{ key: `broken ${entry.host} `, value: new PathTree() }]
    return this.#hosts.place(host, () => new PathTree())
  }

  /**
   * Finds the path of a request; undefined when no host and path matches.
   * @param path as received: escapes kept, without query
   */
  find(host: string, path: string): Found<RouteEntry<R>> | undefined {
    return this.#hosts.find(host, path)
  }

  /** Whether the path that a request finds takes an escaped slash as text of its segment. */
  keepsSlashes(host: string, path: string): boolean {
    return this.find(host, path)?.value.keepsSlashes === true
  }

  /** Finds the route of a request, which compiles it where it is not; undefined when no host and path matches. */
  match(host: string, path: string, method: Method): Match<R> | Missed<R> | undefined {
    const found = this.find(host, path)
    return found && matchOf(found, method)
  }
}

/** The route for a method among those of a path. */
export function matchOf<R>(
  { value: entry, bindings }: Found<RouteEntry<R>>,
  method: Method,
): Match<R> | Missed<R> {
  const { routes } = entry
  const route = routes[method] ?? (method === 'head' ? routes.get : undefined)
  if (route !== undefined) return { kind: 'match', route, entry, bindings }
  const kind = method === 'options' ? 'options' : 'method'
  return { kind, entry, bindings }
}

/** The clashes of entries that all have one host, in steps, one for each entry. */
export function* clashesAmong<R>(entries: readonly RouteEntry<R>[]): Steps<Clash[]> {
  const clashes: Clash[] = []
  const owners: Owners<R> = new Map()
  for (const entry of entries) {
    yield
    const forms = formsOf(entry)
    for (const clash of clashesOf(entry, forms, owners)) clashes.push(clash)
    for (const { key } of forms) if (!owners.has(key)) owners.set(key, entry)
  }
  return clashes
}

/** Clashes of an entry with the owners of its claims, one for each owner that does not share the path. */
function clashesOf<R>(
  entry: RouteEntry<R>,
  claims: readonly Pick<Claim<R>, 'key'>[],
  owners: Owners<R>,
): Clash[] {
  let rivals: Set<RouteEntry<R>> | undefined
  for (const { key } of claims) {
    const owner = owners.get(key)
    if (!owner || owner === entry || isSharedBy(owner, entry)) continue
    rivals = (rivals ?? new Set()).add(owner)
  }
  if (rivals === undefined) return []
  const { api, path, pattern } = entry
  return [...rivals].map((rival) => ({
    api,
    path,
    otherApi: rival.api,
    otherPath: rival.path,
    otherPattern: rival.pattern,
    pattern,
  }))
}

const isSharedBy = <R>(one: RouteEntry<R>, other: RouteEntry<R>): boolean =>
  one.isShared === true &&
  other.isShared === true &&
  one.realm_uri === other.realm_uri &&
  one.purpose === other.purpose
