/** The routes that a request comes near to without being answered by them, nearest first, each with the reason. */
import type { Route } from '#component/gateway/api.ts'
import type { Request } from '#component/request.ts'
import { readEntry } from '#component/routes/entry-patterns.ts'
import {
  compareHosts,
  type MatchingOrder,
  matchingOrderOf,
} from '#component/routes/matching-order.ts'
import type { Match, Missed, RouteEntry } from '#component/routes/routing-table.ts'
import { hostsOverlap, parseHostPattern } from '#component/syntax/host-pattern.ts'
import type { Steps } from '#component/yielding.ts'
import { type AskedPath, askedPath, type Likeness, likenessOf } from './likeness.ts'
import type { Unserved } from './unserved.ts'

/** A route that does not answer, and the reason. */
export interface NearMiss {
  /** The id of the document; null for a document of another realm, and for the gateway itself. */
  readonly id: string | null
  /** As written, with base_path; absent where `id` is null. */
  readonly pattern?: string
  /** One sentence. */
  readonly why: string
}

/** All that the request could have reached. */
export interface Surroundings {
  readonly entries: readonly RouteEntry<Route>[]
  readonly unserved: readonly Unserved[]
  /** Whether the caller may see the documents of a realm. */
  isVisible(realm_uri: string): boolean
}

/** The parts of a request that choose its route. */
export type Asked = Pick<Request, 'host' | 'path' | 'method'>

const most = 10

const inTheWay = 'a document of another realm is in the way'

const hidden: NearMiss = { id: null, why: inTheWay }

const reserved: NearMiss = {
  id: null,
  why: '"/ws" is reserved for WebSocket connections: no document can serve it',
}

/** By what a route misses the request, from near to far. */
const ranks = ['method', 'unserved', 'writing', 'host', 'segments', 'specificHost'] as const

interface Candidate extends NearMiss {
  readonly rank: (typeof ranks)[number]
  readonly likeness: Likeness
}

type Found = Match<Route> | Missed<Route> | undefined

/** Finds at most ten. @param found what the routing table has found */
export function* nearMisses(
  asked: Asked,
  found: Found,
  { entries, unserved, isVisible }: Surroundings,
): Steps<NearMiss[]> {
  const search = new Search(asked, found, isVisible)
  const candidates: Candidate[] = []
  for (const entry of entries) {
    yield
    const candidate = isVisible(entry.realm_uri) ? search.served(entry) : undefined
    if (candidate) candidates.push(candidate)
  }
  for (const { entry, why } of unserved) {
    yield
    const candidate = isVisible(entry.realm_uri) ? search.unserved(entry, why) : undefined
    if (candidate) candidates.push(candidate)
  }
  candidates.sort(compare)
  const first = found && !isVisible(found.entry.realm_uri) ? [hidden] : []
  const ws = isWebSocketPath(asked.path) ? [reserved] : []
  const listed = oneSpecificHostEach(candidates).map(({ id, pattern = '', why }) => ({
    ...{ id, pattern, why },
  }))
  return [...first, ...ws, ...listed].slice(0, most)
}

const isWebSocketPath = (path: string): boolean => path === '/ws' || path === '/ws/'

function compare(one: Candidate, other: Candidate): number {
  const [a, b] = [one.likeness, other.likeness]
  return (
    ranks.indexOf(one.rank) - ranks.indexOf(other.rank) ||
    a.edits - b.edits ||
    Number(b.isAsLong) - Number(a.isAsLong) ||
    b.shared - a.shared ||
    b.closeness - a.closeness
  )
}

/** Of a host that has nothing like the path, one route of each document is enough. */
function oneSpecificHostEach(candidates: readonly Candidate[]): Candidate[] {
  const told = new Set<string | null>()
  return candidates.filter(({ rank, id }) => {
    if (rank !== 'specificHost') return true
    const isNew = !told.has(id)
    told.add(id)
    return isNew
  })
}

/** Compares routes with one request. */
class Search {
  readonly #path: AskedPath
  readonly #host: ReturnType<typeof parseHostPattern>
  readonly #asked: Asked
  readonly #found: Found
  readonly #order: MatchingOrder | undefined
  readonly #isVisible: Surroundings['isVisible']

  constructor(asked: Asked, found: Found, isVisible: Surroundings['isVisible']) {
    this.#asked = asked
    this.#found = found
    this.#isVisible = isVisible
    this.#path = askedPath(asked.path)
    this.#host = parseHostPattern(asked.host)
    this.#order = found && matchingOrderOf(found.entry)
  }

  /** Judges a route of the table. */
  served(entry: RouteEntry<Route>): Candidate | undefined {
    const likeness = this.#likeness(entry)
    if (!likeness) return undefined
    const { api: id, pattern } = entry
    const near = { id, pattern, likeness }
    if (entry === this.#found?.entry) {
      return this.#found.kind === 'match'
        ? undefined
        : { ...near, rank: 'method', why: this.#methodProblem(entry) }
    }
    const isHost = this.#fitsHost(entry)
    const { why } = likeness
    if (why === undefined) {
      return isHost
        ? { ...near, rank: 'method', why: this.#behind(entry) }
        : { ...near, rank: 'host', why: this.#hostProblem(entry) }
    }
    if (!isHost) return undefined
    if (likeness.edits === 0) return { ...near, rank: 'writing', why }
    const isSpecific = this.#isMoreSpecific(entry)
    const told = isSpecific ? `the host ${entry.host} is more specific, but ${why}` : why
    if (this.#isNear(likeness)) return { ...near, rank: 'segments', why: told }
    return isSpecific ? { ...near, rank: 'specificHost', why: told } : undefined
  }

  /** Judges a route that is not in the table: told where it would match. */
  unserved(entry: RouteEntry<never>, why: string): Candidate | undefined {
    const likeness = this.#likeness(entry)
    if (!likeness || likeness.why !== undefined || !this.#fitsHost(entry)) return undefined
    return { id: entry.api, pattern: entry.pattern, likeness, rank: 'unserved', why }
  }

  /** The comparison with the form that comes nearest; undefined for a broken pattern. */
  #likeness(entry: RouteEntry<unknown>): Likeness | undefined {
    let best: Likeness | undefined
    for (const { form } of readEntry(entry).forms) {
      const likeness = likenessOf(form, this.#path)
      const isNearer =
        !best ||
        likeness.edits < best.edits ||
        (likeness.edits === best.edits && likeness.shared > best.shared)
      if (isNearer) best = likeness
    }
    return best
  }

  #fitsHost(entry: RouteEntry<unknown>): boolean {
    const { host } = readEntry(entry)
    if (!host || host.kind === 'any') return host !== undefined
    return !('problem' in this.#host) && hostsOverlap(this.#host, host)
  }

  /** Whether the table looks at the host of the route before that of the route it has found. */
  #isMoreSpecific(entry: RouteEntry<unknown>): boolean {
    if (readEntry(entry).host?.kind === 'any') return false
    return this.#order === undefined || compareHosts(matchingOrderOf(entry), this.#order) < 0
  }

  #methodProblem({ routes }: RouteEntry<Route>): string {
    const served = Object.keys(routes).map((method) => method.toUpperCase())
    return `the path serves ${served.join(' and ')}, the request is ${this.#asked.method.toUpperCase()}`
  }

  #hostProblem({ host }: RouteEntry<Route>): string {
    return `the host is "${host}", the request has "${this.#asked.host}"`
  }

  /** A route that matches, too, and is looked at after the one that was found. */
  #behind(entry: RouteEntry<Route>): string {
    const first = this.#found?.entry
    if (!first || !this.#isVisible(first.realm_uri)) return `it matches, too, but ${inTheWay}`
    if (first.pattern === entry.pattern && first.host === entry.host)
      return `it matches, too, but the path is shared, and ${first.api} serves it`
    const what = first.host === entry.host ? first.pattern : `the host ${first.host}`
    return `it matches, too, but ${what} is more specific`
  }

  /** Whether a route is worth telling although segments differ: beside one that answers, only one segment may. */
  #isNear({ shared, edits, closeness }: Likeness): boolean {
    if (this.#found?.kind === 'match' && edits > 1) return false
    return shared > 0 || (edits === 1 && closeness >= 0.7)
  }
}
