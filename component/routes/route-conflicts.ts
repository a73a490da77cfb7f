/** Which requests that belong to others the routes of a document would answer: those of other realms, and of management. */
import { type Issue, ServiceError } from '#component/errors.ts'
import { hostsOverlap } from '#component/syntax/host-pattern.ts'
import { parsePathPattern } from '#component/syntax/path-pattern.ts'
import type { Steps } from '#component/yielding.ts'
import { type Overlap, overlapOf } from './path-overlap.ts'
import { PathTree } from './path-tree.ts'
import { type RouteEntry, readEntry } from './routing-table.ts'

/** Where routes are; what they do does not matter. */
type Place = RouteEntry<unknown>

/** What is there beside a document. */
export interface Surroundings {
  /** What documents of other realms serve or would serve; the places of each list have one host. */
  readonly others: Iterable<readonly Place[]>
  /** Path patterns of management, where the listener of routed paths serves them; any host has them. */
  readonly managementPaths: readonly string[]
}

const tooEntangled =
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

/** @param patterns that have been written here, and are no wrong ones */
function treeOfPatterns(patterns: readonly string[]): PathTree<string> {
  const tree = new PathTree<string>()
  for (const pattern of patterns) {
    const parsed = parsePathPattern(pattern)
    if ('problem' in parsed) throw new TypeError(`${pattern}: ${parsed.problem}`)
    for (const form of parsed.forms) tree.add(form, pattern)
  }
  return tree
}

/** The places whose hosts a request could have that fits the host of these. */
function* besides(
  [place]: readonly Place[],
  others: Iterable<readonly Place[]>,
): Generator<Place, undefined> {
  const host = place && readEntry(place).host
  if (!host) return
  for (const rivals of others) {
    const [rival] = rivals
    const rivalHost = rival && readEntry(rival).host
    if (rivalHost && hostsOverlap(host, rivalHost)) yield* rivals
  }
}

/**
 * Judges how far the routes of a document reach: whoever is kept within a realm is refused, others are warned.
 * @param places all of one document; they have one host
 * @throws ServiceError `wamp.error.not_authorized`, where `isKept`, that names a route of the document, and nothing of others
 */
export function* judgeReach(
  places: readonly Place[],
  around: Surroundings,
  isKept: boolean,
): Steps<Issue[]> {
  if (!isKept) return yield* reachWarnings(places, around)
  yield* checkReach(places, around)
  return []
}

/**
 * Refuses routes that answer what belongs to others, now or as soon as those are served; also where that would take too
 * long to find out.
 */
function* checkReach(places: readonly Place[], around: Surroundings): Steps<void> {
  const mine = yield* treeOf(places)
  const hidden = yield* overlapOf(mine, treeOfPatterns(around.managementPaths), 1)
  const [hiding] = hidden.found.keys()
  if (hiding) throw refusalOf(hiding, 'answers requests to management, which this listener serves')
  const others = yield* treeOf(besides(places, around.others))
  const { found, isComplete } = yield* overlapOf(mine, others, 1)
  const [taking] = found.keys()
  if (taking) throw refusalOf(taking, 'answers requests that belong to another realm')
  if (isComplete) return
  throw new ServiceError('wamp.error.not_authorized', tooEntangled)
}

const refusalOf = ({ pattern, path }: Place, what: string) =>
  new ServiceError('wamp.error.not_authorized', `the route ${pattern} (${path}) ${what}`)

/** Warns of routes that answer what belongs to others, or whose requests others answer. */
function* reachWarnings(places: readonly Place[], around: Surroundings): Steps<Issue[]> {
  const mine = yield* treeOf(places)
  const hidden = yield* overlapOf(mine, treeOfPatterns(around.managementPaths), Infinity)
  const others = yield* treeOf(besides(places, around.others))
  const taken = yield* overlapOf(mine, others, maxWarnings)
  return [
    ...issuesOf(
      hidden,
      (path) => `the route hides the management path ${path} where one listener serves both`,
    ),
    ...issuesOf(
      taken,
      ({ api, pattern }) =>
        `the route and ${pattern} of ${api}, which belongs to another realm, could answer the same requests`,
    ),
    ...(taken.isComplete ? [] : [{ path: '', message: tooEntangled }]),
  ]
}

/** One issue a path of the document: several of its forms, or what they generate, say nothing new. */
function issuesOf<U>({ found }: Overlap<Place, U>, messageOf: (other: U) => string): Issue[] {
  const issues = new Map<string, Issue>()
  for (const [{ path }, other] of found) {
    if (!issues.has(path)) issues.set(path, { path, message: messageOf(other) })
  }
  return [...issues.values()]
}
