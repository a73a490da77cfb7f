/** The one immutable table that a request is matched against: host, path, method ─▶ route and bindings. */
import { type Method, methods } from '#component/request.ts'
import { type Label, labelsKey, parseHostPattern } from '#component/spec/host-pattern.ts'
import { parsePathPattern } from '#component/spec/path-pattern.ts'
import type { Steps } from '#component/spec/steps.ts'
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

/** The paths of one host, or of one form of a host pattern. */
interface Place<R> {
  /** undefined: a broken pattern; no request reaches it. */
  readonly form: readonly Label[] | 'any' | undefined
  readonly paths: PathTree<Target<R>>
}

/** By what tells the forms of host patterns apart. */
type Places<R> = ReadonlyMap<string, Place<R>>

/** A table, and the entries that were to be in it and have another one in their way. */
interface Built<R> {
  readonly table: RoutingTable<R>
  readonly clashes: Clash[]
}

/** What is served, never changed: swapped as a whole for another one, which shares with it what has not changed. */
export class RoutingTable<R> {
  readonly entries: readonly RouteEntry<R>[]
  readonly #places: Places<R>
  readonly #hosts = new HostTree<Found<Target<R>>, PathTree<Target<R>>>()

  private constructor(entries: readonly RouteEntry<R>[], places: Places<R>) {
    this.entries = entries
    this.#places = places
    for (const { form, paths } of places.values()) if (form) this.#hosts.set(form, paths)
  }

  /**
   * Builds a table. Of entries that clash, or share a path, the first one serves. An entry with a broken pattern is
   * left out, so that the clashes of a document can be listed beside its other issues.
   */
  static build<R>(entries: readonly RouteEntry<R>[]): Built<R> {
    const edit = new Edit<R>(new Map())
    const clashes = entries.flatMap((entry) => edit.add(entry))
    return { table: new RoutingTable(entries, edit.places), clashes }
  }

  /**
   * A table with these entries in the place of all those of an API, in steps, one for each entry. It costs what the
   * entries cost, however large the table is.
   */
  *replace(api: string | undefined, entries: readonly RouteEntry<R>[]): Steps<Built<R>> {
    const edit = new Edit<R>(this.#places)
    const kept: RouteEntry<R>[] = []
    for (const entry of this.entries) {
      if (entry.api !== api) {
        kept.push(entry)
        continue
      }
      edit.delete(entry)
      yield
    }
    const clashes: Clash[] = []
    for (const entry of entries) {
      clashes.push(...edit.add(entry))
      yield
    }
    return { table: new RoutingTable([...kept, ...entries], edit.places), clashes }
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

/** By the methods that are declared, as bits: thousands of paths have the same ones. */
const knownAllowed = new Map<number, readonly string[]>()

/** Behaviour: Requests, HEAD is implied by GET; OPTIONS is always answered. */
function allowed<R>({ routes }: RouteEntry<R>): readonly string[] {
  const isServed = (method: Method): boolean =>
    method === 'options' ||
    routes[method] !== undefined ||
    (method === 'head' && routes.get !== undefined)
  let bits = 0
  for (const [index, method] of methods.entries()) if (isServed(method)) bits |= 1 << index
  const known = knownAllowed.get(bits)
  if (known) return known
  const names = methods.filter(isServed).map((method) => method.toUpperCase())
  knownAllowed.set(bits, names)
  return names
}

/** The places of a new table, on the way from those of another one. */
class Edit<R> {
  readonly places: Map<string, Place<R>>
  /** The keys of the places that are this edit's own; the others are the older table's, too. */
  readonly #own = new Set<string>()

  constructor(places: Places<R>) {
    this.places = new Map(places)
  }

  /** Adds the forms nobody owns, and those that are shared with their owner; tells of the others. */
  add(entry: RouteEntry<R>): Clash[] {
    const { api, path, pattern } = entry
    const parsed = parsePathPattern(pattern)
    if ('problem' in parsed) return []
    const target: Target<R> = { entry, allow: allowed(entry) }
    const rivals = new Set<RouteEntry<R>>()
    for (const paths of this.#pathsOf(entry.host)) {
      for (const form of parsed.forms) {
        const owner = paths.at(form)?.entry
        if (owner === undefined || (owner !== entry && isSharedBy(owner, entry))) {
          paths.add(form, target)
        } else if (owner !== entry) rivals.add(owner)
      }
    }
    return [...rivals].map((rival) => ({
      api,
      path,
      otherApi: rival.api,
      otherPath: rival.path,
      pattern,
    }))
  }

  delete(entry: RouteEntry<R>): void {
    const parsed = parsePathPattern(entry.pattern)
    if ('problem' in parsed) return
    for (const [key] of formsOf(entry.host)) {
      const paths = this.#pathsAt(key, undefined)
      for (const form of parsed.forms) paths.delete(form, (target) => target.entry === entry)
      if (paths.isEmpty) this.places.delete(key)
    }
  }

  #pathsOf(host: string): PathTree<Target<R>>[] {
    return formsOf(host).map(([key, form]) => this.#pathsAt(key, form))
  }

  /** The paths of a place, as this edit may change them. */
  #pathsAt(key: string, form: Place<R>['form']): PathTree<Target<R>> {
    const place = this.places.get(key)
    if (place && this.#own.has(key)) return place.paths
    const paths = place?.paths.copy() ?? new PathTree<Target<R>>()
    this.#own.add(key)
    this.places.set(key, { form: place?.form ?? form, paths })
    return paths
  }
}

/** The forms of a host pattern, each with a key that tells it apart; a broken pattern is a place of its own. */
function formsOf(host: string): (readonly [key: string, form: Place<never>['form']])[] {
  const pattern = parseHostPattern(host)
  if ('problem' in pattern) return [[`broken ${host}`, undefined]]
  if (pattern.kind === 'any') return [['_', 'any']]
  return pattern.forms.map((labels) => [labelsKey(labels), labels])
}

const isSharedBy = <R>(one: RouteEntry<R>, other: RouteEntry<R>): boolean =>
  one.isShared === true && other.isShared === true && one.realm_uri === other.realm_uri
