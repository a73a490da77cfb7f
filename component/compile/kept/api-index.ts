/** The index of a document: what routing, and those who follow it, have to know of it while it is not compiled. */
import { ownSessionOf, sendsForUsers } from '#component/compile/own-realms.ts'
import { tokenBasesOf } from '#component/compile/token-issuers.ts'
import type { Api, Route } from '#component/gateway/api.ts'
import { inForce } from '#component/policies/kinds.ts'
import type { ApiFacts } from '#component/routes/indexed-api.ts'
import type { RegisteredProcedure } from '#component/routes/procedure-place.ts'
import type { RouteEntry } from '#component/routes/routing-table.ts'

/** One path, as a {@link RouteEntry} has it. */
export interface IndexedPath {
  readonly pattern: string
  /** JSON Pointer. */
  readonly path: string
  /** The key of its version in the document. */
  readonly label: string
  readonly keepsSlashes?: boolean
  readonly isShared?: boolean
  readonly purpose?: string
  readonly procedure?: RegisteredProcedure
}

/** What is known of a document that compiles. */
export interface ApiIndex {
  readonly id: string
  readonly realm_uri: string
  /** The host pattern as written. */
  readonly host: string
  readonly features: readonly string[]
  readonly facts: ApiFacts
  /** Bytes that it takes while it is compiled, about. */
  readonly bytes: number
  /** The paths that are served, in the order of compiling. */
  readonly paths: readonly IndexedPath[]
}

/** Characters of the longest document that is compiled for a request: a longer one would have it wait too long. */
const longestIndexed = 262_144

/** Bytes of memory for each character of a document that is compiled, as measured on documents of calls with expressions. */
const bytesPerCharacter = 18

/** Whether those who follow the routing table need the route itself: they end its streams and WebSockets, and hear the events that drop its answers. */
const isFollowed = (route: Route): boolean =>
  route.kind === undefined &&
  (route.streams?.kind === 'events' ||
    route.websocket !== undefined ||
    inForce(route.inherited.policies).some(([kind, plan]) => kind.hearsEvents(plan)))

const routesOf = ({ routes }: RouteEntry<Route>): readonly Route[] => Object.values(routes)

/**
 * The index of a document.
 * @param length of the document; characters of JSON
 * @returns undefined where the document has to stay compiled, or serves nothing
 */
export function indexOf(api: Api, length: number): ApiIndex | undefined {
  const { id, realm_uri, features, entries } = api
  const [first] = entries
  if (first === undefined || length > longestIndexed) return undefined
  const paths: IndexedPath[] = []
  for (const entry of entries) {
    const routes = routesOf(entry)
    const [route] = routes
    // the outbox follows deliveries, which have no routes
    if (route === undefined || routes.some(isFollowed)) return undefined
    const { pattern, path, keepsSlashes, isShared, purpose, procedure } = entry
    const { label } = route.path.version
    const shared = isShared && { isShared, purpose: purpose ?? '' }
    const more = { ...(keepsSlashes && { keepsSlashes }), ...(procedure && { procedure }) }
    paths.push({ pattern, path, label, ...more, ...shared })
  }
  const ownSession = ownSessionOf(entries)
  const facts = {
    ...(ownSession && { ownSession }),
    sendsForUsers: sendsForUsers(entries),
    tokenBases: tokenBasesOf(entries),
  }
  const bytes = length * bytesPerCharacter
  return { id, realm_uri, host: first.host, features, facts, bytes, paths }
}

/** Whether a compiled document is the one of an index. */
export const isOf = ({ paths }: ApiIndex, { entries }: Api): boolean =>
  paths.length === entries.length &&
  paths.every(
    ({ pattern, path }, at) => entries[at]?.pattern === pattern && entries[at]?.path === path,
  )
