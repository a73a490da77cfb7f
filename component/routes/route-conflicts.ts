/** Finds routes of a document that would answer requests to another realm or to management. */
import { type Issue, ServiceError } from '#component/errors.ts'
import type { HostPattern } from '#component/syntax/host-pattern.ts'
import { parsePathPattern } from '#component/syntax/path-pattern.ts'
import type { Steps } from '#component/yielding.ts'
import { readEntry } from './entry-patterns.ts'
import { type Overlap, overlapOf } from './path-overlap.ts'
import { PathTree } from './path-tree.ts'
import type { Place, Rivals } from './realm-places.ts'

/** The routes that a document must not hide. */
export interface OtherRoutes {
  /** Routes that documents of other realms serve or would serve on hosts that a pattern overlaps. */
  readonly others: (host: HostPattern) => Iterable<PathTree<Rivals>>
  /** Path patterns of management where the listener of routed paths serves them, on any host. */
  readonly managementPaths: readonly string[]
}

const tooManyToCompare =
  'checking the routes of the API Specification against those of other realms takes too long: give the API a host of its own'

/** Most warnings about other realms. */
const maxWarnings = 100

/** A tree of all forms of some places. */
function* treeOf(places: Iterable<Place>): Steps<PathTree<Place>> {
  const tree = new PathTree<Place>()
  for (const place of places) {
    yield
    for (const { form } of readEntry(place).forms) tree.add(form, place)
  }
  return tree
}

/** The trees of patterns: each load asks for that of the same list. */
const trees = new WeakMap<readonly string[], PathTree<string>>()

function knownTreeOf(patterns: readonly string[]): PathTree<string> {
  const tree = trees.get(patterns) ?? treeOfPatterns(patterns)
  trees.set(patterns, tree)
  return tree
}

/** A tree of all forms of some patterns. @param patterns of our own, which are valid */
export function treeOfPatterns(patterns: readonly string[]): PathTree<string> {
  const tree = new PathTree<string>()
  for (const pattern of patterns) {
    const parsed = parsePathPattern(pattern)
    if ('problem' in parsed) throw new TypeError(`${pattern}: ${parsed.problem}`)
    for (const form of parsed.forms) tree.add(form, pattern)
  }
  return tree
}

/** The trees of places on hosts that the host of these overlaps. */
function othersOf([place]: readonly Place[], { others }: OtherRoutes): readonly PathTree<Rivals>[] {
  const host = place && readEntry(place).host
  return host ? [...others(host)] : []
}

/**
 * Finds the conflicts of a document with other realms and management.
 * @param all of one document; those of its paths have one host
 * @param isKept whether the operator may manage one realm only: then a conflict is refused, also where finding out would take too
 *   long; else it is a warning
 * @throws ServiceError `wamp.error.not_authorized` that names a route of the document, and nothing of other documents
 */
export function* findConflicts(
  all: readonly Place[],
  around: OtherRoutes,
  isKept: boolean,
): Steps<Issue[]> {
  const places = all.filter(({ procedure }) => !procedure)
  if (places.length === 0) return []
  const others = othersOf(places, around)
  // most documents have their hosts for themselves
  if (others.length === 0 && around.managementPaths.length === 0) return []
  const mine = yield* treeOf(places)
  const management = [knownTreeOf(around.managementPaths)]
  const hidden = yield* overlapOf(mine, management, isKept ? 1 : Infinity)
  const [hiding] = hidden.found.keys()
  if (isKept && hiding)
    throw refusalOf(hiding, 'matches requests to management, which this listener serves')
  const taken = yield* overlapOf(mine, others, isKept ? 1 : maxWarnings)
  if (!isKept) return warningsOf(hidden, taken)
  const [taking] = taken.found.keys()
  if (taking) throw refusalOf(taking, 'matches requests that belong to another realm')
  if (taken.isComplete) return []
  throw new ServiceError('wamp.error.not_authorized', tooManyToCompare)
}

const refusalOf = ({ pattern, path }: Place, what: string) =>
  new ServiceError('wamp.error.not_authorized', `the route ${pattern} (${path}) ${what}`)

/** Warns of routes that could answer the same requests as management or other realms. */
const warningsOf = (hidden: Overlap<Place, string>, taken: Overlap<Place, Rivals>): Issue[] => [
  ...issuesOf(
    hidden,
    (path) => `the route hides the management path ${path} where one listener serves both`,
  ),
  ...issuesOf(
    taken,
    ([rival]) =>
      `the route and ${rival?.pattern} of ${rival?.api}, which belongs to another realm, could match the same requests`,
  ),
  ...(taken.isComplete ? [] : [{ path: '', message: tooManyToCompare }]),
]

/** One issue for each path of the document, however many of its forms conflict. */
function issuesOf<U>({ found }: Overlap<Place, U>, messageOf: (other: U) => string): Issue[] {
  const issues = new Map<string, Issue>()
  for (const [{ path }, other] of found) {
    if (!issues.has(path)) issues.set(path, { path, message: messageOf(other) })
  }
  return [...issues.values()]
}
