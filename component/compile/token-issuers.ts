/** Which access tokens the paths of an API accept: those of its own issuers, and of issuers that share a base path with it. */

import type { Route } from '#component/gateway/api.ts'
import { PathTree } from '#component/routes/path-tree.ts'
import { type ApiEntries, FoundInApis, type TableChange } from '#component/routes/table-change.ts'
import { type KeyedForm, keyedForms, parsePathPattern } from '#component/syntax/path-pattern.ts'

/** A version with a token endpoint. */
interface Issuer {
  readonly api: string
  readonly realm_uri: string
  /** Those of its base_path. */
  readonly forms: readonly KeyedForm[]
}

/** The base paths of the token endpoints of an API, as written, each once. */
export function tokenBasesOf(entries: ApiEntries<Route>): readonly string[] {
  const found = new Set<string>()
  for (const { routes } of entries) {
    const route = routes.post
    if (route?.kind === 'oauth.token') found.add(route.base)
  }
  return [...found]
}

/** The issuers of an API, each once. */
function issuersAmong(entries: ApiEntries<Route>): readonly Issuer[] {
  const [first] = entries
  if (first === undefined) return []
  const { api, realm_uri, indexed } = first
  const bases = indexed ? indexed.facts.tokenBases : tokenBasesOf(entries)
  return bases.flatMap((base) => {
    const parsed = parsePathPattern(base || '/')
    return 'problem' in parsed ? [] : { api, realm_uri, forms: keyedForms(parsed) }
  })
}

/** The places of an issuer: APIs may share one, where one of them answers for all. */
const placesOf = ({ realm_uri, forms }: Issuer): string[] =>
  forms.map(({ key }) => JSON.stringify([realm_uri, key]))

/** The forms of the base paths of the issuers of each API, and of those that share a place with them. */
function treesOf(issuers: readonly Issuer[]): ReadonlyMap<string, PathTree<true>> {
  const byPlace = new Map<string, Set<Issuer>>()
  for (const issuer of issuers) {
    for (const place of placesOf(issuer)) {
      byPlace.set(place, (byPlace.get(place) ?? new Set()).add(issuer))
    }
  }
  const trees = new Map<string, PathTree<true>>()
  for (const issuer of issuers) {
    const tree = trees.get(issuer.api) ?? new PathTree<true>()
    trees.set(issuer.api, tree)
    for (const other of placesOf(issuer).flatMap((place) => [...(byPlace.get(place) ?? [])])) {
      for (const { form } of other.forms) tree.add(form, true)
    }
  }
  return trees
}

/** At most so many issuers of an API are remembered: a base path with bindings has any number of them. */
const mostKnown = 100

/**
 * Tells issuers apart by their base path. The base URL counts only where it is configured: otherwise it is the listening
 * address of one of several gateways.
 */
export class TokenIssuers {
  readonly #publicBase: string | undefined
  /** By API: the forms of the base paths of its issuers. */
  #trees: ReadonlyMap<string, PathTree<true>> = new Map()
  /** By API: issuers that it was asked about, of those that its paths accept. */
  #trusted: ReadonlyMap<string, Set<string>> = new Map()
  readonly #issuers = new FoundInApis(issuersAmong)

  /** @param publicBase `gateway.public_base_url` without a slash at the end */
  constructor(publicBase: string | undefined) {
    this.#publicBase = publicBase
  }

  /** Takes the issuers from the APIs that are served from now on. */
  follow(change: TableChange<Route>): void {
    if (!this.#issuers.follow(change)) return
    this.#trees = treesOf(this.#issuers.all)
    this.#trusted = new Map([...this.#trees.keys()].map((api) => [api, new Set()]))
  }

  /**
   * Whether the paths of the API accept tokens of this issuer.
   * @param api the id of the specification
   * @param iss the claim
   */
  isTrusted(api: string, iss: string): boolean {
    const known = this.#trusted.get(api)
    if (known?.has(iss)) return true
    const path = this.#pathOf(iss)
    const isTrusted = path !== undefined && this.#trees.get(api)?.find(path || '/') !== undefined
    if (isTrusted && known !== undefined && known.size < mostKnown) known.add(iss)
    return isTrusted
  }

  /** The base path in an issuer's URL; undefined under another base URL than the public one. */
  #pathOf(iss: string): string | undefined {
    const base = this.#publicBase
    if (base === undefined) {
      const slash = iss.indexOf('/', iss.indexOf('://') + 3)
      return slash < 0 ? '' : iss.slice(slash)
    }
    return iss.startsWith(base) ? iss.slice(base.length) : undefined
  }
}
