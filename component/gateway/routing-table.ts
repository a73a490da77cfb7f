/** The one immutable table that a request is matched against: host, path, method ─▶ route and bindings. */
import { type Method, methods } from '#component/request.ts'
import { parseHostPattern } from '#component/spec/host-pattern.ts'
import { formKey, parsePathPattern } from '#component/spec/path-pattern.ts'
import { HostTree } from './host-tree.ts'
import { type Found, PathTree } from './path-tree.ts'

/** One path of one API: what may be matched. */
export interface RouteEntry<R> {
  /** The id of the specification. */
  readonly api: string
  readonly realm_uri: string
  /** The host pattern as written. */
  readonly host: string
  /** base_path + path, as written. */
  readonly pattern: string
  /** JSON Pointer of the path. */
  readonly path: string
  readonly routes: Readonly<Partial<Record<Method, R>>>
  /** Generated paths (OAuth2, OIDC) that several documents of one realm may own together. */
  readonly isShared?: boolean
}

/** Two entries that would answer the same requests; `path` is the one that came later. */
export interface Clash {
  readonly api: string
  readonly path: string
  readonly otherApi: string
  readonly otherPath: string
  /** The later one's pattern. */
  readonly pattern: string
}

/** The route of a request; HEAD has that of GET when it has none of its own. */
export interface Match<R> {
  readonly kind: 'match'
  readonly route: R
  readonly entry: RouteEntry<R>
  /** Decoded values of the path's bindings; no prototype. */
  readonly bindings: Readonly<Record<string, string>>
}

/** The path exists, the method does not: `method` is a 405, `options` an OPTIONS that nobody declared. */
export interface Missed<R> {
  readonly kind: 'method' | 'options'
  /** Methods for `Allow`, upper case, with the implied HEAD and OPTIONS. */
  readonly allow: readonly string[]
  readonly entry: RouteEntry<R>
}

interface Target<R> {
  readonly entry: RouteEntry<R>
  readonly allow: readonly string[]
}

/** Built once from everything that is served, then only read; swapped as a whole. */
export class RoutingTable<R> {
  readonly entries: readonly RouteEntry<R>[]
  readonly #hosts = new HostTree<Found<Target<R>>, PathTree<Target<R>>>()

  private constructor(entries: readonly RouteEntry<R>[]) {
    this.entries = entries
  }

  /**
   * Builds a table. Of entries that clash, or share a path, the first one serves. An entry with a broken pattern is
   * left out, so that the clashes of a document can be listed beside its other issues.
   */
  static build<R>(entries: readonly RouteEntry<R>[]): { table: RoutingTable<R>; clashes: Clash[] } {
    const table = new RoutingTable(entries)
    const clashes: Clash[] = []
    const owners = new Map<string, RouteEntry<R>>()
    for (const entry of entries) {
      const rivals = table.#add(entry, owners)
      for (const { api, path } of rivals) {
        const { pattern } = entry
        clashes.push({ api: entry.api, path: entry.path, otherApi: api, otherPath: path, pattern })
      }
    }
    return { table, clashes }
  }

  /** Adds the forms nobody owns yet; gives the owners of the others, unless the path is shared with them. */
  #add(entry: RouteEntry<R>, owners: Map<string, RouteEntry<R>>): Set<RouteEntry<R>> {
    const rivals = new Set<RouteEntry<R>>()
    const pattern = parsePathPattern(entry.pattern)
    if ('problem' in pattern) return rivals
    const target: Target<R> = { entry, allow: allowed(entry) }
    for (const place of this.#places(entry.host)) {
      for (const form of pattern.forms) {
        const key = place.key + formKey(form)
        const owner = owners.get(key)
        if (!owner) {
          owners.set(key, entry)
          place.value.add(form, target)
        } else if (owner !== entry && !isSharedBy(owner, entry)) {
          rivals.add(owner)
        }
      }
    }
    return rivals
  }

  /** The path trees of the hosts that a pattern stands for; a broken one has a tree that no request reaches. */
  #places(host: string): { key: string; value: PathTree<Target<R>> }[] {
    const pattern = parseHostPattern(host)
    if ('problem' in pattern) return [{ key: `broken ${host} `, value: new PathTree() }]
    return this.#hosts.place(pattern, () => new PathTree())
  }

  /**
   * Finds what serves a request; undefined when no host and path does.
   * @param path as received: escapes kept, without query
   */
  match(host: string, path: string, method: Method): Match<R> | Missed<R> | undefined {
    const found = this.#hosts.find(host, path)
    if (!found) return undefined
    const { entry, allow } = found.value
    const { routes } = entry
    const route = routes[method] ?? (method === 'head' ? routes.get : undefined)
    if (route !== undefined) return { kind: 'match', route, entry, bindings: found.bindings }
    return { kind: method === 'options' ? 'options' : 'method', allow, entry }
  }

  /** One line a path: host, pattern, methods, API; in alphabetical order. */
  toString(): string {
    return this.entries
      .map((entry) => `${entry.host} ${entry.pattern} ${allowed(entry).join(',')} ${entry.api}`)
      .toSorted()
      .join('\n')
  }
}

/** Behaviour: Requests, HEAD is implied by GET; OPTIONS is always answered. */
function allowed<R>({ routes }: RouteEntry<R>): string[] {
  return methods
    .filter(
      (method) =>
        method === 'options' ||
        routes[method] !== undefined ||
        (method === 'head' && routes.get !== undefined),
    )
    .map((method) => method.toUpperCase())
}

const isSharedBy = <R>(one: RouteEntry<R>, other: RouteEntry<R>): boolean =>
  one.isShared === true && other.isShared === true && one.realm_uri === other.realm_uri
